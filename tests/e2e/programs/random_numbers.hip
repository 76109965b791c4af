// Random numbers on the device: Philox4x32-10 with its published test vectors, an LCG that jumps
// ahead, and what is made of them: a Monte Carlo estimate of pi (its hits counted exactly), normal
// deviates by Box and Muller within a few ulps.
#include "check.h"

#include <algorithm>

struct Four {
  unsigned v[4];
};
/// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
__host__ __device__ Four philox(Four c, unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * c.v[0], b = 0xCD9E8D57ull * c.v[2];
    c = {{unsigned(b >> 32) ^ c.v[1] ^ k0, unsigned(b), unsigned(a >> 32) ^ c.v[3] ^ k1,
          unsigned(a)}};
    k0 += 0x9E3779B9, k1 += 0xBB67AE85;
  }
  return c;
}
__global__ void philoxVectors(const Four *counters, const unsigned *keys, Four *out) {
  const int t = threadIdx.x;
  out[t] = philox(counters[t], keys[2 * t], keys[2 * t + 1]);
}
__host__ __device__ int hits(unsigned id, int rounds) {
  int count = 0;
  for (int r = 0; r < rounds; ++r) {
    const Four f = philox({{id, unsigned(r), 0, 0}}, 12345, 678);
    for (int k = 0; k < 4; k += 2) {
      const unsigned long long x = f.v[k] >> 16, y = f.v[k + 1] >> 16;
      count += x * x + y * y < 65536ull * 65536;
    }
  }
  return count;
}
__global__ void pi(unsigned *total, int rounds) {
  int mine = hits(blockIdx.x * blockDim.x + threadIdx.x, rounds);
  for (int d = warpSize / 2; d; d /= 2)
    mine += __shfl_xor(mine, d);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(total, unsigned(mine));
}

/// Knuth's MMIX constants; jumping k steps by squaring the affine map.
__host__ __device__ unsigned long long jump(unsigned long long seed, unsigned long long k) {
  unsigned long long a = 6364136223846793005ull, c = 1442695040888963407ull, A = 1, C = 0;
  for (; k; k >>= 1) {
    if (k & 1)
      A *= a, C = C * a + c;
    c *= a + 1, a *= a;
  }
  return seed * A + C;
}
__global__ void lcg(unsigned long long *out, int each) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long s = jump(42, (unsigned long long)t * each);
  for (int i = 0; i < each; ++i)
    out[t * each + i] = s = s * 6364136223846793005ull + 1442695040888963407ull;
}
__global__ void boxMuller(float *out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const Four f = philox({{t, 0, 1, 0}}, 1, 2);
  const float u = (f.v[0] >> 8) * 0x1p-24f + 0x1p-25f, v = (f.v[1] >> 8) * 0x1p-24f;
  const float r = sqrtf(-2 * logf(u));
  float s, c;
  sincospif(2 * v, &s, &c);
  out[2 * t] = r * c;
  out[2 * t + 1] = r * s;
}

int main() {
  // Random123's known answers: zeros, ones, digits of pi
  const std::vector<Four> counters = {
      {{0, 0, 0, 0}}, {{~0u, ~0u, ~0u, ~0u}}, {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}};
  const std::vector<unsigned> keys = {0, 0, ~0u, ~0u, 0xa4093822, 0x299f31d0};
  const std::vector<Four> known = {{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                                   {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                                   {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  Device<Four> dCounters(counters), out(3);
  Device<unsigned> dKeys(keys), total(std::vector<unsigned>{0});
  philoxVectors<<<1, 3>>>(dCounters, dKeys, out);
  const auto got = out.host();
  for (int i = 0; i < 3; ++i)
    EXPECT(std::equal(got[i].v, got[i].v + 4, known[i].v));

  const int threads = 1024, rounds = 16;
  pi<<<4, threads / 4>>>(total, rounds);
  unsigned want = 0;
  for (int t = 0; t < threads; ++t)
    want += hits(t, rounds);
  const unsigned inside = total.host()[0];
  EXPECT(inside == want);
  EXPECT(std::fabs(4.0 * inside / (2 * threads * rounds) - 3.14159265) < 0.03); // 3 sigma

  const int each = 9, n = 512 * each;
  Device<unsigned long long> sequence(n);
  lcg<<<2, 256>>>(sequence, each);
  std::vector<unsigned long long> serial(n);
  unsigned long long s = 42;
  for (auto &v : serial)
    v = s = s * 6364136223846793005ull + 1442695040888963407ull;
  expectSame("LCG", sequence.host(), serial);

  Device<float> normal(2048);
  boxMuller<<<4, 256>>>(normal);
  std::vector<double> exact(2048);
  for (unsigned t = 0; t < 1024; ++t) {
    const Four f = philox({{t, 0, 1, 0}}, 1, 2);
    const double u = (f.v[0] >> 8) * 0x1p-24 + 0x1p-25, v = (f.v[1] >> 8) * 0x1p-24;
    exact[2 * t] = std::sqrt(-2 * std::log(float(u))) * std::cos(2 * M_PI * v);
    exact[2 * t + 1] = std::sqrt(-2 * std::log(float(u))) * std::sin(2 * M_PI * v);
  }
  expectNear("normal deviates", normal.host(), exact, 4e-6);
  return verdict();
}
