// What was measured, as lines for people.
//
// Thread rule: pure functions.
#pragma once

#include "runtime/adapt/verdicts.h"

namespace meld::adapt {

/// One launch class: what runs in it, and why.
std::string describeVerdict(const ClassVerdict &verdict);
/// A kernel, its versions and its launch classes, each on a line.
std::string describeKernel(const std::string &name, const KernelVerdict &verdict);

/// "12.30 us" and "4.5 %".
std::string timeText(double nanoseconds);
std::string percentText(double share);

} // namespace meld::adapt
