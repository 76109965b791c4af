// What a finished version must be, whatever made it: one kernel and its descriptor, nothing else
// that a loader sees, and variables of the original for everything that it does not hold itself.
//
//   .dynsym    kernel, kernel.kd, and undefined: gcount, gscale
//   .rela.dyn  R_AMDGPU_ABS64 gcount, ...       one per slot of the global offset table
//
// Source: LLVM AMDGPU usage, "Relocation Records". Thread rule: pure.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace meld::jit {

/// The error names the first thing that is not so.
llvm::Error checkVersionObject(llvm::MemoryBufferRef original, llvm::MemoryBufferRef version,
                               llvm::StringRef kernel);

} // namespace meld::jit
