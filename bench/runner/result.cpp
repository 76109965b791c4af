#include "bench/runner/result.h"

#include "bench/runner/design.h"
#include "bench/runner/geomean.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace meld::bench {

const Run *Row::find(const std::string &configuration) const {
  for (const Run &run : runs)
    if (run.configuration == configuration)
      return &run;
  return nullptr;
}

bool Row::fills() const {
  const unsigned fit = plain().measured.occupancy; // 0: nobody knows
  return wavesPerSimd() >= (fit ? std::min(fullDevice, double(fit)) : fullDevice);
}

std::vector<Group> groupsOf(const std::vector<Row> &rows) {
  std::vector<Group> groups = {
      {"Launches that fill the device: 4 waves per SIMD and more, or as many as fit", {}},
      {"Larger problems that cannot fill it", {}},
      {"Small launches: a wave or two on a SIMD, most of the device idle", {}}};
  const auto largest = [&](const Row &row) {
    return std::none_of(rows.begin(), rows.end(), [&](const Row &other) {
      return other.which.set == row.which.set && other.which.label == row.which.label &&
             other.wavesPerSimd() > row.wavesPerSimd();
    });
  };
  for (const Row &row : rows)
    groups[row.fills() && largest(row) ? 0 : row.size == "small" ? 2 : 1].rows.push_back(row);
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [](const Group &group) { return group.rows.empty(); }),
               groups.end());
  return groups;
}

double ratio(double before, double after) { return after > 0 ? before / after : 0; }

double instructionRatio(const Row &row, const Run &run) {
  return ratio(row.plain().measured.perWave(), run.measured.perWave());
}

double cycleRatio(const Row &row, const Run &run) {
  return ratio(static_cast<double>(row.plain().measured.cycles),
               static_cast<double>(run.measured.cycles));
}

Band cycleBand(const Row &row, const Run &run) {
  const Run &plain = row.plain();
  return bandOf(plain.measured.cycles, run.measured.cycles, plain.under, run.under);
}

bool haveBands(const std::vector<Row> &rows) {
  for (const Row &row : rows)
    for (const Run &run : row.runs)
      if (!run.under.empty())
        return true;
  return false;
}

std::vector<std::string> configurationsOf(const std::vector<Row> &rows) {
  std::vector<std::string> names;
  for (const Row &row : rows)
    for (const Run &run : row.runs)
      if (&run != &row.plain() &&
          std::find(names.begin(), names.end(), run.configuration) == names.end())
        names.push_back(run.configuration);
  return names;
}

Means meansOf(const std::vector<Row> &rows, Set set, const std::string &configuration) {
  Means means;
  Geomean mean, best;
  MeanBand meanBand, bestBand;
  std::map<std::string, const Row *> bestOf; // the row with the fastest original
  const auto add = [&](const Row &row, Geomean &to, MeanBand &band) {
    const Run &run = *row.find(configuration), &plain = row.plain();
    to.add(cycleRatio(row, run));
    band.add(plain.measured.cycles, run.measured.cycles, plain.under, run.under);
  };
  for (const Row &row : rows) {
    const Run *run = row.find(configuration);
    if (!row.which.isIn(set) || !run)
      continue;
    const double r = cycleRatio(row, *run);
    if (r <= 0)
      continue;
    add(row, mean, meanBand);
    const Band band = cycleBand(row, *run);
    const std::string claim = claimOf(band);
    means.gains += claim == "gain", means.losses += claim == "loss";
    means.same += claim == "same", means.open += claim == "open";
    if (!means.count++ || r < means.least) {
      means.least = r;
      means.leastLabel = row.which.label;
      means.leastBand = band;
    }
    const auto [known, fresh] = bestOf.try_emplace(row.which.family(), &row);
    if (!fresh && row.plain().measured.cycles < known->second->plain().measured.cycles)
      known->second = &row;
  }
  for (const auto &[family, row] : bestOf)
    add(*row, best, bestBand);
  means.all = mean.value();
  means.best = best.value();
  means.allBand = meanBand.band();
  means.bestBand = bestBand.band();
  return means;
}

std::vector<NamedMeans> allMeans(const std::vector<Row> &rows) {
  std::vector<NamedMeans> all;
  for (Set set : allSets())
    for (const std::string &configuration : configurationsOf(rows))
      if (const Means means = meansOf(rows, set, configuration); means.count)
        all.push_back({means, set, configuration});
  return all;
}

namespace {

/// "NAME": [least, most]; nothing without a band.
void addBand(nlohmann::json &to, const char *name, const Band &band) {
  if (band.known())
    to[name] = {band.low, band.high};
}

nlohmann::json designJson() {
  nlohmann::json runs = nlohmann::json::array();
  for (const DesignRun &run : designRuns()) {
    nlohmann::json groups = nlohmann::json::object();
    for (size_t group = 0; group < run.size(); ++group)
      groups[parameterGroups[group]] = run[group] ? "slow" : "fast";
    runs.push_back({{"groups", groups}, {"parameters", parametersOf(run, modelledTarget())}});
  }
  return runs;
}

} // namespace

nlohmann::json toJson(const std::vector<Row> &rows) {
  nlohmann::json runs = nlohmann::json::array(), means = nlohmann::json::array();
  const bool bands = haveBands(rows);
  for (const Row &row : rows)
    for (const Run &run : row.runs) {
      const Measurement &m = run.measured;
      runs.push_back({{"benchmark", row.which.label},
                      {"set", nameOf(row.which.set)},
                      {"size", row.size},
                      {"wavesPerSimd", row.wavesPerSimd()},
                      {"fillsDevice", row.fills()},
                      {"configuration", run.configuration},
                      {"pass", m.pass},
                      {"replaced", m.replaced},
                      {"counters", m.counters},
                      {"valuUtilization", m.valuUtilization},
                      {"cycles", m.cycles},
                      {"vgprs", m.vgprs},
                      {"occupancy", m.occupancy},
                      {"instructionRatio", instructionRatio(row, run)},
                      {"cycleRatio", cycleRatio(row, run)},
                      {"compileMs", run.compiled.milliseconds},
                      {"decisionsMelded", run.compiled.melded},
                      {"decisionsByPass", run.compiled.byPass},
                      {"kernelsMelded", run.compiled.kernels}});
      if (!run.under.empty())
        runs.back()["cyclesUnderDesign"] = run.under;
      if (&run != &row.plain()) {
        const Band band = cycleBand(row, run);
        addBand(runs.back(), "cycleRatioBand", band);
        if (band.known())
          runs.back()["claim"] = claimOf(band);
      }
    }
  for (const Group &group : groupsOf(rows))
    for (const NamedMeans &m : allMeans(group.rows)) {
      means.push_back({{"launches", group.title},
                       {"set", nameOf(m.set)},
                       {"configuration", m.configuration},
                       {"count", m.count},
                       {"allBlockSizes", m.all},
                       {"bestBlockSize", m.best},
                       {"least", m.least},
                       {"leastBenchmark", m.leastLabel}});
      addBand(means.back(), "allBlockSizesBand", m.allBand);
      addBand(means.back(), "bestBlockSizeBand", m.bestBand);
      addBand(means.back(), "leastBand", m.leastBand);
      if (bands)
        means.back()["claims"] = {
            {"gain", m.gains}, {"loss", m.losses}, {"same", m.same}, {"open", m.open}};
    }
  nlohmann::json all = {{"runs", runs}, {"means", means}};
  if (bands)
    all["design"] = designJson();
  return all;
}

} // namespace meld::bench
