// Image kernels: Sobel edges (integers, exactly), bilateral filter (exponentials per pixel, within
// a few ulps), bilinear resize without textures, summed-area table, median of nine by a sorting
// network. References: plain host loops.
#include "check.h"

#include <algorithm>

__device__ __host__ inline int clampTo(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

__global__ void sobel(const uint8_t *in, int *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  auto p = [&](int i, int j) { return int(in[clampTo(y + j, h) * w + clampTo(x + i, w)]); };
  const int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
  const int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
  out[y * w + x] = gx * gx + gy * gy;
}
__global__ void bilateral(const uint8_t *in, float *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  const float centre = in[y * w + x];
  float sum = 0, weights = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const float v = in[clampTo(y + j, h) * w + clampTo(x + i, w)], d = v - centre;
      const float weight = expf(-(i * i + j * j) / 8.0f - d * d / 1800.0f);
      sum += v * weight;
      weights += weight;
    }
  out[y * w + x] = sum / weights;
}
__global__ void resize(const uint8_t *in, float *out, int w, int h, int W, int H) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H)
    return;
  const float u = (x + 0.5f) * w / W - 0.5f, v = (y + 0.5f) * h / H - 0.5f;
  const float fu = floorf(u), fv = floorf(v), a = u - fu, b = v - fv;
  auto p = [&](int i, int j) {
    return float(in[clampTo(int(fv) + j, h) * w + clampTo(int(fu) + i, w)]);
  };
  const float top = p(0, 0) * (1 - a) + p(1, 0) * a, bottom = p(0, 1) * (1 - a) + p(1, 1) * a;
  out[y * W + x] = top * (1 - b) + bottom * b;
}
__host__ __device__ inline void order(uint8_t &a, uint8_t &b) {
  const uint8_t low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}
__global__ void median(const uint8_t *in, uint8_t *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  uint8_t v[9];
  for (int k = 0; k < 9; ++k)
    v[k] = in[clampTo(y + k / 3 - 1, h) * w + clampTo(x + k % 3 - 1, w)];
  for (int round = 0; round < 9; ++round) // odd-even transposition
    for (int k = round & 1; k + 1 < 9; k += 2)
      order(v[k], v[k + 1]);
  out[y * w + x] = v[4];
}
__global__ void sumRows(unsigned *a, int w, int h) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < h)
    for (int x = 1; x < w; ++x)
      a[y * w + x] += a[y * w + x - 1];
}
__global__ void sumColumns(unsigned *a, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w)
    for (int y = 1; y < h; ++y)
      a[y * w + x] += a[(y - 1) * w + x];
}

int main() {
  const int w = 90, h = 61, W = 70, H = 97;
  const auto image = randomBelow<uint8_t>(w * h, 256, 1);
  const dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  auto p = [&](int x, int y) { return int(image[clampTo(y, h) * w + clampTo(x, w)]); };
  Device<uint8_t> in(image), middle(w * h);
  Device<int> edges(w * h);
  Device<float> smooth(w * h), resized(W * H);
  sobel<<<grid, block>>>(in, edges, w, h);
  bilateral<<<grid, block>>>(in, smooth, w, h);
  median<<<grid, block>>>(in, middle, w, h);
  resize<<<dim3((W + 15) / 16, (H + 15) / 16), block>>>(in, resized, w, h, W, H);

  std::vector<int> wantEdges;
  std::vector<double> wantSmooth;
  std::vector<uint8_t> wantMiddle;
  std::vector<float> wantResized;
  std::vector<unsigned> area(w * h), wantArea(w * h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int gx = 0, gy = 0;
      double sum = 0, weights = 0;
      uint8_t v[9];
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          gx += i * (2 - j * j) * p(x + i, y + j);
          gy += j * (2 - i * i) * p(x + i, y + j);
          v[(j + 1) * 3 + i + 1] = uint8_t(p(x + i, y + j));
        }
      for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i) {
          const double d = p(x + i, y + j) - p(x, y);
          const double weight = std::exp(-(i * i + j * j) / 8.0 - d * d / 1800);
          sum += p(x + i, y + j) * weight, weights += weight;
        }
      std::nth_element(v, v + 4, v + 9);
      wantEdges.push_back(gx * gx + gy * gy);
      wantSmooth.push_back(sum / weights);
      wantMiddle.push_back(v[4]);
      const int at = y * w + x;
      area[at] = image[at];
      wantArea[at] = image[at] + (x ? wantArea[at - 1] : 0) + (y ? wantArea[at - w] : 0) -
                     (x && y ? wantArea[at - w - 1] : 0);
    }
  for (int y = 0; y < H; ++y)
    for (int x = 0; x < W; ++x) {
      const float u = (x + 0.5f) * w / W - 0.5f, v = (y + 0.5f) * h / H - 0.5f;
      const float fu = std::floor(u), fv = std::floor(v), a = u - fu, b = v - fv;
      const int i = int(fu), j = int(fv);
      const float top = p(i, j) * (1 - a) + p(i + 1, j) * a;
      const float bottom = p(i, j + 1) * (1 - a) + p(i + 1, j + 1) * a;
      wantResized.push_back(top * (1 - b) + bottom * b);
    }
  expectSame("Sobel", edges.host(), wantEdges);
  expectNear("bilateral", smooth.host(), wantSmooth, 1e-6);
  expectSame("median", middle.host(), wantMiddle);
  expectSame("bilinear", resized.host(), wantResized);
  Device<unsigned> table(area);
  sumRows<<<1, 64>>>(table, w, h);
  sumColumns<<<2, 64>>>(table, w, h);
  expectSame("summed area", table.host(), wantArea);
  return verdict();
}
