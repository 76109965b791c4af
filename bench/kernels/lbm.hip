// LBM: one step of a lattice-Boltzmann fluid on the D2Q9 lattice, after Parboil's D3Q19: cells that
// are obstacles reflect what streams into them, the others relax towards equilibrium; whether a
// cell is an obstacle differs from thread to thread.
#include "harness.h"

__device__ inline void relax(float *f, float omega) {
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  float density = 0, ux = 0, uy = 0;
  for (int i = 0; i < 9; ++i) {
    density += f[i];
    ux += f[i] * static_cast<float>(ex[i]);
    uy += f[i] * static_cast<float>(ey[i]);
  }
  ux /= density;
  uy /= density;
  const float square = 1.5f * (ux * ux + uy * uy);
  for (int i = 0; i < 9; ++i) {
    const float e = 3 * (static_cast<float>(ex[i]) * ux + static_cast<float>(ey[i]) * uy);
    f[i] += omega * (weight[i] * density * (1 + e + 0.5f * e * e - square) - f[i]);
  }
}

__global__ void step(const float *from, float *to, const unsigned char *solid, int width,
                     int height, float omega) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width)
    return;
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int cells = width * height, at = y * width + x;
  float f[9];
  for (int i = 0; i < 9; ++i) {
    const int sx = (x - ex[i] + width) % width, sy = (y - ey[i] + height) % height;
    f[i] = from[i * cells + sy * width + sx];
  }
  if (solid[at]) {
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    for (int i = 0; i < 9; ++i)
      to[opposite[i] * cells + at] = f[i];
  } else {
    relax(f, omega);
    for (int i = 0; i < 9; ++i)
      to[i * cells + at] = f[i];
  }
}

/// The same in double, from the textbook's form of the equilibrium.
static void reference(double *f, double omega) {
  double density = 0, momentum[2] = {0, 0};
  for (int i = 0; i < 9; ++i)
    density += f[i];
  momentum[0] = f[1] + f[5] + f[8] - f[3] - f[6] - f[7];
  momentum[1] = f[2] + f[5] + f[6] - f[4] - f[7] - f[8];
  const double u = momentum[0] / density, v = momentum[1] / density;
  const double along[9] = {0, u, v, -u, -v, u + v, v - u, -u - v, u - v};
  for (int i = 0; i < 9; ++i) {
    const double weight = i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
    const double equilibrium =
        weight * density * (1 + 3 * along[i] + 4.5 * along[i] * along[i] - 1.5 * (u * u + v * v));
    f[i] = (1 - omega) * f[i] + omega * equilibrium;
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {128, 4000, "columns"});
  bench::Verdicts verdicts("lbm");
  const int width = static_cast<int>(o.size), height = 24, cells = width * height;
  bench::Random random(o.seed);
  std::vector<float> from(9 * cells), want(9 * cells);
  std::vector<unsigned char> solid(cells);
  for (float &v : from)
    v = 0.05f + 0.1f * random.unit();
  for (auto &s : solid)
    s = random.below(5) == 0;
  const float omega = 1.2f;
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double f[9];
      for (int i = 0; i < 9; ++i)
        f[i] =
            from[i * cells + (y - ey[i] + height) % height * width + (x - ex[i] + width) % width];
      const int at = y * width + x;
      if (!solid[at])
        reference(f, 1.2);
      for (int i = 0; i < 9; ++i) { // a reflected value leaves against the way it came
        int to = i;
        if (solid[at])
          for (int k = 0; k < 9; ++k)
            if (ex[k] == -ex[i] && ey[k] == -ey[i])
              to = k;
        want[to * cells + at] = static_cast<float>(f[i]);
      }
    }
  bench::DeviceBuffer<float> a(from), b(9 * cells);
  bench::DeviceBuffer<unsigned char> dSolid(solid);
  step<<<dim3((width + 127) / 128, height), dim3(128)>>>(a.get(), b.get(), dSolid.get(), width,
                                                         height, omega);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("width=" + std::to_string(width), b.download(), want, 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
