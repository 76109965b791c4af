// What was measured in this process, for people.
//
// Thread rule: pure functions.
#pragma once

#include "shim/adapt/version_maker.h"

namespace meld::adapt {

/// One line: kernels, gain, what the trials cost. Empty where nothing was tried.
std::string measuredLine(const std::vector<MeasuredKernel> &kernels);
/// A paragraph for MELD_REPORT: each kernel, its versions, its launch classes, and what was loaded.
/// Empty as above.
std::string measuredText(const std::vector<MeasuredKernel> &kernels, const LoadedTotals &loaded);

} // namespace meld::adapt
