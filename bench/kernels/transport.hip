// Monte Carlo transport of particles through a slab whose materials and physics are told at run time:
// survival biasing, anisotropic scattering, reflecting walls, tallies. What is decided at random is
// decided by integers, so that device and host follow the same histories.
//   helped   two materials, isotropic scattering, no biasing, open walls, one tally
//   source   the same, written into the source
//   other    other materials and other physics at each launch
#include "harness.h"

constexpr int mostMaterials = 6, mostTallies = 4, cells = 64;

struct Material {
  unsigned collide, absorb, fission; ///< of 2^32, in a cell; at a collision
  float heating;
};

struct Physics {
  int materials, steps;
  int biased, reflecting; ///< absorption takes weight only; walls
  int order, tallies;     ///< of scattering's anisotropy, 0 isotropic; that are kept
  unsigned window;        ///< of 2^32: below it, a light particle survives
  Material material[mostMaterials];
};

__host__ __device__ inline unsigned draw(unsigned &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state * 0x9e3779b1u;
}

__host__ __device__ inline void follow(float *tallies, int stride, const Physics &p,
                                       unsigned seed) {
  unsigned state = seed * 2u + 1u;
  int cell = static_cast<int>(draw(state) >> 26), direction = draw(state) >> 31 ? 1 : -1;
  float weight = 1, deposit[mostTallies] = {};
  for (int step = 0; step < p.steps; ++step) {
    cell += direction;
    if (cell < 0 || cell >= cells) {
      if (!p.reflecting)
        break;
      direction = -direction;
      cell += direction;
    }
    const int material = cell % p.materials;
    const Material &m = p.material[material];
    if (p.tallies > 1)
      deposit[1] += weight * static_cast<float>(cell);
    if (draw(state) >= m.collide)
      continue;
    deposit[0] += weight * m.heating;
    if (p.tallies > 2 && draw(state) < m.fission)
      deposit[2] += weight;
    if (p.biased) {
      weight *= 1 - static_cast<float>(m.absorb >> 8) * (1.0f / 16777216.0f);
      if (weight < 0.05f) {
        if (draw(state) >= p.window)
          break;
        weight *= 4;
      }
    } else if (draw(state) < m.absorb) {
      break;
    }
    // More often ahead, the higher the order.
    unsigned ahead = 0x80000000u;
    for (int k = 0; k < p.order; ++k)
      ahead += (0xffffffffu - ahead) / static_cast<unsigned>(k + 3);
    if (draw(state) >= ahead)
      direction = -direction;
    if (p.tallies > 3)
      deposit[3] += weight * static_cast<float>(direction);
  }
  for (int t = 0; t < p.tallies; ++t)
    tallies[t * stride] = deposit[t];
}

__host__ __device__ inline Physics plainPhysics() {
  Physics p{};
  p.materials = 2;
  p.steps = 48;
  p.tallies = 1;
  p.material[0] = {0x60000000u, 0x30000000u, 0, 0.5f};
  p.material[1] = {0xa0000000u, 0x18000000u, 0, 0.25f};
  return p;
}

template <bool inSource> __global__ void followAll(float *tallies, int count, Physics physics) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    follow(tallies + at, count, inSource ? plainPhysics() : physics,
           static_cast<unsigned>(at) * 2654435761u);
}

static Physics physicsOf(const std::string &pattern, int launch) {
  Physics p = plainPhysics();
  if (pattern != "other")
    return p;
  const auto l = static_cast<unsigned>(launch);
  p.materials = 2 + launch % 5;
  p.steps = 24 + launch % 25;
  p.biased = launch / 2 % 2;
  p.reflecting = launch % 2;
  p.order = launch % 4;
  p.tallies = 1 + launch % mostTallies;
  p.window = 0x40000000u + 0x1000000u * (l % 16);
  for (unsigned m = 0; m < mostMaterials; ++m)
    p.material[m] = {0x40000000u + 0x8000000u * ((l + m) % 16), 0x8000000u * (1 + (l + m) % 7),
                     0x4000000u * (m % 5), 0.125f * static_cast<float>(1 + (l + m) % 5)};
  return p;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {4096, 106496, "particles"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("transport");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  std::vector<float> want(mostTallies * o.size, 0);
  bench::DeviceBuffer<float> tallies(want);
  for (int launch = 0; launch < 4; ++launch) {
    const Physics physics = physicsOf(o.pattern, runs++);
    const auto kernel = o.pattern == "source" ? followAll<true> : followAll<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(tallies.get(), count, physics);
    HIP_CHECK(hipGetLastError());
    for (int i = 0; i < count; ++i)
      follow(want.data() + i, count, physics, static_cast<unsigned>(i) * 2654435761u);
  }
  verdicts.expectNear(o.pattern, tallies.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
