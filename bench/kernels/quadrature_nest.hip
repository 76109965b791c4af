// Adaptive quadrature, several integrals a thread: an interval that is not exact enough is cut in
// two, without a stack, as its number and its depth say which comes next. Of w / (x^2 + w^2) over
// [-1, 1], which is 2 atan(1 / w). "skewed" widths w are between 1/1024 and 1, "balanced" all 1/16.
#include "nests.h"

#include <cmath>

__device__ inline float bell(float x, float w) { return w / (x * x + w * w); }

__global__ void quadratureNest(const float *widths, float *integrals, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float w = widths[i];
    float sum = 0;
    unsigned number = 4, depth = 2; // of interval, among 2^depth ones
    while (number < 2u << depth) {  // divergent: loop
      const float h = 2.0f / static_cast<float>(1u << depth);
      const float a = static_cast<float>(number - (1u << depth)) * h - 1;
      const float ends = bell(a, w) + bell(a + h, w), middle = bell(a + h / 2, w);
      const float simpson = h / 6 * (ends + 4 * middle);
      const float twice =
          h / 12 * (ends + 2 * middle + 4 * (bell(a + h / 4, w) + bell(a + 3 * h / 4, w)));
      if (depth < 14 && fabsf(twice - simpson) > 1e-5f) { // divergent: branch
        number *= 2, ++depth;                             // the left half
        continue;
      }
      sum += twice;
      ++number;
      while (number % 2 == 0 && depth > 2) // both halves are done
        number /= 2, --depth;
    }
    integrals[i] = sum;
  }
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {8192, 32768, "integrals"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("quadrature_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  bench::Random random(o.seed);
  std::vector<float> widths, want;
  for (unsigned i = 0; i < n; ++i) {
    widths.push_back(o.pattern == "balanced"
                         ? 0.0625f
                         : 1.0f / static_cast<float>(bench::powerLaw(random, 1024)));
    want.push_back(static_cast<float>(2 * std::atan(1 / double(widths.back()))));
  }
  bench::DeviceBuffer<float> dWidths(widths), integrals(n);
  quadratureNest<<<dim3(bench::groupsFor(n, block, 8)), dim3(block)>>>(dWidths.get(),
                                                                       integrals.get(), n);
  bench::finish();
  verdicts.expectNear("integrals=" + std::to_string(n) + " pattern=" + o.pattern,
                      integrals.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
