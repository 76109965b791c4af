// rocRAND's device Sobol generator against the definition: point i is the exclusive or of the
// direction vectors that the Gray code of i selects (Bratley and Fox, TOMS 659); integration.
#include "check.h"
#include <cmath>
#include <rocrand/rocrand_kernel.h>
#include <rocrand/rocrand_sobol32_precomputed.h>
#include <rocrand/rocrand_version.h>

#if ROCRAND_VERSION >= 201011 // renamed, and no longer in the header
static const unsigned *const vectors = rocrand_h_sobol32_direction_vectors;
#else
static const unsigned *const vectors = h_sobol32_direction_vectors;
#endif

constexpr unsigned dimensions = 4, points = 512, threads = 64;

__global__ void draw(const unsigned *directions, unsigned *out) {
  const unsigned d = blockIdx.x, chunk = points / threads;
  rocrand_state_sobol32 state;
  rocrand_init(directions + d * 32, threadIdx.x * chunk, &state);
  for (unsigned i = 0; i < chunk; ++i)
    out[d * points + threadIdx.x * chunk + i] = rocrand(&state);
}

int main() {
  std::vector<unsigned> directions(vectors, vectors + 32 * dimensions);
  Device<unsigned> table(directions), out(dimensions * points);
  draw<<<dimensions, threads>>>(table.get(), out.get());
  HIP(hipDeviceSynchronize());
  std::vector<unsigned> want(dimensions * points);
  for (unsigned d = 0; d < dimensions; ++d)
    for (unsigned i = 0; i < points; ++i)
      for (unsigned bit = 0, gray = i ^ (i >> 1); bit < 32; ++bit)
        if (gray >> bit & 1)
          want[d * points + i] ^= directions[d * 32 + bit];
  expectSame("points", out.host(), want);

  // The integral of 16 x y z w over the unit cube is 1; quasi-random points come close quickly.
  double sum = 0;
  for (unsigned i = 0; i < points; ++i) {
    double product = 16;
    for (unsigned d = 0; d < dimensions; ++d)
      product *= want[d * points + i] / 4294967296.0;
    sum += product;
  }
  EXPECT(std::fabs(sum / points - 1) < 0.05);
  return verdict();
}
