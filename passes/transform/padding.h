// meld-cfm, second part: a block on one side, a region on the other.
//
//        D                     D           the left side gets the region's shape: B where it
//      /   \                 /   \         fits best, the rest empty, and every branch a
//     B     R               P0    R        constant that
//     |    / \             / \   / \       leads to B
//     |   S   T    =>     P1  B S   T      then the two are melded as regions: P0 with R, P1 with
//     |    \ /             \ /   \ /       S, B with T; the branch of the result is
//     |     |               |     |        select(C, constant, R's condition)
//      \   /                 \   /
//        J                     J
//
// The region's own code stays as it is: in a block that pairs with an empty one only threads of the
// region's side arrive, so it needs no guard, and nothing is speculated. Code above (R) is guarded
// or speculated as the alignment decides, under the same rules as everywhere.
//
// Control-flow melding (Saumya et al., CGO'22) replicates the region and speculates both; here no
// thread runs an instruction that it would not have run.
//
// Everything is done on a copy of the function, which is kept only when the plan gains. Ends: each
// melding lowers the estimated cost, and there is a ceiling. Cost: a copy of the function and one
// plan for each place that is tried, at most two per branch. Would be unsafe: a region with a
// loop or a switch (no constant leads through it once), so those are left out; convergent
// operations are the melder's business (legality.h).
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MeldPaddingPass : public LoggedPass<MeldPaddingPass> {
public:
  using LoggedPass::LoggedPass;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
