// What melding leaves of a side must not come together behind our back.
//
//     x = melded                       both sides ask with the same operand now; before, with
//     br c, L, R                       two values. LLVM's SimplifyCFG (15, which does not ask
//     L: m = ballot(x) ..              whether a call is convergent) takes the ballot in front of
//     R: m = ballot(x) ..              the branch, where all lanes vote.
//
// So every operation of the wave (analysis/wave_state.h) in a function that has been changed gets,
// at its call,
//   nomerge                 neither hoisting nor sinking nor tail merging puts two into one
//   "meld-apart"="<n>"      a number of its own: no two such calls are identical, which hoisting,
//                           EarlyCSE and FlattenCFG ask for
// Neither costs an instruction. Which pass asks for what is in docs/convergence.md.
//
// To be called by every pass that has changed a function, before anything of LLVM looks at it. One
// walk over the function; calls numbered before are numbered anew. Thread rule: none.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

void keepApart(llvm::Function &function);

} // namespace meld::passes
