// HEVC-like intra prediction: a block of 8 by 8 threads predicts a picture block from its
// neighbours in planar, DC or one of 33 angular modes. The mode is the same in a picture block, but
// several picture blocks share a wave's workgroup; horizontal and vertical angles are mirror
// images.
#include "harness.h"

#include <cmath>
#include <numeric>

constexpr int edge = 8;

__device__ __host__ inline int angleOf(int mode) { // H.265, table 8-5
  const int angles[33] = {32,  26,  21,  17,  13, 9,  5,  2, 0, -2, -5, -9, -13, -17, -21, -26, -32,
                          -26, -21, -17, -13, -9, -5, -2, 0, 2, 5,  9,  13, 17,  21,  26,  32};
  return angles[mode - 2];
}

/// border: 2*edge left neighbours from the bottom up, the corner, 2*edge upper ones.
__device__ inline int predict(const int *border, int mode, int x, int y) {
  const int *left = border + 2 * edge - 1, *top = border + 2 * edge + 1; // left[-y], top[x]
  if (mode == 0)
    return ((edge - 1 - x) * left[-y] + (x + 1) * top[edge] + (edge - 1 - y) * top[x] +
            (y + 1) * left[-edge] + edge) /
           (2 * edge);
  if (mode == 1) {
    int sum = edge;
    for (int i = 0; i < edge; ++i)
      sum += left[-i] + top[i];
    return sum / (2 * edge);
  }
  const int angle = angleOf(mode);
  if (mode >= 18) { // vertical: along the columns, from the row above
    const int at = (y + 1) * angle, whole = at >> 5, part = at & 31;
    const auto reference = [&](int i) { // i = 0 is the corner
      return i >= 0 ? top[i - 1] : left[-((i * 32 + angle / 2) / angle) + 1];
    };
    return ((32 - part) * reference(x + whole + 1) + part * reference(x + whole + 2) + 16) >> 5;
  }
  const int at = (x + 1) * angle, whole = at >> 5, part = at & 31;
  const auto reference = [&](int i) {
    return i >= 0 ? left[-(i - 1)] : top[(i * 32 + angle / 2) / angle - 1];
  };
  return ((32 - part) * reference(y + whole + 1) + part * reference(y + whole + 2) + 16) >> 5;
}

__global__ void intra(const int *borders, const int *modes, int *out) {
  const int block = static_cast<int>(blockIdx.x * blockDim.z + threadIdx.z);
  const int x = threadIdx.x, y = threadIdx.y;
  out[(block * edge + y) * edge + x] =
      predict(borders + block * (4 * edge + 1), modes[block], x, y);
}

/// The same from the other side, as the standard has it (8.4.4.2.4 to 6): planar as the mean of two
/// interpolations, DC over the whole border, angles by an extended reference array.
static int reference(const int *border, int mode, int x, int y) {
  const int *left = border + 2 * edge - 1, *top = border + 2 * edge + 1;
  if (mode == 0) {
    const double across = left[-y] + (top[edge] - left[-y]) * (x + 1.0) / edge;
    const double down = top[x] + (left[-edge] - top[x]) * (y + 1.0) / edge;
    return static_cast<int>(std::floor((across + down) / 2 + 0.5));
  }
  if (mode == 1)
    return static_cast<int>(
        std::floor(std::accumulate(left - edge + 1, left + 1, 0.0) / (2 * edge) +
                   std::accumulate(top, top + edge, 0.0) / (2 * edge) + 0.5));
  const bool vertical = mode >= 18;
  const int angle = angleOf(mode);
  std::vector<int> line(5 * edge + 2);
  int *ref = line.data() + 2 * edge; // ref[0] is the corner
  for (int i = 0; i <= 2 * edge; ++i)
    ref[i] = i == 0 ? top[-1] : vertical ? top[i - 1] : left[-(i - 1)];
  if (angle < 0)
    for (int i = -1; i >= -edge; --i) {
      const int from = (i * 32 + angle / 2) / angle;
      ref[i] = from <= 2 * edge ? (vertical ? left[-(from - 1)] : top[from - 1]) : 0;
    }
  const int along = vertical ? x : y, away = vertical ? y : x;
  const int at = (away + 1) * angle, whole = at >> 5, part = at & 31;
  return ((32 - part) * ref[along + whole + 1] + part * ref[along + whole + 2] + 16) >> 5;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {256, 8192, "picture blocks"});
  bench::Verdicts verdicts("intra");
  const int together = 4, blocks = static_cast<int>(o.sizeInMultiplesOf(together));
  bench::Random random(o.seed);
  std::vector<int> borders(static_cast<size_t>(blocks * (4 * edge + 1))), modes, want;
  for (int &v : borders)
    v = static_cast<int>(random.below(256));
  for (int b = 0; b < blocks; ++b) {
    modes.push_back(static_cast<int>(random.below(35)));
    for (int y = 0; y < edge; ++y)
      for (int x = 0; x < edge; ++x)
        want.push_back(
            reference(&borders[static_cast<size_t>(b * (4 * edge + 1))], modes.back(), x, y));
  }
  bench::DeviceBuffer<int> dBorders(borders), dModes(modes), out(want.size());
  intra<<<dim3(static_cast<unsigned>(blocks / together)), dim3(edge, edge, together)>>>(
      dBorders.get(), dModes.get(), out.get());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("blocks=" + std::to_string(blocks), out.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
