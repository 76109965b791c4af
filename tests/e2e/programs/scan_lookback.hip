// Prefix sum in one pass with decoupled look-back (Merrill and Garland, 2016): every workgroup
// publishes its sum, then walks back over its predecessors' sums until one has published its whole
// prefix. Workgroups wait for each other, so this also tests forward progress.
#include "check.h"

#include <numeric>

// A status word: flag in the upper half (1: sum of the tile, 2: prefix up to its end), value below.
constexpr unsigned long long kSum = 1ull << 32, kPrefix = 2ull << 32;

__global__ void scan(const unsigned *in, unsigned *out, unsigned long long *status,
                     unsigned *ticket, int n) {
  __shared__ unsigned tile, before, sums[256];
  const unsigned t = threadIdx.x;
  if (t == 0)
    tile = atomicAdd(ticket, 1u); // tiles in the order in which workgroups start
  __syncthreads();
  const unsigned base = (tile * 256 + t) * 4;
  unsigned v[4], sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += v[k] = base + k < unsigned(n) ? in[base + k] : 0;
  sums[t] = sum;
  __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) { // Hillis and Steele
    const unsigned add = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    const unsigned total = sums[255];
    __hip_atomic_store(&status[tile], (tile ? kSum : kPrefix) | total, __ATOMIC_RELEASE,
                       __HIP_MEMORY_SCOPE_AGENT);
    unsigned prefix = 0;
    for (int p = int(tile) - 1; p >= 0;) {
      const unsigned long long s =
          __hip_atomic_load(&status[p], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
      if (s == 0)
        continue; // not published yet
      prefix += unsigned(s);
      p = s & kPrefix ? -1 : p - 1;
    }
    if (tile)
      __hip_atomic_store(&status[tile], kPrefix | (prefix + total), __ATOMIC_RELEASE,
                         __HIP_MEMORY_SCOPE_AGENT);
    before = prefix;
  }
  __syncthreads();
  unsigned running = before + sums[t] - sum;
  for (int k = 0; k < 4; ++k)
    if (base + k < unsigned(n))
      out[base + k] = running += v[k];
}

int main() {
  for (int n : {1, 1023, 1024, 60001}) {
    const auto in = randomBelow<unsigned>(n, 1000, n);
    const int tiles = (n + 1023) / 1024;
    Device<unsigned> source(in), out(n), ticket(std::vector<unsigned>{0});
    Device<unsigned long long> status(std::vector<unsigned long long>(tiles, 0));
    scan<<<tiles, 256>>>(source, out, status, ticket, n);
    std::vector<unsigned> want(n);
    std::partial_sum(in.begin(), in.end(), want.begin());
    expectSame("prefix sums", out.host(), want);
  }
  return verdict();
}
