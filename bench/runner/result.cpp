#include "bench/runner/result.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace meld::bench {

const Run *Row::find(const std::string &configuration) const {
  for (const Run &run : runs)
    if (run.configuration == configuration)
      return &run;
  return nullptr;
}

double ratio(double before, double after) { return after > 0 ? before / after : 0; }

double instructionRatio(const Row &row, const Run &run) {
  return ratio(row.plain().measured.perWave(), run.measured.perWave());
}

double cycleRatio(const Row &row, const Run &run) {
  return ratio(static_cast<double>(row.plain().measured.cycles),
               static_cast<double>(run.measured.cycles));
}

Means meansOf(const std::vector<Row> &rows, Set set, const std::string &configuration) {
  Means means;
  double logs = 0;
  std::map<std::string, double> bestOf; // by the label without its block size
  for (const Row &row : rows) {
    const Run *run = row.find(configuration);
    if (!row.which.isIn(set) || !run)
      continue;
    const double r = cycleRatio(row, *run);
    if (r <= 0)
      continue;
    logs += std::log(r);
    if (!means.count++ || r < means.least) {
      means.least = r;
      means.leastLabel = row.which.label;
    }
    auto &best = bestOf[row.which.label.substr(0, row.which.label.find_last_of(' '))];
    best = std::max(best, r);
  }
  if (!means.count)
    return means;
  means.all = std::exp(logs / means.count);
  logs = 0;
  for (const auto &[label, r] : bestOf)
    logs += std::log(r);
  means.best = std::exp(logs / static_cast<double>(bestOf.size()));
  return means;
}

nlohmann::json toJson(const std::vector<Row> &rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const Row &row : rows)
    for (const Run &run : row.runs) {
      const Measurement &m = run.measured;
      out.push_back({{"benchmark", row.which.label},
                     {"set", nameOf(row.which.set)},
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
    }
  return out;
}

} // namespace meld::bench
