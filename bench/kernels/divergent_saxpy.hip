// A saxpy whose threads disagree, lane by lane, on which of two similar updates to apply.
#include "harness.h"

#include <cmath>

__global__ void divergentSaxpy(const int *selector, const float *x, float *y, float a, float b,
                               unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (selector[i] & 1) // divergent: branch
    y[i] = __builtin_fmaf(a, x[i], y[i]);
  else
    y[i] = __builtin_fmaf(b, y[i], x[i]);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {10007, 1000003, "elements"});
  bench::Verdicts verdicts("divergent_saxpy");
  const unsigned n = static_cast<unsigned>(o.size); // by default not a multiple of anything
  const unsigned block = o.block ? o.block : 256;
  bench::Random random(o.seed);
  std::vector<int> selector(n);
  std::vector<float> x(n), y(n), want(n);
  const float a = 1.5f, b = -0.75f;
  for (unsigned i = 0; i < n; ++i) {
    selector[i] = static_cast<int>(random.next());
    x[i] = random.unit() - 0.5f;
    y[i] = random.unit() - 0.5f;
    want[i] = selector[i] & 1 ? std::fmaf(a, x[i], y[i]) : std::fmaf(b, y[i], x[i]);
  }
  bench::DeviceBuffer<int> dSelector(selector);
  bench::DeviceBuffer<float> dx(x), dy(y);
  divergentSaxpy<<<dim3((n + block - 1) / block), dim3(block)>>>(dSelector.get(), dx.get(),
                                                                 dy.get(), a, b, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("n=" + std::to_string(n) + " block=" + std::to_string(block), dy.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
