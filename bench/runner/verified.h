// `meld-bench verify`: every program under `meld verify`, which runs each dispatch of a replaced
// kernel twice, with the original and with the replacement, and compares what they wrote.
//
// With `versions` each kind of version in turns, and the programs of `meld-bench specialise`, too.
// Specialised versions are those that a run with MELD_ADAPT=on and MELD_SPECIALIZE=on makes before,
// with modelled times and a cache of its own.
#pragma once

#include "bench/runner/measure.h"

#include <string>

namespace meld::bench {

struct VerifiedOptions {
  std::string only;             ///< as casesCalled has it; one block size of each program
  std::string size = "default"; ///< or small, large
  bool versions = false; ///< every kind of version in turns (MELD_SERVE) instead of the replacement
};

/// 0 when nothing differed and every program passed.
int runVerified(const Paths &paths, const VerifiedOptions &options);

} // namespace meld::bench
