// Forces of particles on each other up to a distance, by lists of neighbours, several particles a
// thread. Verlet, Phys. Rev. 159 (1967). "skewed" particles stand in groups of 1 to 128, by a power
// law, "balanced" ones on a lattice.
#include "nests.h"

__host__ __device__ inline float weightOf(float r2) { // goes to nothing at the distance 1
  return r2 < 1 ? (1 - r2) * (1 - r2) : 0;
}

__global__ void cutoffNest(const float *x, const float *y, const unsigned *starts,
                           const unsigned *lists, float *fx, float *fy, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float sumX = 0, sumY = 0;
    for (unsigned k = starts[i]; k < starts[i + 1]; ++k) { // divergent: loop
      const float dx = x[lists[k]] - x[i], dy = y[lists[k]] - y[i];
      const float w = weightOf(dx * dx + dy * dy);
      sumX += w * dx;
      sumY += w * dy;
    }
    fx[i] = sumX;
    fy[i] = sumY;
  }
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {4096, 8192, "particles"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("cutoff_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size), side = 64;
  bench::Random random(o.seed);
  std::vector<float> x(n), y(n), wantX(n), wantY(n);
  for (unsigned i = 0; i < n; ++i) {
    // Lattice points 0.625 apart have eight neighbours; those at a border some more behind it.
    x[i] = 0.625f * static_cast<float>(i % side), y[i] = 0.625f * static_cast<float>(i / side);
  }
  if (o.pattern == "skewed") {
    for (unsigned i = 0, place = 0; i < n; ++place) // eight apart
      for (unsigned k = bench::powerLaw(random, 128); k > 0 && i < n; --k, ++i) {
        x[i] = static_cast<float>(place % side * 8) + random.unit();
        y[i] = static_cast<float>(place / side * 8) + random.unit();
      }
    for (unsigned i = n - 1; i > 0; --i) { // in no order
      const unsigned other = random.below(i + 1);
      std::swap(x[i], x[other]);
      std::swap(y[i], y[other]);
    }
  }
  std::vector<unsigned> starts{0}, lists;
  for (unsigned i = 0; i < n; ++i) {
    double sumX = 0, sumY = 0;
    for (unsigned j = 0; j < n; ++j) {
      const double dx = double(x[j]) - x[i], dy = double(y[j]) - y[i], r2 = dx * dx + dy * dy;
      if (i == j || r2 >= 1.1) // some that are out of reach, as lists that are used again have
        continue;
      lists.push_back(j);
      sumX += r2 < 1 ? (1 - r2) * (1 - r2) * dx : 0;
      sumY += r2 < 1 ? (1 - r2) * (1 - r2) * dy : 0;
    }
    starts.push_back(static_cast<unsigned>(lists.size()));
    wantX[i] = static_cast<float>(sumX), wantY[i] = static_cast<float>(sumY);
  }
  lists.push_back(0);
  bench::DeviceBuffer<float> dX(x), dY(y), fx(n), fy(n);
  bench::DeviceBuffer<unsigned> dStarts(starts), dLists(lists);
  cutoffNest<<<dim3(bench::groupsFor(n, block, 8)), dim3(block)>>>(
      dX.get(), dY.get(), dStarts.get(), dLists.get(), fx.get(), fy.get(), n);
  bench::finish();
  const std::string what = "particles=" + std::to_string(n) + " pattern=" + o.pattern;
  verdicts.expectNear(what + " x", fx.download(), wantX, 1e-3);
  verdicts.expectNear(what + " y", fy.download(), wantY, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
