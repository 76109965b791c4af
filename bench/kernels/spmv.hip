// SpMV: sparse matrix times vector in CSR form, a thread per row, after Parboil: rows of different
// lengths make the inner loop diverge.
#include "harness.h"

__global__ void spmv(const unsigned *starts, const unsigned *columns, const float *values,
                     const float *x, float *y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (unsigned i = starts[row]; i < starts[row + 1]; ++i) // divergent: loop
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {3000, 100000, "rows"});
  bench::Verdicts verdicts("spmv");
  const unsigned block = o.block ? o.block : 128, rows = static_cast<unsigned>(o.size);
  bench::Random random(o.seed);
  std::vector<unsigned> starts{0}, columns;
  std::vector<float> values, x(rows), want(rows);
  for (float &v : x)
    v = random.unit();
  for (unsigned row = 0; row < rows; ++row) {
    double sum = 0;
    for (unsigned k = random.below(16) + (random.below(20) == 0 ? 30 : 1); k > 0; --k) {
      columns.push_back(random.below(rows));
      values.push_back(random.unit() - 0.25f);
      sum += double(values.back()) * x[columns.back()];
    }
    starts.push_back(static_cast<unsigned>(columns.size()));
    want[row] = static_cast<float>(sum);
  }
  bench::DeviceBuffer<unsigned> dStarts(starts), dColumns(columns);
  bench::DeviceBuffer<float> dValues(values), dX(x), dY(rows);
  spmv<<<dim3((rows + block - 1) / block), dim3(block)>>>(dStarts.get(), dColumns.get(),
                                                          dValues.get(), dX.get(), dY.get(), rows);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("rows=" + std::to_string(rows), dY.download(), want, 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
