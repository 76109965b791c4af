// Photons in a slab of tissue (Monte Carlo): a photon flies, is scattered or absorbed, and ends when
// it leaves the slab on either side or is absorbed. A thread follows several photons, one after the
// other. Some end after one step, some after a hundred, and a wave goes on until its last lane is through.
//
//   photons [LAUNCHES] prints PASS when as many end in each way as the host counts
#include <hip/hip_runtime.h>

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

constexpr unsigned kPhotons = 16384, kThreads = 512, kBlock = 128;
constexpr float kThickness = 4, kAlbedo = 0.96f; ///< in mean free paths; share that is scattered

enum Fate { kReflected, kTransmitted, kAbsorbed };

__host__ __device__ inline float uniform(unsigned &state) { // 0 < u <= 1
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return float((state >> 8) + 1) * 0x1p-24f;
}

__host__ __device__ inline unsigned seedOf(unsigned photon, unsigned launch) {
  unsigned seed = photon * 2654435761u + launch * 40503u + 1;
  seed = (seed ^ seed >> 16) * 0x45d9f3bu;
  return (seed ^ seed >> 15) | 1;
}

__global__ void follow(unsigned *fates, float *depths, unsigned launch) {
  for (unsigned photon = blockIdx.x * blockDim.x + threadIdx.x; photon < kPhotons;
       photon += gridDim.x * blockDim.x) {
    unsigned state = seedOf(photon, launch);
    float depth = -__logf(uniform(state)), deepest = depth;
    while (depth >= 0 && depth <= kThickness && uniform(state) <= kAlbedo) { // it is scattered:
      const float cosine = 2 * uniform(state) - 1; // any direction is as likely
      depth -= cosine * __logf(uniform(state));
      deepest = fmaxf(deepest, depth);
    }
    fates[photon] = depth < 0 ? kReflected : depth > kThickness ? kTransmitted : kAbsorbed;
    depths[photon] = fminf(deepest, kThickness);
  }
}

static Fate onHost(unsigned photon, unsigned launch) {
  unsigned state = seedOf(photon, launch);
  for (double depth = -std::log(double(uniform(state)));;) {
    if (depth < 0 || depth > kThickness)
      return depth < 0 ? kReflected : kTransmitted;
    if (uniform(state) > kAlbedo)
      return kAbsorbed;
    const double cosine = 2.0 * uniform(state) - 1;
    depth -= cosine * std::log(double(uniform(state)));
  }
}

int main(int argc, char **argv) {
  const unsigned launches = argc > 1 ? unsigned(std::atoi(argv[1])) : 40;
  unsigned *dFates;
  float *dDepths;
  CHECK(hipMalloc(&dFates, kPhotons * sizeof(unsigned)));
  CHECK(hipMalloc(&dDepths, kPhotons * sizeof(float)));
  std::vector<unsigned> fates(kPhotons);
  unsigned counts[3] = {}, want[3] = {};
  for (unsigned launch = 0; launch < launches; ++launch) {
    follow<<<dim3(kThreads / kBlock), dim3(kBlock)>>>(dFates, dDepths, launch);
    CHECK(hipMemcpy(fates.data(), dFates, kPhotons * sizeof(unsigned), hipMemcpyDeviceToHost));
    for (unsigned photon = 0; photon < kPhotons; ++photon) {
      ++counts[fates[photon] % 3];
      ++want[onHost(photon, launch)];
    }
  }
  // Where a photon is just at a surface, the host's double precision may see it on the other side.
  bool right = true;
  for (int fate = 0; fate < 3; ++fate)
    right &= std::fabs(double(counts[fate]) - want[fate]) <= 1e-4 * kPhotons * launches;
  const double all = double(kPhotons) * launches;
  std::printf("photons: %.0f, reflected %.4f, transmitted %.4f, absorbed %.4f: %s\n", all,
              counts[kReflected] / all, counts[kTransmitted] / all, counts[kAbsorbed] / all,
              right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
