// FIR: the filter of the convergence-and-scalarization paper (Lee et al., CGO'13, figure 1). Every
// thread convolves its window of the input with the same coefficients: loop counter, bound, branch
// and coefficient addresses are the same in all threads.
#include "harness.h"

__global__ void fir(const float *samples, const float *coefficients, float *out, int length) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
  for (int i = 0; i < length; ++i)
    sum += samples[at + i] * coefficients[i];
  out[at] = sum;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {8192, 262144, "samples"});
  bench::Verdicts verdicts("fir");
  const unsigned block = o.block ? o.block : 256;
  const size_t n = o.sizeInMultiplesOf(block);
  const int length = 32;
  bench::Random random(o.seed);
  std::vector<float> samples(n + length), coefficients(length), want(n);
  for (float &x : samples)
    x = random.unit() - 0.5f;
  for (float &x : coefficients)
    x = random.unit();
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t k = 0; k < length; ++k)
      sum += double(samples[i + k]) * coefficients[k];
    want[i] = static_cast<float>(sum);
  }
  bench::DeviceBuffer<float> in(samples), taps(coefficients), out(n);
  fir<<<dim3(n / block), dim3(block)>>>(in.get(), taps.get(), out.get(), length);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("samples=" + std::to_string(n), out.download(), want, 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
