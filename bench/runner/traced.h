// Reads a profile of the software GPU, with what was known of the program when it was compiled.
#pragma once

#include "bench/runner/scalar_report.h"

#include <filesystem>
#include <string>

namespace meld::bench {

/// The instructions of one kernel as they lie in memory.
struct TracedKernel {
  std::string name;
  std::vector<TracedInstruction> code;
};

/// The application's kernels of a profile. `program` is the executable that ran; where it has a
/// line table, instructions get their lines. Empty when there is no profile.
std::vector<TracedKernel> tracedKernels(const std::filesystem::path &profile,
                                        const std::filesystem::path &program);

/// What bench/scalar/plugin.cpp wrote: claims by line. Empty when there is no such file.
std::map<uint32_t, Claim> claimsOf(const std::filesystem::path &file);

} // namespace meld::bench
