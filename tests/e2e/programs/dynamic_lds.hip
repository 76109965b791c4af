// Local memory: dynamic LDS carved into arrays of several types and alignments, static beside
// dynamic, up to all 64 KiB, bytes and shorts packed by neighbours, wide (128-bit) accesses, and
// values that survive barriers in loops of different length per workgroup.
#include "check.h"

#include <algorithm>

extern __shared__ char dynamicBytes[];

__global__ void carve(const int *in, double *out, int n) {
  __shared__ int fixed[64];
  double *d = reinterpret_cast<double *>(dynamicBytes);
  int *i32 = reinterpret_cast<int *>(d + n);
  short *i16 = reinterpret_cast<short *>(i32 + n);
  unsigned char *i8 = reinterpret_cast<unsigned char *>(i16 + n);
  const int t = threadIdx.x, mirror = n - 1 - t;
  d[t] = in[t] * 0.5;
  i32[t] = in[t] * 3;
  i16[t] = short(in[t]);
  i8[t] = static_cast<unsigned char>(in[t]);
  if (t < 64)
    fixed[t] = in[t] + 1;
  __syncthreads();
  out[t] = d[mirror] + i32[mirror] + i16[mirror] + i8[mirror] + fixed[mirror & 63];
}

/// The largest workgroup memory: every word written by one thread, read by another.
__global__ void fillAll(unsigned *out, int words) {
  unsigned *w = reinterpret_cast<unsigned *>(dynamicBytes);
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    w[i] = i * 2654435761u;
  __syncthreads();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    sum += w[(i * 5 + 3) % words] ^ i;
  out[threadIdx.x] = sum;
}

__global__ void wide(const float4 *in, float4 *out) {
  float4 *tile = reinterpret_cast<float4 *>(dynamicBytes);
  const int t = threadIdx.x, n = blockDim.x;
  tile[t] = in[t];
  __syncthreads();
  float4 v = tile[(t * 7 + 1) % n];
  const float3 *triples = reinterpret_cast<const float3 *>(tile);
  v.w += triples[t].y; // 12-byte elements
  out[t] = v;
}

/// Collatz in LDS: workgroups pass different numbers of barriers.
__global__ void rounds(const int *in, int *out) {
  int *a = reinterpret_cast<int *>(dynamicBytes);
  const int t = threadIdx.x, n = blockDim.x, passes = 1 + blockIdx.x % 7;
  a[t] = in[blockIdx.x * n + t];
  for (int p = 0; p < passes; ++p) {
    __syncthreads();
    const int v = a[(t + 1) % n];
    __syncthreads();
    a[t] = v & 1 ? 3 * v + 1 : v / 2;
  }
  out[blockIdx.x * n + t] = a[t];
}

int main() {
  for (int n : {64, 100, 256}) {
    const auto in = randomBelow<int>(n, 30000, n);
    Device<int> source(in);
    Device<double> out(n);
    carve<<<1, n, n * (8 + 4 + 2 + 1)>>>(source, out, n);
    std::vector<double> want(n);
    for (int t = 0; t < n; ++t) {
      const int m = n - 1 - t;
      want[t] = in[m] * 0.5 + in[m] * 3 + short(in[m]) + static_cast<unsigned char>(in[m]) +
                (in[m & 63] + 1);
    }
    expectSame("carved", out.host(), want);
  }

  const int words = 65536 / 4;
  Device<unsigned> sums(1024);
  fillAll<<<1, 1024, 65536>>>(sums, words);
  std::vector<unsigned> wantSums(1024, 0);
  for (int i = 0; i < words; ++i)
    wantSums[i % 1024] += (unsigned((i * 5 + 3) % words) * 2654435761u) ^ unsigned(i);
  expectSame("64 KiB", sums.host(), wantSums);

  const int n = 192;
  const auto floats = randomIn<float>(4 * n, -8, 8, 3);
  std::vector<float4> values(n), wantWide(n);
  std::memcpy(values.data(), floats.data(), n * sizeof(float4));
  for (int t = 0; t < n; ++t) {
    wantWide[t] = values[(t * 7 + 1) % n];
    wantWide[t].w += floats[3 * t + 1];
  }
  Device<float4> in4(values), out4(n);
  wide<<<1, n, n * sizeof(float4)>>>(in4, out4);
  expectSame("wide", out4.host(), wantWide);

  const int blocks = 9, threads = 90;
  auto state = randomBelow<int>(blocks * threads, 1000, 7);
  Device<int> start(state), end(blocks * threads);
  rounds<<<blocks, threads, threads * sizeof(int)>>>(start, end);
  for (int b = 0; b < blocks; ++b)
    for (int p = 0; p < 1 + b % 7; ++p) {
      std::vector<int> next(threads);
      for (int t = 0; t < threads; ++t) {
        const int v = state[b * threads + (t + 1) % threads];
        next[t] = v & 1 ? 3 * v + 1 : v / 2;
      }
      std::copy(next.begin(), next.end(), state.begin() + b * threads);
    }
  expectSame("rounds", end.host(), state);
  return verdict();
}
