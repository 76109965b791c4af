// Moving data: transposes (naive, tiled with and without bank conflicts, in place, rectangular),
// stream compaction and partition by ballots and scans, packed records
// split into arrays (unaligned loads), byte swaps.
#include "check.h"

__global__ void naive(const float *in, float *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}
template <int pad> __global__ void tiled(const float *in, float *out, int w, int h) {
  __shared__ float tile[32][32 + pad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w)
      out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void inPlace(float *a, int n) { // pairs of tiles across the diagonal
  __shared__ float one[16][17], two[16][17];
  if (blockIdx.x < blockIdx.y)
    return;
  const int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16, c = blockIdx.x * 16;
  one[y][x] = a[(r + y) * n + c + x];
  two[y][x] = a[(c + y) * n + r + x];
  __syncthreads();
  a[(c + y) * n + r + x] = one[x][y];
  a[(r + y) * n + c + x] = two[x][y];
}

/// Keeps order: kept elements from the front, the others after all kept (one workgroup).
__global__ void partition(const int *in, int *out, int *kept, int n) {
  __shared__ int waves[256 / 32], base, rest; // as many as the smallest waves are
  const int t = threadIdx.x, wave = t / warpSize;
  if (t == 0)
    base = 0, rest = 0;
  __syncthreads();
  int total = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int at = 0; at < n; at += 256) {
      const bool valid = at + t < n;
      const int v = valid ? in[at + t] : 0;
      const bool mine = valid && ((v % 3 == 0) == (pass == 0));
      const unsigned long long ballot = __ballot(mine);
      const int rank = __popcll(ballot & ((1ull << __lane_id()) - 1));
      if (t % warpSize == 0)
        waves[wave] = __popcll(ballot);
      __syncthreads();
      int before = base;
      for (int w = 0; w < wave; ++w)
        before += waves[w];
      if (mine)
        out[before + rank] = v;
      __syncthreads();
      if (t == 0) {
        for (int w = 0; w < 256 / warpSize; ++w)
          base += waves[w];
        if (pass == 0)
          rest = base;
      }
      __syncthreads();
      total = rest;
    }
  if (t == 0)
    *kept = total;
}

struct __attribute__((packed)) Record {
  uint8_t kind;
  uint32_t value; // at an odd address
  uint16_t count;
};
__global__ void split(const Record *in, uint8_t *kinds, uint32_t *values, uint16_t *counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Record r = in[i];
  kinds[i] = r.kind;
  values[i] = __builtin_bswap32(r.value);
  counts[i] = __builtin_bswap16(r.count);
}

int main() {
  const int w = 77, h = 53;
  const auto image = randomIn<float>(w * h, 0, 1, 1);
  std::vector<float> want(w * h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      want[x * h + y] = image[y * w + x];
  Device<float> in(image), a(w * h), b(w * h), c(w * h);
  naive<<<dim3(5, 4), dim3(16, 16)>>>(in, a, w, h);
  tiled<0><<<dim3(3, 2), dim3(32, 8)>>>(in, b, w, h);
  tiled<1><<<dim3(3, 2), dim3(32, 8)>>>(in, c, w, h);
  expectSame("naive", a.host(), want);
  expectSame("bank conflicts", b.host(), want);
  expectSame("padded", c.host(), want);
  const int n = 64;
  const auto square = randomIn<float>(n * n, 0, 1, 2);
  Device<float> s(square);
  inPlace<<<dim3(4, 4), dim3(16, 16)>>>(s, n);
  want.resize(n * n);
  for (int i = 0; i < n * n; ++i)
    want[i] = square[i % n * n + i / n];
  expectSame("in place", s.host(), want);

  const int count = 3001;
  const auto list = randomBelow<int>(count, 100000, 3);
  Device<int> source(list), out(count), kept(1);
  partition<<<1, 256>>>(source, out, kept, count);
  std::vector<int> front, back;
  for (int v : list)
    (v % 3 == 0 ? front : back).push_back(v);
  EXPECT(kept.host()[0] == int(front.size()));
  front.insert(front.end(), back.begin(), back.end());
  expectSame("partition", out.host(), front);

  Random random(4);
  std::vector<Record> records(count);
  std::vector<uint8_t> kinds;
  std::vector<uint32_t> values;
  std::vector<uint16_t> counts;
  for (Record &r : records) {
    r = {uint8_t(random.next()), uint32_t(random.next()), uint16_t(random.next())};
    kinds.push_back(r.kind);
    values.push_back(__builtin_bswap32(r.value));
    counts.push_back(__builtin_bswap16(r.count));
  }
  Device<Record> dRecords(records);
  Device<uint8_t> dKinds(count);
  Device<uint32_t> dValues(count);
  Device<uint16_t> dCounts(count);
  split<<<(count + 255) / 256, 256>>>(dRecords, dKinds, dValues, dCounts, count);
  expectSame("kinds", dKinds.host(), kinds);
  expectSame("values", dValues.host(), values);
  expectSame("counts", dCounts.host(), counts);
  return verdict();
}
