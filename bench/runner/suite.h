// `meld-bench run`: every benchmark program in every configuration, side by side, as one table (or
// JSON).
#pragma once

#include "bench/runner/measure.h"

namespace meld::bench {

struct SuiteOptions {
  std::string only; ///< programs whose name contains this; empty = all
  bool json = false;
  bool allConfigurations = false; ///< each pass alone, besides all of libmeld
};

/// 0 when every program passed in every configuration; 1 otherwise.
int runSuite(const Paths &paths, const SuiteOptions &options);

} // namespace meld::bench
