// Matrix multiplication, tiled through LDS, f32, f64 and f16 with f32 sums, sizes that do not
// divide by the tile. Every product and sum is rounded in the same order as on the host: bit for
// bit.
#include "check.h"

#include <hip/hip_fp16.h>

constexpr int tile = 16;

__device__ float wide(float v) { return v; }
__device__ double wide(double v) { return v; }
__device__ float wide(__half v) { return __half2float(v); }

template <class T, class Sum>
__global__ void multiply(const T *a, const T *b, Sum *c, int m, int n, int k) {
  __shared__ Sum as[tile][tile], bs[tile][tile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  Sum sum = 0;
  for (int base = 0; base < k; base += tile) {
    as[y][x] = row < m && base + x < k ? wide(a[row * k + base + x]) : Sum(0);
    bs[y][x] = base + y < k && column < n ? wide(b[(base + y) * n + column]) : Sum(0);
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum = fma(as[y][i], bs[i][x], sum);
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

/// Each thread computes a 4 x 4 patch from registers: the other usual shape.
__global__ void multiplyPatches(const float *a, const float *b, float *c, int n) {
  const int row = (blockIdx.y * 8 + threadIdx.y) * 4, column = (blockIdx.x * 8 + threadIdx.x) * 4;
  float sum[4][4] = {};
  for (int k = 0; k < n; ++k) {
    const float4 v = *reinterpret_cast<const float4 *>(&b[k * n + column]);
    for (int i = 0; i < 4; ++i) {
      const float u = a[(row + i) * n + k];
      sum[i][0] = fmaf(u, v.x, sum[i][0]);
      sum[i][1] = fmaf(u, v.y, sum[i][1]);
      sum[i][2] = fmaf(u, v.z, sum[i][2]);
      sum[i][3] = fmaf(u, v.w, sum[i][3]);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(row + i) * n + column + j] = sum[i][j];
}

template <class Sum>
static std::vector<Sum> reference(const std::vector<Sum> &a, const std::vector<Sum> &b, int m,
                                  int n, int k) {
  std::vector<Sum> c(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      Sum sum = 0;
      for (int l = 0; l < k; ++l)
        sum = std::fma(a[i * k + l], b[l * n + j], sum);
      c[i * n + j] = sum;
    }
  return c;
}

int main() {
  const int m = 45, n = 70, k = 39;
  const dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile), threads(tile, tile);
  {
    const auto a = randomIn<float>(m * k, -2, 2, 1), b = randomIn<float>(k * n, -2, 2, 2);
    Device<float> da(a), db(b), c(m * n);
    multiply<float, float><<<grid, threads>>>(da, db, c, m, n, k);
    expectSame("f32", c.host(), reference(a, b, m, n, k));
  }
  {
    const auto a = randomIn<double>(m * k, -2, 2, 3), b = randomIn<double>(k * n, -2, 2, 4);
    Device<double> da(a), db(b), c(m * n);
    multiply<double, double><<<grid, threads>>>(da, db, c, m, n, k);
    expectSame("f64", c.host(), reference(a, b, m, n, k));
  }
  {
    // multiples of 1/64 below 4: exact in f16
    std::vector<float> a(m * k), b(k * n);
    Random random(5);
    for (auto *v : {&a, &b})
      for (float &f : *v)
        f = (int(random.below(512)) - 256) / 64.0f;
    std::vector<__half> ha, hb;
    for (float f : a)
      ha.push_back(__float2half(f));
    for (float f : b)
      hb.push_back(__float2half(f));
    Device<__half> da(ha), db(hb);
    Device<float> c(m * n);
    multiply<__half, float><<<grid, threads>>>(da, db, c, m, n, k);
    expectSame("f16", c.host(), reference(a, b, m, n, k));
  }
  const int size = 64;
  const auto a = randomIn<float>(size * size, -2, 2, 6), b = randomIn<float>(size * size, -2, 2, 7);
  Device<float> da(a), db(b), c(size * size);
  multiplyPatches<<<dim3(2, 2), dim3(8, 8)>>>(da, db, c, size);
  expectSame("patches", c.host(), reference(a, b, size, size, size));
  return verdict();
}
