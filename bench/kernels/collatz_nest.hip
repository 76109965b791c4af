// Steps of the Collatz sequence until it reaches 1, several numbers a thread (Lagarias, "The 3x+1
// problem", Am. Math. Monthly 92, 1985). "skewed" numbers are random, "balanced" ones all take the
// same number of steps.
#include "nests.h"

__global__ void collatzNest(const unsigned *numbers, unsigned *steps, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long x = numbers[i];
    unsigned count = 0;
    for (; x != 1; ++count) // divergent: loop
      x = x % 2 ? 3 * x + 1 : x / 2;
    steps[i] = count;
  }
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {16384, 131072, "numbers"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("collatz_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  // Every number's steps from those of the first smaller one on its way.
  std::vector<unsigned> known(1u << 20, 0), alike, numbers, want;
  for (unsigned k = 2; k < known.size(); ++k) {
    unsigned long long x = k;
    unsigned count = 0;
    for (; x >= k; ++count)
      x = x & 1 ? x + x + x + 1 : x >> 1;
    known[k] = count + known[x];
    if (known[k] == 60)
      alike.push_back(k);
  }
  bench::Random random(o.seed);
  for (unsigned i = 0; i < n; ++i) {
    numbers.push_back(o.pattern == "balanced"
                          ? alike[random.below(static_cast<unsigned>(alike.size()))]
                          : 1 + random.below(static_cast<unsigned>(known.size()) - 1));
    want.push_back(known[numbers.back()]);
  }
  bench::DeviceBuffer<unsigned> dNumbers(numbers), steps(n);
  collatzNest<<<dim3(bench::groupsFor(n, block, 16)), dim3(block)>>>(dNumbers.get(), steps.get(),
                                                                     n);
  bench::finish();
  verdicts.expectEqual("numbers=" + std::to_string(n) + " pattern=" + o.pattern, steps.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
