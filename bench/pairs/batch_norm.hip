// Batch normalisation of 128 images, a thread for each pixel (HIP performance optimization on Vega
// 64, 2.14): three passes over the images (mean, variance, result) and two (both sums at once).
#include "bench/pairs/pair.h"

namespace {

constexpr int images = 128;
constexpr float epsilon = 1e-6f, gamma_ = 1.25f, beta = 0.5f;

__global__ void threePasses(const float *__restrict__ in, float *__restrict__ out, int n,
                            int pixels, float scale, float shift) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  float mean = 0, spread = 0;
  for (int i = 0; i < n; ++i)
    mean += in[x + i * pixels];
  mean = mean / n;
  for (int i = 0; i < n; ++i) {
    const float away = in[x + i * pixels] - mean;
    spread += away * away;
  }
  spread = rsqrtf(spread / n + epsilon);
  for (int i = 0; i < n; ++i)
    out[x + i * pixels] = scale * (in[x + i * pixels] - mean) * spread + shift;
}

__global__ void twoPasses(const float *__restrict__ in, float *__restrict__ out, int n, int pixels,
                          float scale, float shift) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  float sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const float value = in[x + i * pixels];
    sum += value;
    squares += value * value;
  }
  const float mean = sum / n, spread = rsqrtf(squares / n - mean * mean + epsilon);
  for (int i = 0; i < n; ++i)
    out[x + i * pixels] = scale * (in[x + i * pixels] - mean) * spread + shift;
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"three", "two"},
                         {{"pixels", 4096, "of an image, in blocks of 256"}});
  const int pixels = int(side["pixels"] / 256 * 256);
  const auto in = bench::unitNumbers<float>(size_t(images) * pixels);
  std::vector<float> want(in.size());
  for (int x = 0; x < pixels; ++x) {
    double sum = 0, squares = 0;
    for (int i = 0; i < images; ++i) {
      const double value = in[x + size_t(i) * pixels];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / images,
                 spread = 1 / std::sqrt(squares / images - mean * mean + epsilon);
    for (int i = 0; i < images; ++i)
      want[x + size_t(i) * pixels] =
          float(gamma_ * (in[x + size_t(i) * pixels] - mean) * spread + beta);
  }
  bench::DeviceBuffer<float> dIn(in), dOut(in.size());
  const auto kernel = side.is("three") ? threePasses : twoPasses;
  kernel<<<pixels / 256, 256>>>(dIn.get(), dOut.get(), images, pixels, gamma_, beta);
  bench::finish();
  bench::Verdicts verdicts("batch_norm");
  verdicts.expectNear(side.name(), dOut.download(), want, 1e-3);
  return verdicts.exitCode();
}
