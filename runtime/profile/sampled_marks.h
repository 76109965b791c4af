// From samples of a marked kernel's machine code to its blocks, branches and loops: jit/profile/runs.h
// says which lines of code run as often as which marker.
//
// Thread rule: pure functions.
#pragma once

#include "runtime/profile/sampled.h"

#include <map>
#include <string_view>

namespace meld::profile {

/// By bytes from the kernel's first instruction.
using SamplesByOffset = std::map<uint64_t, PcSamples>;

/// The functions of a kernel: those with branches, and the kernel itself. `marks` is JSON as the
/// compile's metadata has it. None at all where it has no lines of code, or nothing of the kernel.
/// `issuedOnly`: the samples are of issued instructions.
std::vector<SampledFunction> sampledFunctionsOf(std::string_view marks,
                                                const SamplesByOffset &samples, bool issuedOnly,
                                                const std::string &kernel);

} // namespace meld::profile
