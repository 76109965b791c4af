// `meld-bench scalar`: what is the same in all threads of a wave, for every benchmark: how much of
// it exists, how much is known before the program runs, how much is done once instead of 64 times;
// and what that saves. Three tables.
//
// The first two (scalar_report.h) are about the code of clang -O3, traced to the IR it was made
// from: what runs converged (also with meld-converged-loops, in which waves that agree stay
// together), and what is uniform. The third sets three codes side by side, same inputs, timing
// model on:
//
//   hidden      clang -O3 with uniformity hidden from the backend (bench/scalar/plugin.cpp says
//               exactly what): the "compiler without scalarization"
//   clang       clang -O3
//   scalarize   clang -O3 and libmeld's scalarization, nothing melded
#pragma once

#include "bench/runner/measure.h"

namespace meld::bench {

struct ScalarOptions {
  /// Programs whose label contains this, in their quick size; a whole label in any; empty = all.
  std::string only;
  bool json = false;
  bool gap = false; ///< only what the oracle sees and we do not, by reason (scalar_gap.h)
};

/// 0 when every program passed in every code, and the run contradicts no claim of our analysis.
int runScalar(const Paths &paths, const ScalarOptions &options);

} // namespace meld::bench
