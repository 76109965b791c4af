// The address spaces of pointers for AMD's GPUs (LLVM's "User Guide for AMDGPU Backend", Address
// Spaces). Those of NVPTX have the same numbers for flat, global, shared and constant memory.
#pragma once

namespace meld::passes {

inline constexpr unsigned flatSpace = 0, globalSpace = 1, gdsSpace = 2, ldsSpace = 3,
                          constantSpace = 4, scratchSpace = 5;

} // namespace meld::passes
