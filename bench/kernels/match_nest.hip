// How much of a pattern stands at each place of a text, several places a thread: a comparison ends
// with the first letter that differs. "skewed" texts are runs of one letter, most of them short;
// "balanced" ones agree in 16 letters everywhere.
#include "nests.h"

constexpr unsigned patternLength = 96;

__global__ void matchNest(const char *text, const char *pattern, unsigned *lengths, unsigned n,
                          unsigned step) {
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    unsigned k = 0;
    while (k < patternLength && text[p * step + k] == pattern[k]) // divergent: loop
      ++k;
    lengths[p] = k;
  }
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {16384, 131072, "places"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("match_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  const bool balanced = o.pattern == "balanced";
  const unsigned step = balanced ? 17 : 1; // between the places
  bench::Random random(o.seed);
  std::string pattern(patternLength, 'a'), text;
  while (text.size() < size_t{n} * step) {
    text.append(balanced ? 16 : bench::powerLaw(random, 2 * patternLength) - 1, 'a');
    text += static_cast<char>('b' + random.below(4));
  }
  text.append(patternLength, 'z');
  // By the Z function of pattern and text (Gusfield, "Algorithms on strings", 1997).
  const std::string all = pattern + text;
  std::vector<size_t> z(all.size(), 0);
  for (size_t i = 1, left = 0, right = 0; i < all.size(); ++i) {
    if (i < right)
      z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < all.size() && all[z[i]] == all[i + z[i]])
      ++z[i];
    if (i + z[i] > right)
      left = i, right = i + z[i];
  }
  std::vector<unsigned> want;
  for (unsigned p = 0; p < n; ++p)
    want.push_back(static_cast<unsigned>(
        std::min<size_t>(patternLength, z[patternLength + size_t{p} * step])));
  bench::DeviceBuffer<char> dText(std::vector<char>(text.begin(), text.end())),
      dPattern(std::vector<char>(pattern.begin(), pattern.end()));
  bench::DeviceBuffer<unsigned> lengths(n);
  matchNest<<<dim3(bench::groupsFor(n, block, 16)), dim3(block)>>>(dText.get(), dPattern.get(),
                                                                   lengths.get(), n, step);
  bench::finish();
  verdicts.expectEqual("places=" + std::to_string(n) + " pattern=" + o.pattern, lengths.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
