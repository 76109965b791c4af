// Stencil: the seven-point Jacobi step in three dimensions, after Parboil: a thread per column that
// walks down the planes; the threads at the border do nothing.
#include "harness.h"

__global__ void jacobi(const float *from, float *to, int nx, int ny, int nz, float c0, float c1) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1)
    return;
  const int plane = nx * ny;
  int at = plane + y * nx + x;
  float above = from[at - plane], centre = from[at];
  for (int z = 1; z < nz - 1; ++z, at += plane) {
    const float below = from[at + plane];
    to[at] = (from[at - 1] + from[at + 1] + from[at - nx] + from[at + nx] + above + below) * c1 -
             centre * c0;
    above = centre;
    centre = below;
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {64, 1024, "columns"});
  bench::Verdicts verdicts("stencil");
  const int nx = static_cast<int>(o.size), ny = 32, nz = 16;
  bench::Random random(o.seed);
  std::vector<float> from(nx * ny * nz), want;
  for (float &v : from)
    v = random.unit();
  want = from;
  const float c0 = 1.0f / 6, c1 = 1.0f / 36;
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const int at = (z * ny + y) * nx + x, p = nx * ny;
        want[at] = static_cast<float>((double(from[at - 1]) + from[at + 1] + from[at - nx] +
                                       from[at + nx] + from[at - p] + from[at + p]) *
                                          c1 -
                                      double(from[at]) * c0);
      }
  bench::DeviceBuffer<float> a(from), b(from);
  jacobi<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(a.get(), b.get(), nx, ny, nz, c0, c1);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("n=" + std::to_string(nx), b.download(), want, 1e-6);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
