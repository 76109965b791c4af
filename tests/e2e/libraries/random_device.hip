// rocRAND's device functions in use: Monte Carlo integrals with each device generator, hipRAND's
// names for the same, normal and Poisson numbers in a kernel.
#include "check.h"
#include <cmath>
#include <hiprand/hiprand_kernel.h>
#include <rocrand/rocrand_kernel.h>

constexpr unsigned threads = 128, blocks = 4, samples = 200;

template <typename State> __global__ void circle(unsigned *inside) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  rocrand_init(4711, at, 0, &state);
  unsigned hits = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const float x = rocrand_uniform(&state), y = rocrand_uniform(&state);
    hits += x * x + y * y <= 1;
  }
  atomicAdd(inside, hits);
}

__global__ void gauss(double *sums, unsigned *counts) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  hiprandStatePhilox4_32_10_t state;
  hiprand_init(99, at, 0, &state);
  double sum = 0, squares = 0;
  unsigned poisson = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const double x = hiprand_normal_double(&state);
    sum += x;
    squares += x * x;
    poisson += hiprand_poisson(&state, 4.0);
  }
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], squares);
  atomicAdd(counts, poisson);
}

template <typename State> void pi(const char *name) {
  Device<unsigned> inside(std::vector<unsigned>{0});
  circle<State><<<blocks, threads>>>(inside.get());
  HIP(hipDeviceSynchronize());
  const double n = double(threads) * blocks * samples, p = std::acos(-1.0) / 4;
  if (std::fabs(inside.first() / n - p) > 6 * std::sqrt(p * (1 - p) / n)) {
    std::printf("%s: pi is about %g\n", name, 4 * inside.first() / n);
    ++failures;
  }
}

int main() {
  pi<rocrand_state_xorwow>("xorwow");
  pi<rocrand_state_mrg32k3a>("mrg32k3a");
  pi<rocrand_state_philox4x32_10>("philox");

  Device<double> sums(std::vector<double>{0, 0});
  Device<unsigned> counts(std::vector<unsigned>{0});
  gauss<<<blocks, threads>>>(sums.get(), counts.get());
  HIP(hipDeviceSynchronize());
  const double n = double(threads) * blocks * samples;
  EXPECT(std::fabs(sums.host()[0] / n) < 6 / std::sqrt(n));
  EXPECT(std::fabs(sums.host()[1] / n - 1) < 6 * std::sqrt(2 / n));
  EXPECT(std::fabs(counts.first() / n - 4) < 6 * 2 / std::sqrt(n));
  return verdict();
}
