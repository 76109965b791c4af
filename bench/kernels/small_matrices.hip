// Products of many small matrices, whose size is told at run time: c = a b + beta c for each matrix
// of a batch, one work-item for each element.
//   helped   5 x 5 matrices, beta 0
//   source   the same, written into the source
//   other    another size and another beta at each launch
#include "harness.h"

struct Batch {
  int n, batches;
  float alpha, beta;
  int transposed;
};

__host__ __device__ inline void element(const float *a, const float *b, float *c, const Batch &m,
                                        int at) {
  const int each = m.n * m.n, matrix = at / each, row = at % each / m.n, column = at % m.n;
  const float *left = a + matrix * each, *right = b + matrix * each;
  float sum = 0;
  for (int k = 0; k < m.n; ++k)
    sum += left[row * m.n + k] * (m.transposed ? right[column * m.n + k] : right[k * m.n + column]);
  sum *= m.alpha;
  if (m.beta != 0)
    sum += m.beta * c[at];
  c[at] = sum;
}

__global__ void multiply(const float *a, const float *b, float *c, Batch batch) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < batch.n * batch.n * batch.batches)
    element(a, b, c, batch, at);
}

__global__ void multiplyKnown(const float *a, const float *b, float *c, int batches) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < 25 * batches)
    element(a, b, c, {5, batches, 1, 0, 0}, at);
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {256, 4300, "matrices"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("small_matrices");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  constexpr size_t most = 8 * 8;
  bench::Random random(o.seed);
  std::vector<float> a(most * o.size), b(a.size()), c(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = random.unit();
    b[i] = random.unit();
    c[i] = random.unit();
  }
  bench::DeviceBuffer<float> dA(a), dB(b), dC(c);
  for (int launch = 0; launch < 4; ++launch, ++runs) {
    Batch batch{5, count, 1, 0, 0};
    if (o.pattern == "other")
      batch = {3 + runs % 6, count, 1 + 0.1f * static_cast<float>(runs % 3),
               0.01f * static_cast<float>(1 + runs % 50), runs % 2};
    const int elements = batch.n * batch.n * count;
    const dim3 groups((static_cast<unsigned>(elements) + block - 1) / block);
    if (o.pattern == "source")
      multiplyKnown<<<groups, dim3(block)>>>(dA.get(), dB.get(), dC.get(), count);
    else
      multiply<<<groups, dim3(block)>>>(dA.get(), dB.get(), dC.get(), batch);
    HIP_CHECK(hipGetLastError());
    for (int at = 0; at < elements; ++at)
      element(a.data(), b.data(), c.data(), batch, at);
  }
  verdicts.expectNear(o.pattern, dC.download(), c, 1e-4);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
