// `meld-bench estimate`: what was estimated of each kernel before it ran, against the modelled
// cycles that it then gained or lost.
//
// Two kinds of code are looked at: the replacements of libmeld as it is, which are those that the
// estimate chose, and one version of every kernel with all its meldings, whatever the estimate
// says of it (MELD_SERVE). The first kind alone would say nothing of what was refused.
#pragma once

#include "bench/runner/measure.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meld::bench {

/// One kernel of one program in one size, as one code.
struct EstimateRow {
  std::string benchmark, size, kernel, code;
  double wavesPerSimd = 0;        ///< of its launches, weighted by the original's cycles
  uint64_t before = 0, after = 0; ///< modelled cycles of all its launches
  double estimated = 0;           ///< gain in percent, before it ran
  double atLaunch = 0;            ///< the same, knowing how many waves each SIMD got

  double measured() const; ///< gain in percent
  bool replaced() const { return code == "replaced"; }
  /// Estimated as a gain and lost, or the other way round; differences under 0.1 % are none.
  bool wrongSign() const;
};

struct EstimateSummary {
  size_t rows = 0, wrongSigns = 0;
  double correlation = 0;             ///< of ranks
  double correlationAtLaunch = 0;     ///< the same, where launches are known
  const EstimateRow *worst = nullptr; ///< where estimate and gain lie farthest apart
  const EstimateRow *loss = nullptr;  ///< the largest measured loss
};

EstimateSummary summaryOf(const std::vector<EstimateRow> &rows, bool replacedOnly);

std::string estimatesText(const std::vector<EstimateRow> &rows);
nlohmann::json toJson(const std::vector<EstimateRow> &rows);

struct EstimateOptions {
  std::string only;          ///< as casesCalled has it
  std::string size = "both"; ///< full and small; or one of small, large, full
  bool all = false;          ///< all block sizes of each program
  bool profile = false;      ///< each program is profiled first, and compiled with that
  bool json = false;
};

/// 0 when every program passed; how good the estimates are decides nothing.
int runEstimates(const Paths &paths, const EstimateOptions &options);

} // namespace meld::bench
