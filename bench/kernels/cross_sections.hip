// Lookups of macroscopic cross sections, the inner loop of Monte Carlo neutron transport: for each
// nuclide of the material that a particle is in, its energy is found in a grid and five reactions are
// interpolated. The grid's kind, its sizes, the channels and temperature corrections are told at run
// time.
//   helped   a grid by hashed energies, 128 points, three channels, no corrections
//   source   the same, written into the source
//   other    another grid and other physics at each launch
#include "harness.h"

constexpr int mostChannels = 5, nuclides = 24, materials = 6, mostPoints = 192;

struct Library {
  int points, channels;
  int grid; ///< 0 each nuclide is searched, 1 by hashed energies, 2 equal steps
  int bins; ///< of the hash
  int doppler, logarithmic, thermal;
  float temperature, limit;
};

struct Tables {
  const float *energies;         ///< by nuclide, ascending in [0, 1)
  const float *sections;         ///< by nuclide, point and channel
  const int *first;              ///< by nuclide and bin: the last point at or below it
  const int *starts, *nuclideOf; ///< of materials
  const float *densities;        ///< beside nuclideOf
};

__host__ __device__ inline int pointBelow(const Tables &t, const Library &l, int nuclide,
                                          float energy) {
  const float *grid = t.energies + nuclide * mostPoints;
  if (l.grid == 2) {
    const int at = static_cast<int>(energy * static_cast<float>(l.points - 1));
    return at < l.points - 2 ? at : l.points - 2;
  }
  int low = 0, high = l.points - 1;
  if (l.grid == 1) {
    const int bin = static_cast<int>(energy * static_cast<float>(l.bins));
    low = t.first[nuclide * (l.bins + 1) + bin];
    high = t.first[nuclide * (l.bins + 1) + bin + 1] + 1;
    high = high < l.points - 1 ? high : l.points - 1;
  }
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (grid[middle] > energy)
      high = middle;
    else
      low = middle;
  }
  return low;
}

__host__ __device__ inline void lookUp(const Tables &t, const Library &l, float energy,
                                       int material, float *out, int stride) {
  float sum[mostChannels] = {};
  for (int n = t.starts[material]; n < t.starts[material + 1]; ++n) {
    const int nuclide = t.nuclideOf[n], at = pointBelow(t, l, nuclide, energy);
    const float *grid = t.energies + nuclide * mostPoints + at;
    float part = (energy - grid[0]) / (grid[1] - grid[0]);
    if (l.logarithmic)
      part = part * (2 - part);
    const float *low = t.sections + (nuclide * mostPoints + at) * mostChannels;
    for (int c = 0; c < l.channels; ++c) {
      float section = low[c] + part * (low[mostChannels + c] - low[c]);
      if (l.doppler)
        section *= 1 + l.temperature * (energy - 0.5f) / (1 + l.temperature * part);
      if (l.thermal && energy < l.limit)
        section += 0.1f * (l.limit - energy);
      sum[c] += t.densities[n] * section;
    }
  }
  for (int c = 0; c < l.channels; ++c)
    out[c * stride] = sum[c];
}

__host__ __device__ inline Library plainLibrary() { return {128, 3, 1, 32, 0, 0, 0, 0, 0}; }

template <bool inSource>
__global__ void lookUpAll(Tables tables, const float *energies, const int *places, float *out,
                          int count, Library library) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    lookUp(tables, inSource ? plainLibrary() : library, energies[at], places[at], out + at, count);
}

static Library libraryOf(const std::string &pattern, int launch) {
  if (pattern != "other")
    return plainLibrary();
  return {96 + launch % 7 * 16,
          1 + launch % mostChannels,
          launch % 2, // 2 needs a grid of equal steps
          8 + launch % 5 * 8,
          launch / 2 % 2,
          launch / 3 % 2,
          launch / 5 % 2,
          0.1f + 0.01f * static_cast<float>(launch % 30),
          0.05f + 0.01f * static_cast<float>(launch % 10)};
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {2048, 106496, "lookups"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("cross_sections");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  bench::Random random(o.seed);
  std::vector<float> sections(nuclides * mostPoints * mostChannels), densities;
  for (float &section : sections)
    section = random.unit();
  std::vector<int> starts{0}, nuclideOf;
  for (int m = 0; m < materials; ++m) { // the first is the fuel, with many
    for (int n = 0; n < (m ? 2 + 2 * m : nuclides); ++n) {
      nuclideOf.push_back(static_cast<int>(random.below(nuclides)));
      densities.push_back(0.1f + random.unit());
    }
    starts.push_back(static_cast<int>(nuclideOf.size()));
  }
  std::vector<float> steps(nuclides * mostPoints), energies(o.size), want(mostChannels * o.size, 0);
  for (float &step : steps)
    step = 0.1f + random.unit();
  std::vector<int> places(o.size);
  for (size_t i = 0; i < o.size; ++i) {
    energies[i] = random.unit();
    places[i] = random.below(4) ? 1 + static_cast<int>(random.below(materials - 1)) : 0;
  }
  bench::DeviceBuffer<float> dSections(sections), dDensities(densities), dEnergies(energies),
      out(want);
  bench::DeviceBuffer<int> dStarts(starts), dNuclides(nuclideOf), dPlaces(places);
  for (int launch = 0; launch < 4; ++launch) {
    const Library l = libraryOf(o.pattern, runs++);
    std::vector<float> grid(steps.size());
    std::vector<int> first;
    for (size_t n = 0; n < nuclides; ++n) {
      const auto points = static_cast<size_t>(l.points);
      float *own = grid.data() + n * mostPoints, all = 0, at = 0;
      for (size_t i = 0; i + 1 < points; ++i)
        all += steps[n * mostPoints + i];
      for (size_t i = 0; i < points; ++i) {
        own[i] = i + 1 < points ? at / all : 1;
        at += steps[n * mostPoints + i];
      }
      for (int bin = 0, point = 0; bin <= l.bins; ++bin) {
        while (point + 1 < l.points &&
               own[point + 1] <= static_cast<float>(bin) / static_cast<float>(l.bins))
          ++point;
        first.push_back(std::min(point, l.points - 2));
      }
    }
    bench::DeviceBuffer<float> dGrid(grid);
    bench::DeviceBuffer<int> dFirst(first);
    const auto kernel = o.pattern == "source" ? lookUpAll<true> : lookUpAll<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(
        {dGrid.get(), dSections.get(), dFirst.get(), dStarts.get(), dNuclides.get(),
         dDensities.get()},
        dEnergies.get(), dPlaces.get(), out.get(), count, l);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const Tables host{grid.data(),   sections.data(),  first.data(),
                      starts.data(), nuclideOf.data(), densities.data()};
    for (int i = 0; i < count; ++i)
      lookUp(host, l, energies[static_cast<size_t>(i)], places[static_cast<size_t>(i)],
             want.data() + i, count);
  }
  verdicts.expectNear(o.pattern, out.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
