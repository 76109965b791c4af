// meld-triangles: consecutive ifs on one condition, or on one and its opposite, brought together.
//
//     D: br c                    D: br c                      D: br c
//     |    |                     |    |                       |    |
//     A    |                     |    A                       A    B
//     +-M--+  br c2      =>      |    B       c2 = c          |    |      c2 = not c
//     |    |                     +-J--+                       +-J--+
//     B    |
//     +-J--+
//
// The first form saves a branch. The second is a diamond, which meld-cfm can meld; two ifs in a row
// it cannot. What c says about c2 is asked both ways: compares of the same values by predicate,
// others of LLVM's isImpliedCondition.
//
// Code in M: what depends on neither side and has no effect goes up to D, what only comes after
// goes down to J, and the rest is copied to both ways when it costs next to nothing. Each thread
// runs its memory operations in the order it did: memory operations are never moved, only copied
// in place.
//
// LLVM's own jump threading is off for targets with divergent branches, since it may cut a wave's
// reconvergence; here the ways meet again in J, as before.
//
// Terminates: each step removes one way through a divergent branch; a step never copies a branch.
// Cost: linear in the code of A and B per step, plus SSA repair. Would be unsafe: a convergent
// operation in A, M or B, whose set of threads could change, or M reached from elsewhere too; both
// are refused. So is a loop's back edge out of M. A wave runs A before B, and the diamond's sides
// in an order that is not known: so is anything in which threads may wait
// (analysis/forward_progress.h), and what lanes of one way do to memory in front of what those of the
// other way do, where they can tell (analysis/ordered_accesses.h).
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MeldTrianglesPass : public LoggedPass<MeldTrianglesPass> {
public:
  using LoggedPass::LoggedPass;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
