// Reads what MELD_GPU_PROFILE wrote (counters/profile.h, docs/counters.md).
//
// Untrusted input: what is missing or of another kind is an error. Thread rule: none.
#pragma once

#include "runtime/result.h"
#include "runtime/softgpu/counters/profile.h"

#include <vector>

namespace meld::softgpu {

struct RecordedProfile {
  std::string program; ///< path of the process that ran
  std::vector<KernelProfile> kernels;
};

/// Errors: badInput, also for a profile of before lost lanes were recorded.
Result<RecordedProfile> parseProfile(std::string_view json);

/// The kernels of several processes in one list: same name, processor and origin, and the same code
/// wherever both ran, are one kernel. In the order in which they come first.
std::vector<KernelProfile> mergedKernels(std::vector<RecordedProfile> profiles);

} // namespace meld::softgpu
