// SpMV with several rows a thread, in a grid-stride loop: how many lanes wait for the longest row of
// their wave, row after row, hangs on the rows alone. Bell and Garland, "Implementing sparse
// matrix-vector multiplication on throughput-oriented processors" (SC 2009), the scalar CSR kernel.
// "skewed" has lengths by a power law (1 to 512), "balanced" the same number of elements in all rows.
#include "harness.h"

__global__ void rowNest(const unsigned *starts, const unsigned *columns, const float *values,
                        const float *x, float *y, unsigned rows) {
  for (unsigned row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
       row += gridDim.x * blockDim.x) {
    float sum = 0;
    for (unsigned i = starts[row]; i < starts[row + 1]; ++i) // divergent: loop
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {16384, 131072, "rows"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("row_nest");
  const unsigned block = o.block ? o.block : 128, rows = static_cast<unsigned>(o.size);
  const unsigned groups = std::max(1u, rows / (block * 16)); // 16 rows a thread
  bench::Random random(o.seed);
  std::vector<unsigned> starts{0}, columns;
  std::vector<float> values, x(rows), want(rows);
  for (float &v : x)
    v = random.unit();
  for (unsigned row = 0; row < rows; ++row) {
    const double u = 1.0 - double(random.unit());
    const auto length =
        o.pattern == "balanced" ? 12u : static_cast<unsigned>(2.0 / std::max(u, 2.0 / 512));
    double sum = 0;
    for (unsigned k = length; k > 0; --k) {
      columns.push_back(random.below(rows));
      values.push_back(random.unit() - 0.25f);
      sum += double(values.back()) * x[columns.back()];
    }
    starts.push_back(static_cast<unsigned>(columns.size()));
    want[row] = static_cast<float>(sum);
  }
  bench::DeviceBuffer<unsigned> dStarts(starts), dColumns(columns);
  bench::DeviceBuffer<float> dValues(values), dX(x), dY(rows);
  rowNest<<<dim3(groups), dim3(block)>>>(dStarts.get(), dColumns.get(), dValues.get(), dX.get(),
                                         dY.get(), rows);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("rows=" + std::to_string(rows) + " pattern=" + o.pattern, dY.download(), want,
                      1e-4);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
