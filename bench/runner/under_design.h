// What was chosen under the model's own parameters, run under those of the design (design.h).
#pragma once

#include "bench/runner/design.h"
#include "bench/runner/measure.h"

#include <functional>
#include <vector>

namespace meld::bench {

struct BeforeAfter {
  std::vector<Dispatch> before, after;
};

/// In the order of the design: what `run` gives for the original code and for `on`, both under the
/// same parameters, `jobs` at a time (0: as many as there are cores). Each run of `on` begins with a
/// copy of its cache (MELD_CACHE_DIR): what it finds out itself is nobody else's. Where a copy cannot
/// be made, the run finds no verdicts. `run` is called from several threads at once.
std::vector<BeforeAfter> underDesign(
    const Configuration &on, unsigned jobs,
    const std::function<std::vector<Dispatch>(const Configuration &, const DesignRun &)> &run);

} // namespace meld::bench
