// Model against silicon: two records of the same programs, kernel by kernel.
#pragma once

#include "bench/hardware/record.h"
#include "bench/hardware/statistics.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meld::bench {

/// One kernel of one program. Ratios are original / melded, above 1: melded is faster.
struct KernelComparison {
  std::string benchmark, kernel;
  unsigned launches = 0, rounds = 0;
  double model = 0;        ///< median over its rounds
  Spread silicon;          ///< of the rounds' ratios, both codes of a round
  double microseconds = 0; ///< the original's, on silicon
  bool modelSeesMore() const { return model > 1.01 || model < 0.99; } ///< than 1 %
  double error() const { return model / silicon.median - 1; }
  /// Only where both see a difference: the model more than 1 %, silicon with its whole interval.
  bool decided() const { return silicon.awayFromOne() && modelSeesMore(); }
  bool sameSign() const { return (model > 1) == (silicon.median > 1); }
};

struct MicroComparison {
  std::string what;
  double model = 0, silicon = 0;
};

struct Summary {
  unsigned kernels = 0, decided = 0, sameSign = 0;
  unsigned changed = 0;                 ///< kernels of which the model sees more than 1 %
  double changedCorrelation = 0;        ///< of ranks, over those: most kernels are as they were
  double correlation = 0;               ///< of ranks, over all kernels
  double meanError = 0;                 ///< mean of |model / silicon - 1|
  double bias = 0;                      ///< mean of model / silicon - 1
  unsigned equalCounts = 0, counts = 0; ///< instruction counts of kernels that both have
};

struct Comparison {
  std::vector<MicroComparison> micro;
  std::vector<KernelComparison> kernels;
  std::vector<std::string> missing; ///< programs of silicon without a counterpart, with the reason
  Summary summary;
};

Comparison compare(const Record &model, const Record &silicon);

/// What somebody has to know of a record before they read numbers: device, clocks, what went wrong.
std::string describe(const Record &record);
std::string comparisonText(const Comparison &comparison, const Record &silicon);
nlohmann::json toJson(const Comparison &comparison, const Record &silicon);

} // namespace meld::bench
