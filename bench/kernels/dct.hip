// DCT: in-place quantisation of a plane of DCT coefficients; positive and negative values round
// differently.
#include "harness.h"

#include <cmath>

__global__ void quantisePlane(short *plane, const short *matrix, unsigned stride) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  const short q = matrix[(y % 8) * 8 + x % 8];
  short value = plane[y * stride + x];
  if (value < 0) {
    value = static_cast<short>(-value);
    value = static_cast<short>(value + q / 2);
    value = static_cast<short>(value / q);
    value = static_cast<short>(-value);
  } else {
    value = static_cast<short>(value + q / 2);
    value = static_cast<short>(value / q);
  }
  plane[y * stride + x] = static_cast<short>(value * q);
}

/// The nearest multiple of q, a tie away from zero.
static short quantised(short value, short q) {
  return static_cast<short>(std::lround(double(value) / q) * q);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {128, 512, "rows and columns"});
  bench::Verdicts verdicts("dct");
  const unsigned side = static_cast<unsigned>(o.sizeInMultiplesOf(16));
  for (unsigned edge : {4u, 8u, 16u}) {
    if (o.block && o.block != edge)
      continue;
    bench::Random random(o.seed);
    std::vector<short> plane(side * side), matrix(64);
    for (short &v : plane)
      v = static_cast<short>(static_cast<int>(random.below(4001)) - 2000);
    for (short &v : matrix)
      v = static_cast<short>(1 + random.below(120));
    bench::DeviceBuffer<short> dPlane(plane), dMatrix(matrix);
    quantisePlane<<<dim3(side / edge, side / edge), dim3(edge, edge)>>>(dPlane.get(), dMatrix.get(),
                                                                        side);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    for (unsigned y = 0; y < side; ++y)
      for (unsigned x = 0; x < side; ++x)
        plane[y * side + x] = quantised(plane[y * side + x], matrix[(y % 8) * 8 + x % 8]);
    verdicts.expectEqual("side=" + std::to_string(side) + " block=" + std::to_string(edge) + "x" +
                             std::to_string(edge),
                         dPlane.download(), plane);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
