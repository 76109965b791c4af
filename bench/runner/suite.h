// `meld-bench run`: every benchmark program in every configuration, side by side, in one run on the
// same inputs; as tables, as JSON, as a page.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

struct SuiteOptions {
  std::string only;   ///< cases whose label or set contains this; empty = all
  bool json = false;  ///< one JSON array instead of the tables
  bool quick = false; ///< one size of each program, original and all of libmeld alone
  std::string page;   ///< write the results page here; empty = none
};

/// 0 when every program passed in every configuration; 1 otherwise.
int runSuite(const Paths &paths, const SuiteOptions &options);

} // namespace meld::bench
