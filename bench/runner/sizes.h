// `meld-bench sizes`: every program with the small and with the large size of its problem, with its
// own code and with all of libmeld, against its host reference. Counts only, no modelled time.
#pragma once

#include "bench/runner/measure.h"

#include <string>

namespace meld::bench {

struct SizesOptions {
  std::string only;  ///< as casesCalled has it; one block size of each program
  bool json = false; ///< one JSON array instead of the table
};

/// 0 when everything passed and every large size is more work than the small one.
int runSizes(const Paths &paths, const SizesOptions &options);

} // namespace meld::bench
