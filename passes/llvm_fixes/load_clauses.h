// Load clauses of one load in functions that have been changed.
//
// LLVM 15 recomputes live intervals wrongly where it forms load clauses for XNACK: LiveRangeCalc
// takes "undefined later in this block" for "undefined on entry", and a register is reused too
// early. Melded code, with its long if/else regions and phis, meets it more often, but any change
// may be the one that lets it show. Clauses of one load avoid it; ordinary targets lose nothing
// else.
//
// The last pass of the pipeline sets it wherever something of ours was changed, in the function
// itself or in what was inlined into it: LLVM's inliner does not carry the attribute to the caller.
// Passes that meld set it, too, for runs by their name alone.
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
