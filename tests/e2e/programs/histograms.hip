// Histograms: global atomics, LDS with one copy per workgroup, one copy per wave, byte counters
// that spill, and a skewed distribution where all lanes hit one bin. Bit for bit.
#include "check.h"

constexpr int bins = 256;

__global__ void global(const uint8_t *in, unsigned *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&out[in[i]], 1u);
}
__global__ void perBlock(const uint8_t *in, unsigned *out, int n) {
  __shared__ unsigned local[bins];
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (local[b])
      atomicAdd(&out[b], local[b]);
}
__global__ void perWave(const uint8_t *in, unsigned *out, int n) {
  __shared__ unsigned local[256 / 32][bins]; // as many as the smallest waves are
  unsigned *mine = local[threadIdx.x / warpSize];
  for (int b = threadIdx.x % warpSize; b < bins; b += warpSize)
    mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    // lanes with the same value are counted by one of them
    const unsigned v = in[i];
    unsigned long long left = __ballot(1);
    while (true) {
      const unsigned first = __builtin_amdgcn_readfirstlane(v);
      const unsigned long long same = __ballot(v == first) & left;
      if (v == first) {
        if (__popcll(same & ((1ull << __lane_id()) - 1)) == 0)
          mine[v] += __popcll(same);
        break;
      }
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < 256 / warpSize; ++w)
      sum += local[w][b];
    atomicAdd(&out[b], sum);
  }
}
/// 16 threads keep private byte counters, four to a word, and spill before they overflow.
__global__ void privateBytes(const uint8_t *in, unsigned *out, int n) {
  __shared__ unsigned counters[16][bins / 4];
  unsigned *mine = counters[threadIdx.x];
  for (int w = 0; w < bins / 4; ++w)
    mine[w] = 0;
  int since = 0;
  for (int i = threadIdx.x; i < n; i += 16) {
    mine[in[i] / 4] += 1u << (in[i] % 4 * 8);
    if (++since == 255 || i + 16 >= n) {
      for (int b = 0; b < bins; ++b)
        if (const unsigned c = mine[b / 4] >> (b % 4 * 8) & 255)
          atomicAdd(&out[b], c);
      for (int w = 0; w < bins / 4; ++w)
        mine[w] = 0;
      since = 0;
    }
  }
}

static void check(const char *what, const std::vector<uint8_t> &in) {
  std::vector<unsigned> want(bins, 0);
  for (uint8_t v : in)
    ++want[v];
  const int n = int(in.size());
  Device<uint8_t> source(in);
  const std::vector<unsigned> zero(bins, 0);
  Device<unsigned> a(zero), b(zero), c(zero), d(zero);
  global<<<5, 256>>>(source, a, n);
  perBlock<<<5, 256>>>(source, b, n);
  perWave<<<5, 256>>>(source, c, n);
  privateBytes<<<1, 16>>>(source, d, n);
  for (const auto *out : {&a, &b, &c, &d})
    expectSame(what, out->host(), want);
}

int main() {
  check("uniform", randomBelow<uint8_t>(20011, 256, 1));
  check("one bin", std::vector<uint8_t>(7000, 200));
  Random random(3);
  std::vector<uint8_t> skewed(9001);
  for (uint8_t &v : skewed)
    v = uint8_t(random.below(1 + random.below(1 + random.below(256))));
  check("skewed", skewed);
  return verdict();
}
