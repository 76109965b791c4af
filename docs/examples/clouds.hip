// Cloud physics in a weather model: where air holds more water than it can, the rest becomes droplets
// above freezing and ice crystals below. Each cell solves for temperature and vapour by Newton's
// method; droplets and ice have formulas of the same shape with other constants. Near the freezing
// level the cells of a wave disagree.
//
//   clouds [STEPS]     prints PASS when temperature and vapour are those that the host computes
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                                    \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));                          \
      return 3;                                                                                    \
    }                                                                                              \
  } while (0)

constexpr int kCells = 32768, kNewtonSteps = 4;

/// One cell: temperature in K, vapour, droplets and ice in kg per kg of air.
struct Air {
  float temperature, vapour, droplets, ice;
};

/// Over water: Magnus' formula, condensation heats by 2.5e6 J/kg.
__device__ void condense(Air &air, float pressure) {
  float temperature = air.temperature, vapour = air.vapour;
  for (int n = 0; n < kNewtonSteps; ++n) {
    const float celsius = temperature - 273.15f, scale = 1 / (celsius + 243.12f);
    const float saturated = 0.622f * 611.2f * __expf(17.62f * celsius * scale) / pressure;
    const float slope = saturated * 17.62f * 243.12f * scale * scale;
    const float excess = (vapour - saturated) / (1 + 2488.0f * slope);
    temperature += 2488.0f * excess;
    vapour -= excess;
  }
  air.droplets += air.vapour - vapour;
  air.temperature = temperature;
  air.vapour = vapour;
}

/// Over ice: other constants, and deposition heats by 2.83e6 J/kg.
__device__ void deposit(Air &air, float pressure) {
  float temperature = air.temperature, vapour = air.vapour;
  for (int n = 0; n < kNewtonSteps; ++n) {
    const float celsius = temperature - 273.15f, scale = 1 / (celsius + 272.62f);
    const float saturated = 0.622f * 611.2f * __expf(22.46f * celsius * scale) / pressure;
    const float slope = saturated * 22.46f * 272.62f * scale * scale;
    const float excess = (vapour - saturated) / (1 + 2816.0f * slope);
    temperature += 2816.0f * excess;
    vapour -= excess;
  }
  air.ice += air.vapour - vapour;
  air.temperature = temperature;
  air.vapour = vapour;
}

__global__ void adjust(Air *cells, const float *pressures) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Air air = cells[i];
  if (air.temperature > 273.15f)
    condense(air, pressures[i]);
  else
    deposit(air, pressures[i]);
  cells[i] = air;
}

/// The same in double precision, both phases by one function.
static void onHost(double &temperature, double &vapour, double pressure) {
  const bool warm = temperature > 273.15f;
  const double a = warm ? 17.62 : 22.46, b = warm ? 243.12 : 272.62, heat = warm ? 2488 : 2816;
  for (int n = 0; n < 20; ++n) {
    const double celsius = temperature - 273.15;
    const double saturated = 0.622 * 611.2 * std::exp(a * celsius / (celsius + b)) / pressure;
    const double slope = saturated * a * b / ((celsius + b) * (celsius + b));
    const double excess = (vapour - saturated) / (1 + heat * slope);
    temperature += heat * excess;
    vapour -= excess;
  }
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 4;
  std::vector<Air> cells(kCells), result(kCells);
  std::vector<float> pressures(kCells);
  unsigned state = 3;
  auto random = [&] { return float((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f; };
  for (int i = 0; i < kCells; ++i) { // turbulent air around the freezing level
    cells[i] = {273.15f + 12 * (random() - 0.5f), 0.006f + 0.004f * random(), 0, 0};
    pressures[i] = 70000 + 10000 * random();
  }
  Air *dCells;
  float *dPressures;
  CHECK(hipMalloc(&dCells, kCells * sizeof(Air)));
  CHECK(hipMalloc(&dPressures, kCells * sizeof(float)));
  CHECK(hipMemcpy(dPressures, pressures.data(), kCells * sizeof(float), hipMemcpyHostToDevice));
  double worst = 0;
  for (int s = 0; s < steps; ++s) {
    for (Air &air : cells) // each step begins with other air
      air.vapour = 0.006f + 0.004f * random();
    CHECK(hipMemcpy(dCells, cells.data(), kCells * sizeof(Air), hipMemcpyHostToDevice));
    adjust<<<dim3(kCells / 256), dim3(256)>>>(dCells, dPressures);
    CHECK(hipMemcpy(result.data(), dCells, kCells * sizeof(Air), hipMemcpyDeviceToHost));
    for (int i = 0; i < kCells; ++i) {
      double temperature = cells[i].temperature, vapour = cells[i].vapour;
      onHost(temperature, vapour, pressures[i]);
      worst = std::max(
          {worst, std::fabs(result[i].temperature - temperature) / temperature,
           std::fabs(result[i].vapour - vapour) / vapour,
           std::fabs(double(result[i].droplets + result[i].ice) - (cells[i].vapour - vapour)) /
               cells[i].vapour});
    }
  }
  std::printf("clouds: %d steps, worst relative difference %.1e: %s\n", steps, worst,
              worst < 1e-4 ? "PASS" : "FAIL");
  return worst < 1e-4 ? 0 : 1;
}
