// `meld-bench run`: every benchmark program in every configuration, side by side, in one run on the
// same inputs; as tables, as JSON, as a page.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

struct SuiteOptions {
  std::string only;           ///< as casesCalled has it
  bool json = false;          ///< one JSON object instead of the tables
  bool quick = false;         ///< one size of each program, original and all of libmeld alone
  std::string size = "small"; ///< or "large": of every program's problem
  /// Write the results page here. Empty: a run of everything writes results.html
  /// (results-large.html) into the build folder, others none.
  std::string page;
};

/// 0 when every program passed in every configuration; 1 otherwise.
int runSuite(const Paths &paths, const SuiteOptions &options);

} // namespace meld::bench
