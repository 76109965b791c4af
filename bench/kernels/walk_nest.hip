// Histories of a random walk, several a thread: each goes on until it is absorbed or leaves a slab.
// How many collisions it has differs from lane to lane ("skewed": most are absorbed soon, some
// scatter for long; "balanced": every history makes the same number of steps). Integers throughout,
// so that the host's sums are exact.
#include "harness.h"

__host__ __device__ inline unsigned advance(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/// Positions in 1/256 of the slab's thickness; absorbed when a draw is below `absorb` of 65536.
__global__ void walkNest(unsigned long long *tally, unsigned threads, unsigned histories,
                         unsigned absorb, unsigned limit) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads)
    return;
  unsigned long long sum = 0;
  for (unsigned h = 0; h < histories; ++h) {
    unsigned state = (thread * histories + h) * 2654435761u + 12345u, steps = 0;
    int position = 0, weight = 65536;
    while (steps < limit && position > -2048 && position < 2048) { // divergent: loop
      const unsigned draw = advance(state);
      if ((draw >> 16) < absorb)
        break;
      position += static_cast<int>(draw & 511) - 256;
      weight -= (weight >> 6) * static_cast<int>((draw >> 9) & 3);
      ++steps;
    }
    sum = sum * 31 + static_cast<unsigned>(weight) + steps * 7ull +
          static_cast<unsigned>(position + 4096);
  }
  tally[thread] = sum;
}

/// The same history by its draws, one after the other, without a thread's running state.
static unsigned long long historyOf(unsigned number, unsigned absorb, unsigned limit) {
  unsigned state = number * 2654435761u + 12345u;
  std::vector<int> positions{0};
  long long weight = 65536;
  for (unsigned k = 0; k < limit; ++k) {
    if (positions.back() <= -2048 || positions.back() >= 2048)
      break;
    const unsigned draw = advance(state);
    if (draw / 65536 < absorb)
      break;
    positions.push_back(positions.back() + static_cast<int>(draw % 512) - 256);
    weight -= weight / 64 * static_cast<long long>(draw / 512 % 4);
  }
  return static_cast<unsigned long long>(weight) + (positions.size() - 1) * 7ull +
         static_cast<unsigned>(positions.back() + 4096);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {1024, 8192, "threads"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("walk_nest");
  const unsigned threads = static_cast<unsigned>(o.size), histories = 32;
  const bool balanced = o.pattern == "balanced";
  const unsigned absorb = balanced ? 0 : 2500, limit = balanced ? 20 : 400;
  std::vector<unsigned long long> want;
  for (unsigned t = 0; t < threads; ++t) {
    unsigned long long sum = 0;
    for (unsigned h = 0; h < histories; ++h)
      sum = sum * 31 + historyOf(t * histories + h, absorb, limit);
    want.push_back(sum);
  }
  bench::DeviceBuffer<unsigned long long> tally(want.size());
  const unsigned block = o.block ? o.block : 128;
  walkNest<<<dim3((threads + block - 1) / block), dim3(block)>>>(tally.get(), threads, histories,
                                                                 absorb, limit);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("threads=" + std::to_string(threads) + " pattern=" + o.pattern,
                       tally.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
