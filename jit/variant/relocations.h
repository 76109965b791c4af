// What the loader has to fill in of a finished version: addresses of its own, or 64 bits of a
// variable's. That it holds its kernel alone and needs nothing but the original's variables is the
// gate's to say (runtime/gate/version_gate.h).
//
//   .rela.dyn  R_AMDGPU_ABS64 gcount, ...       one per slot of the global offset table
//
// Source: LLVM AMDGPU usage, "Relocation Records". Thread rule: pure.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace meld::jit {

/// The error names the first relocation that is of another kind.
llvm::Error checkRelocations(llvm::MemoryBufferRef version);

} // namespace meld::jit
