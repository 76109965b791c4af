#include "bench/runner/estimates.h"

#include "bench/runner/rank.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace meld::bench {

double EstimateRow::measured() const {
  return before ? 100 * (static_cast<double>(before) - static_cast<double>(after)) /
                      static_cast<double>(before)
                : 0;
}

bool EstimateRow::wrongSign() const {
  constexpr double least = 0.1;
  return std::abs(measured()) >= least && std::abs(estimated) >= least &&
         (measured() > 0) != (estimated > 0);
}

EstimateSummary summaryOf(const std::vector<EstimateRow> &rows, bool replacedOnly) {
  EstimateSummary summary;
  std::vector<double> estimated, atLaunch, measured;
  const auto distance = [](const EstimateRow &row) {
    return std::abs(row.estimated - row.measured());
  };
  for (const EstimateRow &row : rows) {
    if (replacedOnly && !row.replaced())
      continue;
    ++summary.rows;
    summary.wrongSigns += row.wrongSign();
    estimated.push_back(row.estimated);
    atLaunch.push_back(row.atLaunch);
    measured.push_back(row.measured());
    if (!summary.worst || distance(row) > distance(*summary.worst))
      summary.worst = &row;
    if (row.measured() < 0 && (!summary.loss || row.measured() < summary.loss->measured()))
      summary.loss = &row;
  }
  summary.correlation = rankCorrelation(estimated, measured);
  summary.correlationAtLaunch = rankCorrelation(atLaunch, measured);
  return summary;
}

namespace {

std::string named(const EstimateRow &row) {
  return row.benchmark + ", " + row.size + ", " + row.kernel + " (" + row.code + "): estimated " +
         decimal(row.estimated, 1) + " %, measured " + decimal(row.measured(), 1) + " %";
}

std::string describe(const char *which, const EstimateSummary &summary) {
  std::string text = std::string(which) + ": " + std::to_string(summary.rows) +
                     " rows, rank correlation " + decimal(summary.correlation, 3) +
                     ", knowing the launches " + decimal(summary.correlationAtLaunch, 3) + "; " +
                     std::to_string(summary.wrongSigns) + " wrong signs\n";
  if (summary.worst)
    text += "  farthest off: " + named(*summary.worst) + "\n";
  if (summary.loss)
    text += "  largest loss: " + named(*summary.loss) + "\n";
  return text;
}

} // namespace

std::string estimatesText(const std::vector<EstimateRow> &rows) {
  Table table({"benchmark", "size", "kernel", "code", "waves/SIMD", "cycles", "with it",
               "estimated %", "for the launch %", "measured %", ""});
  for (const EstimateRow &row : rows)
    table.add({row.benchmark, row.size, row.kernel, row.code, decimal(row.wavesPerSimd, 2),
               grouped(row.before), grouped(row.after), decimal(row.estimated, 1),
               decimal(row.atLaunch, 1), decimal(row.measured(), 1),
               row.wrongSign() ? "wrong sign" : ""});
  return table.text() + "\n" + describe("all", summaryOf(rows, false)) +
         describe("replaced kernels", summaryOf(rows, true));
}

nlohmann::json toJson(const std::vector<EstimateRow> &rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const EstimateRow &row : rows)
    list.push_back({{"benchmark", row.benchmark},
                    {"size", row.size},
                    {"kernel", row.kernel},
                    {"code", row.code},
                    {"wavesPerSimd", row.wavesPerSimd},
                    {"cyclesBefore", row.before},
                    {"cyclesAfter", row.after},
                    {"estimatedGain", row.estimated},
                    {"estimatedGainAtLaunch", row.atLaunch},
                    {"measuredGain", row.measured()},
                    {"wrongSign", row.wrongSign()}});
  const auto summary = [&](bool replacedOnly) -> nlohmann::json {
    const EstimateSummary s = summaryOf(rows, replacedOnly);
    return {{"rows", s.rows},
            {"rankCorrelation", s.correlation},
            {"rankCorrelationAtLaunch", s.correlationAtLaunch},
            {"wrongSigns", s.wrongSigns}};
  };
  return {{"rows", list}, {"all", summary(false)}, {"replaced", summary(true)}};
}

} // namespace meld::bench
