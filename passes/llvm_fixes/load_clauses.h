// Load clauses of one load in functions that have been melded.
//
// LLVM 15 recomputes live intervals wrongly where it forms load clauses for XNACK: LiveRangeCalc
// takes "undefined later in this block" for "undefined on entry", and a register is reused too
// early. Melded code, with its long if/else regions and phis, meets it more often. Clauses of one
// load avoid it; ordinary targets lose nothing else.
//
// To be deleted when the oldest LLVM that is supported has LiveRangeCalc right; later versions have
// not been looked at.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

inline void avoidLoadClauses(llvm::Function &function) {
  function.addFnAttr("amdgpu-max-memory-clause", "1");
}

} // namespace meld::passes
