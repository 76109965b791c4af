// Hotspot: temperature of a chip, after Rodinia. Blocks of 16 by 16 threads compute several steps
// on a tile with a halo that shrinks by a ring per step: threads at the ring fall out, and those at
// the chip's edge take their own temperature for the missing neighbour.
#include "harness.h"

constexpr int edge = 16, steps = 2, inner = edge - 2 * steps;

__global__ void hotspot(const float *power, const float *from, float *to, int n) {
  __shared__ float now[edge][edge], after[edge][edge];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = static_cast<int>(blockIdx.x) * inner + tx - steps;
  const int y = static_cast<int>(blockIdx.y) * inner + ty - steps;
  const bool inside = x >= 0 && x < n && y >= 0 && y < n;
  const float heat = inside ? power[y * n + x] : 0;
  if (inside)
    now[ty][tx] = from[y * n + x];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (inside && tx > step && tx < edge - 1 - step && ty > step && ty < edge - 1 - step) {
      const float centre = now[ty][tx];
      const float north = y > 0 ? now[ty - 1][tx] : centre;
      const float south = y < n - 1 ? now[ty + 1][tx] : centre;
      const float west = x > 0 ? now[ty][tx - 1] : centre;
      const float east = x < n - 1 ? now[ty][tx + 1] : centre;
      after[ty][tx] = centre + 0.1f * (heat + (north + south - 2 * centre) * 0.3f +
                                       (east + west - 2 * centre) * 0.2f + (80 - centre) * 0.05f);
    }
    __syncthreads();
    if (inside && tx > step && tx < edge - 1 - step && ty > step && ty < edge - 1 - step)
      now[ty][tx] = after[ty][tx];
    __syncthreads();
  }
  if (inside && tx >= steps && tx < edge - steps && ty >= steps && ty < edge - steps)
    to[y * n + x] = now[ty][tx];
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {100, 512, "rows and columns"});
  bench::Verdicts verdicts("hotspot");
  const int n = static_cast<int>(o.size);
  bench::Random random(o.seed);
  std::vector<float> power(n * n), start(n * n);
  for (float &x : power)
    x = random.unit();
  for (float &x : start)
    x = 70 + 20 * random.unit();
  std::vector<double> temperature(start.begin(), start.end());
  for (int step = 0; step < steps; ++step) {
    const auto old = temperature;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const double c = old[y * n + x];
        const double north = y > 0 ? old[(y - 1) * n + x] : c;
        const double south = y < n - 1 ? old[(y + 1) * n + x] : c;
        const double west = x > 0 ? old[y * n + x - 1] : c;
        const double east = x < n - 1 ? old[y * n + x + 1] : c;
        temperature[y * n + x] = c + 0.1 * (power[y * n + x] + (north + south - 2 * c) * 0.3 +
                                            (east + west - 2 * c) * 0.2 + (80 - c) * 0.05);
      }
  }
  bench::DeviceBuffer<float> dPower(power), dFrom(start), dTo(start);
  const unsigned blocks = static_cast<unsigned>((n + inner - 1) / inner);
  hotspot<<<dim3(blocks, blocks), dim3(edge, edge)>>>(dPower.get(), dFrom.get(), dTo.get(), n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("n=" + std::to_string(n), dTo.download(),
                      std::vector<float>(temperature.begin(), temperature.end()), 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
