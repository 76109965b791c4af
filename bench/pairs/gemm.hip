// Matrix products as a benchmark for an MI250 takes them further (GEMM benchmark for MI250): sums
// kept in global memory (of ints, as there), tiles of 32 x 32 in LDS, eight results a thread, and
// 4 x 4 results a thread with the next tiles loaded while these are used.
#include "bench/pairs/pair.h"

namespace {

// Blocks of 64 x 16; each step reads and writes the sum.
__global__ void inMemory(const int *a, const int *b, int *c, int n, int depth) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n)
    return;
  c[y * n + x] = 0;
  for (int k = 0; k < depth; ++k)
    c[y * n + x] += a[y * depth + k] * b[k * n + x];
}

__global__ void tiles(const float *a, const float *b, float *c, size_t n, size_t depth) {
  constexpr size_t side = 32;
  __shared__ float as[side * side], bs[side * side];
  const size_t x = threadIdx.x % side, y = threadIdx.x / side;
  const size_t column = blockIdx.x * side + x, line = blockIdx.y * side + y;
  float sum = 0;
  for (size_t at = 0; at < depth; at += side) {
    as[y * side + x] = a[line * depth + at + x];
    bs[y * side + x] = b[(at + y) * n + column];
    __syncthreads();
    for (size_t k = 0; k < side; ++k)
      sum += as[y * side + k] * bs[k * side + x];
    __syncthreads();
  }
  c[line * n + column] = sum;
}

// 512 threads; each has eight rows of a column of a tile of 64 x 64.
__global__ void columns(const float *a, const float *b, float *c, size_t n, size_t depth) {
  constexpr int side = 64, deep = 8, each = 8;
  __shared__ float as[2][side * deep], bs[2][deep * side];
  const int t = threadIdx.x, x = t % side, group = t / side;
  a += blockIdx.y * side * depth;
  b += blockIdx.x * side;
  c += blockIdx.y * side * n + blockIdx.x * side;
  float sums[each] = {};
  int now = 0;
  for (size_t at = 0; at < depth; at += deep, now = 1 - now) {
    as[now][t] = a[t / deep * depth + at + t % deep];
    bs[now][t] = b[(at + group) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < deep; ++k) {
      const float right = bs[now][k * side + x];
#pragma unroll
      for (int r = 0; r < each; ++r)
        sums[r] += as[now][(group * each + r) * deep + k] * right;
    }
    __syncthreads();
  }
  for (int r = 0; r < each; ++r)
    c[(group * each + r) * n + x] = sums[r];
}

// 1,024 threads; each has 4 x 4 results of a tile of 128 x 128.
__global__ __launch_bounds__(1024) void squares(const float *__restrict__ a,
                                                const float *__restrict__ b, float *__restrict__ c,
                                                size_t n, size_t depth) {
  constexpr unsigned side = 128, deep = 16, each = 4, threads = 1024;
  __shared__ float as[2][side * deep], bs[2][deep * side];
  const unsigned t = threadIdx.x, x = t % (side / each), y = t / (side / each);
  a += blockIdx.y * side * depth;
  b += blockIdx.x * side;
  c += blockIdx.y * side * n + blockIdx.x * side;
  const auto load = [&](int to, size_t at) {
    for (unsigned i = t; i < side * deep; i += threads)
      as[to][i] = a[i / deep * depth + at + i % deep];
    for (unsigned i = t; i < deep * side; i += threads)
      bs[to][i] = b[(at + i / side) * n + i % side];
  };
  float sums[each][each] = {};
  load(0, 0);
  __syncthreads();
  int now = 0;
  for (size_t at = 0; at < depth; at += deep, now = 1 - now) {
    if (at + deep < depth)
      load(1 - now, at + deep);
    __syncthreads();
    for (unsigned k = 0; k < deep; ++k) {
      float left[each], right[each];
      for (unsigned i = 0; i < each; ++i) {
        left[i] = as[now][(y * each + i) * deep + k];
        right[i] = bs[now][k * side + x * each + i];
      }
      for (unsigned i = 0; i < each; ++i)
        for (unsigned j = 0; j < each; ++j)
          sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < each; ++i)
    for (unsigned j = 0; j < each; ++j)
      c[(y * each + i) * n + x * each + j] = sums[i][j];
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"memory", "tiles", "columns", "squares"},
                         {{"n", 128, "rows and columns of the result, a multiple of 128"},
                          {"depth", 64, "of the sums, a multiple of 32"}});
  const unsigned n = side.count("n"), depth = side.count("depth");
  if (n % 128 || depth % 32) {
    std::fprintf(stderr, "gemm: n has to be a multiple of 128 and depth of 32\n");
    return 2;
  }
  // Small whole numbers: sums are exact in both types.
  bench::Random random(1);
  std::vector<int> a(size_t(n) * depth), b(a.size()), want(size_t(n) * n, 0);
  for (auto *values : {&a, &b})
    for (int &value : *values)
      value = int(random.below(10));
  for (unsigned y = 0; y < n; ++y)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned x = 0; x < n; ++x)
        want[y * size_t(n) + x] += a[y * size_t(depth) + k] * b[k * size_t(n) + x];
  bench::Verdicts verdicts("gemm");
  if (side.is("memory")) {
    bench::DeviceBuffer<int> da(a), db(b), dc(want.size());
    inMemory<<<dim3(n / 64, n / 16), dim3(64, 16)>>>(da.get(), db.get(), dc.get(), int(n),
                                                     int(depth));
    bench::finish();
    verdicts.expectEqual(side.name(), dc.download(), want);
    return verdicts.exitCode();
  }
  bench::DeviceBuffer<float> da(std::vector<float>(a.begin(), a.end())),
      db(std::vector<float>(b.begin(), b.end())), dc(want.size());
  if (side.is("tiles"))
    tiles<<<dim3(n / 32, n / 32), 1024>>>(da.get(), db.get(), dc.get(), n, depth);
  else if (side.is("columns"))
    columns<<<dim3(n / 64, n / 64), 512>>>(da.get(), db.get(), dc.get(), n, depth);
  else
    squares<<<dim3(n / 128, n / 128), 1024>>>(da.get(), db.get(), dc.get(), n, depth);
  bench::finish();
  verdicts.expectEqual(side.name(), dc.download(), std::vector<float>(want.begin(), want.end()));
  return verdicts.exitCode();
}
