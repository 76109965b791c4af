// y A x of a matrix and two vectors, as the exercises for ROCm Compute Profiler (AMD, HPC training
// examples) change it: more blocks, LDS for part of x, an order of threads that reads A along its
// rows, and a row for each wave. One row a thread at first; a wave reads 64 rows at once.
#include "bench/pairs/pair.h"

namespace {

__device__ void add(double *to, double value) { unsafeAtomicAdd(to, value); }

// Element (i, j) of A is at rowStep * i + columnStep * j.
__global__ __launch_bounds__(256) void rows(const double *y, const double *A, const double *x,
                                            int n, int m, int rowStep, int columnStep,
                                            double *result) {
  double sum = 0;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double line = 0;
    for (int j = 0; j < m; ++j)
      line += A[size_t(i) * rowStep + size_t(j) * columnStep] * x[j];
    sum += y[i] * line;
  }
  add(result, sum);
}

// The first elements of x are read from LDS.
template <int Held>
__global__ void rowsWithLds(const double *y, const double *A, const double *x, int n, int m,
                            double *result) {
  __shared__ double held[Held];
  for (int i = threadIdx.x; i < Held; i += blockDim.x)
    held[i] = x[i];
  __syncthreads();
  double sum = 0;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double line = 0;
    for (int j = 0; j < m; ++j)
      line += A[size_t(i) * m + j] * (j < Held ? held[j] : x[j]);
    sum += y[i] * line;
  }
  add(result, sum);
}

// A row for each wave; its lanes meet in LDS.
__global__ __launch_bounds__(256) void rowPerWave(const double *y, const double *A, const double *x,
                                                  int n, int m, double *result) {
  __shared__ double row;
  double sum = 0;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    if (threadIdx.x == 0)
      row = 0;
    __syncthreads();
    double mine = 0;
    for (int j = threadIdx.x; j < m; j += blockDim.x)
      mine += A[size_t(i) * m + j] * x[j];
    add(&row, mine);
    __syncthreads();
    if (threadIdx.x == 0)
      sum += row * y[i];
  }
  if (threadIdx.x == 0)
    add(result, sum);
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv,
                         {"few-blocks", "rows", "columns", "wave", "lds-full", "lds-part"},
                         {{"rows", 2048, "rows of A"}, {"columns", 512, "columns of A"}});
  const int n = int(side["rows"]), m = int(side["columns"]);
  const bool lds = side.name().rfind("lds", 0) == 0;
  if (lds && m < 8192) {
    std::fprintf(stderr, "yax: %s needs 8192 columns or more\n", side.name().c_str());
    return 2;
  }
  // Small whole numbers: sums are exact in any order.
  bench::Random random(1);
  std::vector<double> A(size_t(n) * m), x(m), y(n);
  for (auto *values : {&A, &x, &y})
    for (double &value : *values)
      value = random.below(4);
  double want = 0;
  for (int i = 0; i < n; ++i) {
    double line = 0;
    for (int j = 0; j < m; ++j)
      line += A[size_t(i) * m + j] * x[j];
    want += line * y[i];
  }
  if (side.is("columns")) { // the same matrix, column by column
    std::vector<double> turned(A.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        turned[size_t(j) * n + i] = A[size_t(i) * m + j];
    A = turned;
  }
  bench::DeviceBuffer<double> dA(A), dX(x), dY(y), result(std::vector<double>{0});
  // The exercises' 32,768 rows have 2,048 blocks of 64, or four.
  const unsigned blocks = std::max(1, n / 16), few = std::max(1, n / 8192);
  const double *pa = dA.get(), *px = dX.get(), *py = dY.get();
  if (side.is("few-blocks"))
    rows<<<few, 64>>>(py, pa, px, n, m, m, 1, result.get());
  else if (side.is("rows"))
    rows<<<blocks, 64>>>(py, pa, px, n, m, m, 1, result.get());
  else if (side.is("columns"))
    rows<<<blocks, 64>>>(py, pa, px, n, m, 1, n, result.get());
  else if (side.is("wave"))
    rowPerWave<<<blocks, 64>>>(py, pa, px, n, m, result.get());
  else if (side.is("lds-full"))
    rowsWithLds<8192><<<blocks, 64>>>(py, pa, px, n, m, result.get());
  else
    rowsWithLds<256><<<blocks, 64>>>(py, pa, px, n, m, result.get());
  bench::finish();
  bench::Verdicts verdicts("yax");
  verdicts.expectEqual(side.name(), result.download(), std::vector<double>{want});
  return verdicts.exitCode();
}
