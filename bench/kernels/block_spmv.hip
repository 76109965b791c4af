// A sparse matrix of small dense blocks times a vector, y = alpha A x + beta y; the blocks' size and
// the order of their elements are told at run time, as in libraries of solvers. One work-item a row.
//   helped   blocks of 4 x 4, by rows, beta 0
//   source   the same, written into the source
//   other    another size of blocks, another order and other factors at each launch
#include "harness.h"

struct Matrix {
  int blockRows, size;   ///< rows of blocks; rows and columns of a block
  int byColumns, scaled; ///< order of a block's elements; y is divided by the row's weight
  float alpha, beta;
};

struct Data {
  const int *starts, *columns; ///< blocks of a row of blocks, and their columns
  const float *values, *x, *weights;
  float *y;
};

__host__ __device__ inline void multiplyRow(const Data &d, const Matrix &m, int row) {
  const int blockRow = row / m.size, within = row % m.size;
  float sum = 0;
  for (int b = d.starts[blockRow]; b < d.starts[blockRow + 1]; ++b) {
    const float *block = d.values + b * m.size * m.size;
    const float *x = d.x + d.columns[b] * m.size;
    for (int c = 0; c < m.size; ++c)
      sum += (m.byColumns ? block[c * m.size + within] : block[within * m.size + c]) * x[c];
  }
  sum *= m.alpha;
  if (m.beta != 0)
    sum += m.beta * d.y[row];
  if (m.scaled)
    sum /= d.weights[row];
  d.y[row] = sum;
}

template <bool inSource> __global__ void multiplyAll(Data data, Matrix matrix) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < matrix.blockRows * (inSource ? 4 : matrix.size))
    multiplyRow(data, inSource ? Matrix{matrix.blockRows, 4, 0, 0, matrix.alpha, 0} : matrix, row);
}

static Matrix matrixOf(const std::string &pattern, int rows, int launch) {
  if (pattern != "other")
    return {rows / 4, 4, 0, 0, 0.5f, 0};
  const int size = 2 + launch % 5;
  return {rows / size,
          size,
          launch % 2,
          launch / 3 % 2,
          0.25f + 0.01f * static_cast<float>(launch % 40),
          0.1f + 0.01f * static_cast<float>(launch % 7)};
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {6144, 106496, "rows"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("block_spmv");
  const unsigned block = o.block ? o.block : 64;
  const int rows = static_cast<int>(o.size);
  static int runs = 0;
  // The same data for every size of blocks: five of them in a row of blocks on average.
  bench::Random random(o.seed);
  std::vector<int> starts{0}, places;
  for (int r = 0; r < rows / 2; ++r)
    starts.push_back(starts.back() + 3 + static_cast<int>(random.below(5)));
  for (int b = 0; b < starts.back(); ++b)
    places.push_back(static_cast<int>(random.next() >> 34));
  std::vector<float> x(o.size), weights(o.size), y(o.size);
  for (size_t i = 0; i < o.size; ++i) {
    x[i] = random.unit();
    weights[i] = 1 + random.unit();
    y[i] = random.unit();
  }
  std::vector<float> values(static_cast<size_t>(starts.back()) * 16);
  for (float &value : values)
    value = 0.25f * random.unit();
  bench::DeviceBuffer<int> dStarts(starts);
  bench::DeviceBuffer<float> dX(x), dWeights(weights), dValues(values), dY(y);
  for (int launch = 0; launch < 4; ++launch) {
    const Matrix m = matrixOf(o.pattern, rows, runs++);
    // Longer rows have fewer blocks: those that the values are enough for.
    const int blocks = std::min(starts.back(), static_cast<int>(values.size()) / (m.size * m.size));
    std::vector<int> own(starts);
    for (int &start : own)
      start = std::min(start, blocks);
    std::vector<int> columns(places);
    for (int &column : columns)
      column %= m.blockRows;
    bench::DeviceBuffer<int> dColumns(columns);
    dStarts.upload(own);
    const auto kernel = o.pattern == "source" ? multiplyAll<true> : multiplyAll<false>;
    const auto count = static_cast<unsigned>(m.blockRows * m.size);
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(
        {dStarts.get(), dColumns.get(), dValues.get(), dX.get(), dWeights.get(), dY.get()}, m);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    for (unsigned row = 0; row < count; ++row)
      multiplyRow({own.data(), columns.data(), values.data(), x.data(), weights.data(), y.data()},
                  m, static_cast<int>(row));
  }
  verdicts.expectNear(o.pattern, dY.download(), y, 1e-4);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
