// Mandelbrot set: every pixel iterates until it escapes. The second pattern, "bands", gives
// neighbouring pixels the set and its mirror, the burning ship: two loops that are nearly the same.
#include "harness.h"

constexpr int most = 120;

template <bool Bands> __global__ void escape(int *out, int width, float step) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width)
    return;
  // Multiples of small powers of two: every product is exact for the first steps, and the host
  // computes in the same order without contraction.
  const float cx = -2.0f + static_cast<float>(x) * step, cy = -1.25f + static_cast<float>(y) * step;
  float zx = 0, zy = 0;
  int i = 0;
  if (Bands && (x & 1)) {
    for (; i < most; ++i) {
      const float xx = __fmul_rn(zx, zx), yy = __fmul_rn(zy, zy);
      if (__fadd_rn(xx, yy) > 4)
        break;
      zy = __fadd_rn(2 * __fmul_rn(fabsf(zx), fabsf(zy)), cy);
      zx = __fadd_rn(__fsub_rn(xx, yy), cx);
    }
  } else {
    for (; i < most; ++i) { // divergent: loop
      const float xx = __fmul_rn(zx, zx), yy = __fmul_rn(zy, zy);
      if (__fadd_rn(xx, yy) > 4)
        break;
      zy = __fadd_rn(2 * __fmul_rn(zx, zy), cy);
      zx = __fadd_rn(__fsub_rn(xx, yy), cx);
    }
  }
  out[y * width + x] = i;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {128, 1024, "columns, a power of two"}, {"set", "bands"});
  bench::Verdicts verdicts("mandelbrot");
  int width = static_cast<int>(std::max<size_t>(o.size, 4));
  while (width & (width - 1)) // steps have to be exact
    width &= width - 1;
  const int height = width / 4;
  const float step = 2.5f / static_cast<float>(width);
  const bool bands = o.pattern == "bands";
  std::vector<int> want;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      volatile float zx = 0, zy = 0; // volatile: no contraction, every operation rounds
      volatile float px = static_cast<float>(x) * step, py = static_cast<float>(y) * step;
      const float cx = -2.0f + px, cy = -1.25f + py;
      int i = 0;
      for (; i < most; ++i) {
        volatile float xx = zx * zx, yy = zy * zy, norm = xx + yy;
        if (norm > 4)
          break;
        volatile float product = zx * zy;
        if (bands && (x & 1) && product < 0)
          product = -product;
        volatile float difference = xx - yy;
        zy = 2 * product + cy;
        zx = difference + cx;
      }
      want.push_back(i);
    }
  bench::DeviceBuffer<int> out(want.size());
  const dim3 grid((width + 63) / 64, height), block(64);
  if (bands)
    escape<true><<<grid, block>>>(out.get(), width, step);
  else
    escape<false><<<grid, block>>>(out.get(), width, step);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("width=" + std::to_string(width) + " pattern=" + o.pattern, out.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
