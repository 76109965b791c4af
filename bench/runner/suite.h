// `meld-bench run`: every benchmark program in every configuration, side by side, in one run on the
// same inputs; as tables, as JSON, as a page.
#pragma once

#include "bench/runner/result.h"

namespace meld::bench {

struct SuiteOptions {
  std::string only;   ///< as casesCalled has it
  bool json = false;  ///< one JSON object instead of the tables
  bool quick = false; ///< one size of each program, original and all of libmeld alone
  std::string
      size; ///< of every program's problem: small, large, full; empty: full and small, quick: small
  bool bands = false; ///< each run again under the parameters of designRuns()
  unsigned jobs = 0;  ///< programs at a time, of those runs; 0: as many as there are cores
  /// Write the results page here. Empty: a run of everything writes results.html
  /// (results-SIZE.html where one is asked for) into the build folder, others none.
  std::string page;
};

/// 0 when every program passed in every configuration; 1 otherwise.
int runSuite(const Paths &paths, const SuiteOptions &options);

} // namespace meld::bench
