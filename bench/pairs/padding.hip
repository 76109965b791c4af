// Images of 7 x 7 with a margin of 3 (HIP performance optimization on Vega 64, 2.13): one channel a
// thread, 16 channels a thread by way of an array that the compiler keeps in scratch memory, and 16
// in registers. There the array is in scratch because its loops' ends are arguments; this compiler
// would hold 16 floats in registers all the same, so that here the array is a little larger than it
// holds, and the bound of 1,024 threads leaves it no room in LDS.
#include "bench/pairs/pair.h"

namespace {

constexpr int inner = 7, margin = 3, outer = inner + 2 * margin, channels = 1024;

__global__ __launch_bounds__(1024) void pad(const float *__restrict__ in, float *__restrict__ out,
                                            int each, int all, int h, int w, int edge) {
  const int pixel = threadIdx.x, first = each * blockIdx.y, image = blockIdx.z;
  float held[17];
  if (pixel >= h * w)
    return;
  const int y = pixel / w - edge, x = pixel % w - edge, inW = w - 2 * edge, inH = h - 2 * edge;
  for (int i = 0; i < 16; ++i)
    held[i] = 0;
  if (x >= 0 && x < inW && y >= 0 && y < inH) {
    const int from = (image * all + first) * inH * inW + y * inW + x;
    for (int i = 0; i < each; ++i)
      held[i] = in[from + i * inH * inW];
  }
  const int to = (image * all + first) * h * w + pixel;
  for (int i = 0; i < each; ++i)
    out[to + i * h * w] = held[i];
}

__global__ void padInRegisters(const float *__restrict__ in, float *__restrict__ out) {
  constexpr int each = 16;
  const int pixel = threadIdx.x, first = each * blockIdx.y, image = blockIdx.z;
  if (pixel >= outer * outer)
    return;
  const int y = pixel / outer - margin, x = pixel % outer - margin;
  float held[each] = {};
  if (x >= 0 && x < inner && y >= 0 && y < inner) {
    const int from = (image * channels + first) * inner * inner + y * inner + x;
#pragma unroll
    for (int i = 0; i < each; ++i)
      held[i] = in[from + i * inner * inner];
  }
  const int to = (image * channels + first) * outer * outer + pixel;
#pragma unroll
  for (int i = 0; i < each; ++i)
    out[to + i * outer * outer] = held[i];
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"one", "sixteen", "registers"},
                         {{"images", 1, "of 1024 channels"}});
  const int images = int(side["images"]);
  const auto in = bench::unitNumbers<float>(size_t(images) * channels * inner * inner);
  std::vector<float> want(size_t(images) * channels * outer * outer, 0);
  for (size_t c = 0; c < size_t(images) * channels; ++c)
    for (int y = 0; y < inner; ++y)
      for (int x = 0; x < inner; ++x)
        want[(c * outer + y + margin) * outer + x + margin] = in[(c * inner + y) * inner + x];
  bench::DeviceBuffer<float> dIn(in), dOut(want.size());
  const int each = side.is("one") ? 1 : 16;
  const dim3 grid(1, channels / each, images);
  if (side.is("registers"))
    padInRegisters<<<grid, 256>>>(dIn.get(), dOut.get());
  else
    pad<<<grid, 256>>>(dIn.get(), dOut.get(), each, channels, outer, outer, margin);
  bench::finish();
  bench::Verdicts verdicts("padding");
  verdicts.expectEqual(side.name(), dOut.download(), want);
  return verdicts.exitCode();
}
