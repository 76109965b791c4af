// What two sides computed from values that a loop does not change is computed in front of the loop
// again, and the select between the sides chooses among the results.
//
//   for (...) {                             a = base_a + lane; b = base_b + lane;
//     p = c ? base_a : base_b;              for (...) {
//     q = p + lane;              ==>          q = c ? a : b;
//     *q ...                                  *q ...
//   }                                       }
//
// Melding joins the sides' address arithmetic behind one select, which halves what two sides cost
// when each runs. But code motion had taken both out of the loop: there they cost nothing, and
// joined they cost an addition in every round, and a move for each base in a scalar register, since
// v_cndmask_b32 takes a single one besides its mask. InstCombine does the same to selects of
// programs (a select of two single-use sums becomes a sum behind a select).
//
// A select's operations move where its values do not change in the loop, nor what else the
// operations take, its condition differs between the threads of a wave, and nobody else uses it. At
// most three move from one select, the same ones counted once. Results that stand in front of the
// loop already are taken as they are. The new selects are like the first, so chains of operations
// move as a whole. In front of the outermost loop in which all this is so.
//
// Only integer arithmetic, casts and addresses, which may run although their select did not choose
// them: they have no effects, and the poison that flags may make of the side not chosen is not
// chosen either. No division. Would be unsafe: a load; a result found in front of the loop with
// more promises (nuw, inbounds) than the operation makes.
//
// Vector registers that new results take are counted; none move that would cost the kernel a wave
// by the pressure model (cost/pressure.h).
//
// Terminates: one walk over the blocks in reverse post-order; each move takes operations out of the
// loop. Costs O(instructions + users of operands).
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class HoistSelectsPass : public LoggedPass<HoistSelectsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
