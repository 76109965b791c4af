// Selects between what two sides computed, where one of the machine's instructions says the same.
//
//   c ? x + 1 : x - 1              x + d                   d = c ? 1 : -1, in front of the loop
//                                                          where c stays the same in it
//   shared[x + d], shared[x + e]   *(shared[x] + 4 * d)    one sum an access, shared[x] once
//   c ? min(a, b) : max(a, b)      p ? b : a               where p, c ? a > b : b > a, is there
//
// Melding loops that run in opposite directions (merges from the front and from the back, sums up
// and down) leaves such selects: of each round of an unrolled loop the sides' positions, and of each
// comparison the smaller and the larger value. LLVM's InstCombine would join the sums, but runs no
// more, and takes `x | 1`, as which it writes x + 1 for even x, for something else.
//
// Sums: at most 32 bits wide, of one value and constants or what the loop leaves alone, an `or` of
// what has no bits in common counting as one; used by the select alone. The new sums promise
// nothing about wrapping, new addresses nothing about bounds. Addresses of LDS alone, and only where
// at least two have x in common: those of global memory have forms of their own
// (scalarize/affine_address.h).
//
// Minimum and maximum: of the comparison's signedness, used by the select alone. Equal values are
// the same either way. A value that is undefined could be one in the comparison and another in the
// select, so both are frozen for all who use them, unless they are known to be something.
//
// Vector registers that distances in front of loops take are counted; none moves that would cost
// the kernel a wave by the pressure model (cost/pressure.h).
//
// Terminates: one look at each select and at each LDS address, each within a limit. Would be unsafe:
// an `or` that is no sum where it is chosen (in a cycle without a header values of rounds with
// another condition come along, so nothing is concluded there), a minimum compared with the other
// signedness, a comparison that does not stand before the select. A condition is taken to be one
// value: an undefined one that nobody branches on could be several, and none comes from a branch.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class SimplifySelectsPass : public LoggedPass<SimplifySelectsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
