// Decoding LZ77 blocks, several a thread: tokens of literals and of copies, of which each is a loop
// of its own. Ziv and Lempel, IEEE Trans. Inf. Theory 23 (1977). "skewed" blocks have 1 to 2048
// bytes by a power law, "balanced" ones 24 with one and the same structure.
#include "nests.h"

/// A token: (length << 8 | distance); distance 0 has its literals behind it, one a word.
__global__ void lzNest(const unsigned *starts, const unsigned *tokens, const unsigned *places,
                       unsigned char *out, unsigned blocks) {
  for (unsigned b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks;
       b += gridDim.x * blockDim.x) {
    unsigned to = places[b];
    for (unsigned at = starts[b], end = starts[b + 1]; at < end;) { // divergent: loop
      const unsigned token = tokens[at++], distance = token & 255;
      for (unsigned length = token >> 8; length > 0; --length, ++to) // divergent: loop
        out[to] = distance ? out[to - distance] : static_cast<unsigned char>(tokens[at++]);
    }
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {8192, 32768, "blocks"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("lz_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  bench::Random random(o.seed);
  std::vector<unsigned> starts{0}, places, tokens;
  std::vector<unsigned char> want;
  for (unsigned b = 0; b < n; ++b) {
    const size_t begin = want.size();
    places.push_back(static_cast<unsigned>(begin));
    if (o.pattern == "balanced")
      for (unsigned k = 0; k < 24; ++k) // eight letters, three times
        want.push_back(
            static_cast<unsigned char>(k < 8 ? 16 * k + random.below(16) : want[want.size() - 8]));
    else
      for (unsigned k = 2 + bench::powerLaw(random, 2048); k > 0; --k) // few letters: they recur
        want.push_back(static_cast<unsigned char>('a' + random.below(random.below(8) ? 2 : 20)));
    // Compressed, always with the longest match of up to 255 bytes before.
    size_t at = begin, literals = begin;
    const auto flush = [&] {
      if (at > literals)
        tokens.push_back(static_cast<unsigned>(at - literals) << 8);
      for (; literals < at; ++literals)
        tokens.push_back(want[literals]);
    };
    while (at < want.size()) {
      size_t best = 0, distance = 0;
      for (size_t back = 1; back <= std::min<size_t>(64, at - begin); ++back) {
        size_t length = 0;
        while (at + length < want.size() && want[at + length] == want[at + length - back])
          ++length;
        if (length > best)
          best = length, distance = back;
      }
      if (best < 3) {
        ++at;
        continue;
      }
      flush();
      tokens.push_back(static_cast<unsigned>(best << 8 | distance));
      literals = at += best;
    }
    flush();
    starts.push_back(static_cast<unsigned>(tokens.size()));
  }
  bench::DeviceBuffer<unsigned> dStarts(starts), dTokens(tokens), dPlaces(places);
  bench::DeviceBuffer<unsigned char> out(want.size());
  lzNest<<<dim3(bench::groupsFor(n, block, 8)), dim3(block)>>>(dStarts.get(), dTokens.get(),
                                                               dPlaces.get(), out.get(), n);
  bench::finish();
  verdicts.expectEqual("blocks=" + std::to_string(n) + " pattern=" + o.pattern, out.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
