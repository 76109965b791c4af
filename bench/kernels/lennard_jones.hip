// Forces between atoms from lists of neighbours, as in molecular dynamics: exponents of the potential,
// what happens at the cutoff, charges and kinds of atoms are told at run time.
//   helped   12-6, cut off without a shift, no charges, one kind of atoms
//   source   the same, written into the source
//   other    another potential at each launch
#include "harness.h"

constexpr int mostKinds = 3;

struct Potential {
  int repulsion, attraction; ///< exponents, even
  int shifted, smoothed;     ///< the force at the cutoff is taken off; fades out from `inner` on
  int charged, kinds;
  float cutoff, inner; ///< squares of distances
  float coulomb, screening, atCutoff;
  float depth[mostKinds * mostKinds], sigma[mostKinds * mostKinds]; ///< squares of sigma
};

struct Atoms {
  const float *x, *y, *z, *charge;
  const int *kind, *starts, *neighbours;
  int count;
};

__host__ __device__ inline float power(float base, int exponent) {
  float result = 1;
  for (int i = 0; i < exponent; ++i)
    result *= base;
  return result;
}

__host__ __device__ inline void forceOn(const Atoms &a, const Potential &p, int at, float *force) {
  float fx = 0, fy = 0, fz = 0, energy = 0;
  const float x = a.x[at], y = a.y[at], z = a.z[at];
  for (int n = a.starts[at]; n < a.starts[at + 1]; ++n) {
    const int other = a.neighbours[n];
    const float dx = x - a.x[other], dy = y - a.y[other], dz = z - a.z[other];
    const float square = dx * dx + dy * dy + dz * dz;
    if (square >= p.cutoff)
      continue;
    int pair = 0;
    if (p.kinds > 1)
      pair = a.kind[at] * p.kinds + a.kind[other];
    const float inverse = 1 / square, ratio = p.sigma[pair] * inverse;
    const float high = power(ratio, p.repulsion / 2), low = power(ratio, p.attraction / 2);
    float pull = p.depth[pair] * inverse *
                 (static_cast<float>(p.repulsion) * high - static_cast<float>(p.attraction) * low);
    float well = p.depth[pair] * (high - low);
    if (p.charged) {
      const float product = p.coulomb * a.charge[at] * a.charge[other] * inverse;
      const float screened = product / (1 + p.screening * square);
      pull += screened * (1 + 2 * p.screening * square * inverse);
      well += screened;
    }
    if (p.shifted) {
      pull -= p.atCutoff * inverse;
      well += p.atCutoff * (1 - square / p.cutoff);
    }
    if (p.smoothed && square > p.inner) {
      const float along = (p.cutoff - square) / (p.cutoff - p.inner);
      const float fade = along * along * (3 - 2 * along);
      pull *= fade;
      well *= fade;
    }
    fx += pull * dx;
    fy += pull * dy;
    fz += pull * dz;
    energy += 0.5f * well;
  }
  force[0] = fx;
  force[a.count] = fy;
  force[2 * a.count] = fz;
  force[3 * a.count] = energy;
}

__host__ __device__ inline Potential plainPotential() {
  Potential p{};
  p.repulsion = 12;
  p.attraction = 6;
  p.kinds = 1;
  p.cutoff = 6.25f;
  p.depth[0] = 4;
  p.sigma[0] = 0.81f;
  return p;
}

template <bool inSource> __global__ void forces(Atoms atoms, Potential potential, float *force) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < atoms.count)
    forceOn(atoms, inSource ? plainPotential() : potential, at, force + at);
}

static Potential potentialOf(const std::string &pattern, int launch) {
  Potential p = plainPotential();
  if (pattern != "other")
    return p;
  p.repulsion = 8 + launch % 4 * 2;
  p.attraction = 4 + launch % 2 * 2;
  p.shifted = launch % 2;
  p.smoothed = launch / 2 % 2;
  p.charged = launch / 3 % 2;
  p.kinds = 1 + launch % mostKinds;
  p.cutoff = 5 + 0.05f * static_cast<float>(launch % 25);
  p.inner = 0.7f * p.cutoff;
  p.coulomb = 0.5f + 0.01f * static_cast<float>(launch % 20);
  p.screening = 0.02f * static_cast<float>(1 + launch % 11);
  p.atCutoff = 0.01f * static_cast<float>(1 + launch % 13);
  for (int i = 0; i < mostKinds * mostKinds; ++i) {
    p.depth[i] = 2 + 0.1f * static_cast<float>((i + launch) % 17);
    p.sigma[i] = 0.5f + 0.02f * static_cast<float>((i + launch) % 15);
  }
  return p;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {2048, 106496, "atoms"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("lennard_jones");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  // Atoms near the points of a lattice; neighbours are those at the next few of its points.
  constexpr int row = 32, steps[] = {1, 2, row, row + 1, row * row, row * row + row};
  bench::Random random(o.seed);
  std::vector<float> x(o.size), y(o.size), z(o.size), charge(o.size);
  std::vector<int> kind(o.size), starts{0}, neighbours;
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<size_t>(i);
    x[n] = static_cast<float>(i % row) + 0.2f * random.unit();
    y[n] = static_cast<float>(i / row % row) + 0.2f * random.unit();
    z[n] = static_cast<float>(i / (row * row)) + 0.2f * random.unit();
    charge[n] = random.unit() - 0.5f;
    kind[n] = static_cast<int>(random.below(mostKinds));
    for (const int step : steps)
      for (const int other : {i - step, i + step})
        if (other >= 0 && other < count && random.below(8) != 0)
          neighbours.push_back(other);
    starts.push_back(static_cast<int>(neighbours.size()));
  }
  bench::DeviceBuffer<float> dX(x), dY(y), dZ(z), dCharge(charge), force(4 * o.size);
  bench::DeviceBuffer<int> dKind(kind), dStarts(starts), dNeighbours(neighbours);
  std::vector<float> want(4 * o.size);
  for (int launch = 0; launch < 4; ++launch) {
    const Potential p = potentialOf(o.pattern, runs++);
    std::vector<int> kinds(kind);
    for (int &one : kinds)
      one %= p.kinds;
    dKind.upload(kinds);
    const auto kernel = o.pattern == "source" ? forces<true> : forces<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(
        {dX.get(), dY.get(), dZ.get(), dCharge.get(), dKind.get(), dStarts.get(), dNeighbours.get(),
         count},
        p, force.get());
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const Atoms host{x.data(),     y.data(),      z.data(),          charge.data(),
                     kinds.data(), starts.data(), neighbours.data(), count};
    for (int i = 0; i < count; ++i)
      forceOn(host, p, i, want.data() + i);
  }
  verdicts.expectNear(o.pattern, force.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
