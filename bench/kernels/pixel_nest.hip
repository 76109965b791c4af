// Mandelbrot set with several pixels a thread, in a grid-stride loop: every pixel iterates until it
// escapes, and a thread's next one needs two divisions. "skewed" is the set, in which neighbouring
// counts differ by up to 256; "balanced" a square far inside of it, in which nothing escapes.
#include "harness.h"

constexpr int most = 256;

__global__ void pixelNest(int *out, int width, int height, float left, float top, float span) {
#pragma clang fp contract(off) // as the host rounds
  for (int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); p < width * height;
       p += static_cast<int>(gridDim.x * blockDim.x)) {
    const float cx = left + span * static_cast<float>(p % width) / static_cast<float>(width);
    const float cy = top + span * static_cast<float>(p / width) / static_cast<float>(height);
    float zx = 0, zy = 0;
    int i = 0;
    for (; i < most; ++i) { // divergent: loop
      const float xx = zx * zx, yy = zy * zy;
      if (xx + yy >= 4)
        break;
      zy = 2 * (zx * zy) + cy;
      zx = xx - yy + cx;
    }
    out[p] = i;
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {128, 512, "columns, a power of two"},
                                       {"skewed", "balanced"});
  bench::Verdicts verdicts("pixel_nest");
  int width = static_cast<int>(std::max<size_t>(o.size, 32));
  while (width & (width - 1)) // positions have to be exact
    width &= width - 1;
  const bool balanced = o.pattern == "balanced";
  const float left = balanced ? -0.125f : -2.0f, top = balanced ? -0.125f : -1.25f;
  const float span = balanced ? 0.25f : 2.5f;
  std::vector<int> want;
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x) {
      volatile float zx = 0, zy = 0; // volatile: no contraction, every operation rounds
      volatile float px = span * static_cast<float>(x), py = span * static_cast<float>(y);
      volatile float qx = px / static_cast<float>(width), qy = py / static_cast<float>(width);
      const float cx = left + qx, cy = top + qy;
      int i = 0;
      for (; i < most; ++i) {
        volatile float xx = zx * zx, yy = zy * zy, norm = xx + yy;
        if (norm >= 4)
          break;
        volatile float product = zx * zy, difference = xx - yy;
        zy = 2 * product + cy;
        zx = difference + cx;
      }
      want.push_back(i);
    }
  bench::DeviceBuffer<int> out(want.size());
  const unsigned block = o.block ? o.block : 128; // 16 pixels a thread
  const auto groups = std::max(1u, static_cast<unsigned>(want.size()) / (block * 16));
  pixelNest<<<dim3(groups), dim3(block)>>>(out.get(), width, width, left, top, span);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("width=" + std::to_string(width) + " pattern=" + o.pattern, out.download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
