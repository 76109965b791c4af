// rocRAND's device functions: Philox4x32-10 in a kernel against the algorithm written from its
// paper (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC'11), bit for bit.
#include "check.h"
#include <array>
#include <rocrand/rocrand_kernel.h>

constexpr unsigned long long seed = 0x123456789abcdefULL;
constexpr unsigned perThread = 6;

__global__ void draw(unsigned *out, unsigned long long offset) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  rocrand_state_philox4x32_10 state;
  rocrand_init(seed, at, offset, &state);
  for (unsigned i = 0; i < perThread; ++i)
    out[at * perThread + i] = rocrand(&state);
}

std::array<unsigned, 4> philox(std::array<unsigned, 4> counter, unsigned low, unsigned high) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ULL * counter[0], b = 0xCD9E8D57ULL * counter[2];
    counter = {unsigned(b >> 32) ^ counter[1] ^ low, unsigned(b),
               unsigned(a >> 32) ^ counter[3] ^ high, unsigned(a)};
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}

int main() {
  const unsigned threads = 128, blocks = 5, n = threads * blocks;
  for (unsigned long long offset : {0ULL, 1ULL, 5ULL, 1ULL << 20}) {
    Device<unsigned> out(n * perThread);
    draw<<<blocks, threads>>>(out.get(), offset);
    HIP(hipDeviceSynchronize());
    std::vector<unsigned> want(n * perThread);
    for (unsigned at = 0; at < n; ++at)
      for (unsigned i = 0; i < perThread; ++i) {
        const unsigned long long position = offset + i, block = position / 4;
        want[at * perThread + i] = philox({unsigned(block), unsigned(block >> 32), at, 0},
                                          unsigned(seed), unsigned(seed >> 32))[position % 4];
      }
    expectSame("philox", out.host(), want);
  }
  return verdict();
}
