// Stable least-significant-digit radix sort of key-value pairs, 4 bits per pass: histograms per
// workgroup, a scan over digits and workgroups, a stable scatter by ballots. Reference:
// std::stable_sort; negative and floating-point keys through the usual bit flips.
#include "check.h"

#include <algorithm>
#include <numeric>

constexpr int block = 256;

__global__ void histogram(const unsigned *keys, unsigned *counts, int n, int shift) {
  __shared__ unsigned local[16];
  const int t = threadIdx.x, i = blockIdx.x * block + t;
  if (t < 16)
    local[t] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&local[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (t < 16)
    counts[t * gridDim.x + blockIdx.x] = local[t];
}
__global__ void exclusiveScan(unsigned *counts, int n) { // one workgroup
  __shared__ unsigned carry, sums[block];
  const int t = threadIdx.x;
  if (t == 0)
    carry = 0;
  for (int base = 0; base < n; base += block) {
    const unsigned v = base + t < n ? counts[base + t] : 0;
    sums[t] = v;
    __syncthreads();
    for (int d = 1; d < block; d *= 2) {
      const unsigned add = t >= d ? sums[t - d] : 0;
      __syncthreads();
      sums[t] += add;
      __syncthreads();
    }
    if (base + t < n)
      counts[base + t] = carry + sums[t] - v;
    __syncthreads();
    if (t == block - 1)
      carry += sums[t];
    __syncthreads();
  }
}
__global__ void scatter(const unsigned *keys, const unsigned *values, unsigned *keysOut,
                        unsigned *valuesOut, const unsigned *offsets, int n, int shift) {
  __shared__ unsigned waveCounts[block / 32][16]; // as many as the smallest waves are
  const int t = threadIdx.x, i = blockIdx.x * block + t, wave = t / warpSize, lane = t % warpSize;
  const unsigned digit = i < n ? keys[i] >> shift & 15 : 16;
  unsigned rank = 0;
  for (unsigned d = 0; d < 16; ++d) { // peers with my digit before me in my wave
    const unsigned long long peers = __ballot(digit == d);
    if (digit == d)
      rank = __popcll(peers & ((1ull << lane) - 1));
    if (lane == 0)
      waveCounts[wave][d] = __popcll(peers);
  }
  __syncthreads();
  if (i < n) {
    unsigned to = offsets[digit * gridDim.x + blockIdx.x] + rank;
    for (int w = 0; w < wave; ++w)
      to += waveCounts[w][digit];
    keysOut[to] = keys[i];
    valuesOut[to] = values[i];
  }
}

static void sortPairs(std::vector<unsigned> &keys, std::vector<unsigned> &values) {
  const int n = int(keys.size()), blocks = (n + block - 1) / block;
  Device<unsigned> k0(keys), v0(values), k1(n), v1(n), counts(16 * blocks);
  unsigned *from[2] = {k0, v0}, *to[2] = {k1, v1};
  for (int shift = 0; shift < 32; shift += 4) {
    histogram<<<blocks, block>>>(from[0], counts, n, shift);
    exclusiveScan<<<1, block>>>(counts, 16 * blocks);
    scatter<<<blocks, block>>>(from[0], from[1], to[0], to[1], counts, n, shift);
    std::swap(from[0], to[0]);
    std::swap(from[1], to[1]);
  }
  keys = k0.host(); // eight passes: back where they began
  values = v0.host();
}

static void check(const char *what, const std::vector<unsigned> &keys) {
  std::vector<unsigned> order(keys.size()), k = keys;
  std::iota(order.begin(), order.end(), 0u);
  auto v = order;
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  std::vector<unsigned> wantKeys;
  for (unsigned at : order)
    wantKeys.push_back(keys[at]);
  sortPairs(k, v);
  expectSame(what, k, wantKeys);
  expectSame(what, v, order);
}

int main() {
  Random random(1);
  std::vector<unsigned> any(7001);
  for (unsigned &k : any)
    k = unsigned(random.next());
  check("any keys", any);
  check("few keys", randomBelow<unsigned>(5000, 7, 2)); // stability is visible here
  std::vector<unsigned> floats(3000);
  for (unsigned &k : floats) {
    const float f = float(random.in(-1000, 1000));
    std::memcpy(&k, &f, 4);
    k = k >> 31 ? ~k : k | 0x80000000u;
  }
  check("floats", floats);
  check("one key", {42u});
  return verdict();
}
