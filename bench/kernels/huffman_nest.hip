// Decoding Huffman codes, several blocks a thread: for every symbol bits until a canonical code is
// complete. Huffman, Proc. IRE 40 (1952); Schwartz and Kallick, CACM 7 (1964), for canonical codes. "skewed" blocks have 1 to
// 512 symbols by a power law, codes of 1 to 15 bits; "balanced" ones 16 symbols of 4 bits.
#include "nests.h"

constexpr unsigned longest = 16;

/// The codes of length l are the numbers from first[l] on, counts[l] of them; their symbols stand
/// from offsets[l] on.
struct Codes {
  unsigned first[longest], counts[longest], offsets[longest];
};

__global__ void huffmanNest(Codes codes, const unsigned char *symbols, const unsigned *bits,
                            const unsigned *starts, const unsigned *places, unsigned char *out,
                            unsigned blocks) {
  for (unsigned b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks;
       b += gridDim.x * blockDim.x) {
    unsigned at = starts[b];
    for (unsigned to = places[b], end = places[b + 1]; to < end; ++to) { // divergent: loop
      unsigned code = 0, length = 0;
      do {
        code = code * 2 + (bits[at / 32] >> at % 32 & 1);
        ++at;
        ++length;
      } while (length + 1 < longest && code - codes.first[length] >= codes.counts[length]);
      out[to] = symbols[(codes.offsets[length] + code - codes.first[length]) & 255];
    }
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {8192, 32768, "blocks"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("huffman_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  const bool skewed = o.pattern == "skewed";
  // Skewed: symbol k has k + 1 bits, the last two 15. Balanced: sixteen symbols of 4 bits.
  std::vector<unsigned> lengths, codeOf;
  for (unsigned k = 0; k < 16; ++k)
    lengths.push_back(skewed ? std::min(k + 1, 15u) : 4);
  Codes codes{};
  for (const unsigned length : lengths)
    ++codes.counts[length];
  for (unsigned length = 1; length < longest; ++length) {
    codes.first[length] = 2 * (codes.first[length - 1] + codes.counts[length - 1]);
    codes.offsets[length] = codes.offsets[length - 1] + codes.counts[length - 1];
  }
  std::vector<unsigned char> symbols(256, 0), want;
  for (unsigned k = 0; k < 16; ++k) { // lengths grow with k, so symbols stand in their order
    symbols[k] = static_cast<unsigned char>('A' + k);
    codeOf.push_back(codes.first[lengths[k]] + k - codes.offsets[lengths[k]]);
  }
  bench::Random random(o.seed);
  std::vector<unsigned> starts, places, bits;
  unsigned at = 0;
  for (unsigned b = 0; b < n; ++b) {
    starts.push_back(at);
    places.push_back(static_cast<unsigned>(want.size()));
    for (unsigned k = skewed ? bench::powerLaw(random, 512) : 16; k > 0; --k) {
      unsigned symbol = random.below(16);
      if (skewed) // the first ones often
        symbol = std::min(symbol, std::min(random.below(16), random.below(16)));
      want.push_back(symbols[symbol]);
      for (unsigned bit = lengths[symbol]; bit-- > 0; ++at) {
        bits.resize(at / 32 + 1, 0);
        bits[at / 32] |= (codeOf[symbol] >> bit & 1) << at % 32;
      }
    }
  }
  places.push_back(static_cast<unsigned>(want.size()));
  bench::DeviceBuffer<unsigned char> dSymbols(symbols), out(want.size());
  bench::DeviceBuffer<unsigned> dBits(bits), dStarts(starts), dPlaces(places);
  huffmanNest<<<dim3(bench::groupsFor(n, block, 8)), dim3(block)>>>(
      codes, dSymbols.get(), dBits.get(), dStarts.get(), dPlaces.get(), out.get(), n);
  bench::finish();
  verdicts.expectEqual("blocks=" + std::to_string(n) + " pattern=" + o.pattern, out.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
