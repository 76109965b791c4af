// meld-else-if: loops on two sides, one of which asks once more before it begins.
//
//      D: br c                      D: br c or g
//      |     |                      |          |
//      A     G: br g                M: br c    |       G's code stands in D
//      |     |     |      =>        |     |    |
//      |     B     |                A     B    |
//      |     |     |                |     |    |
//      +- J -+-----+                +- J -+----+
//
//   if (even) mergeLow();  else if (0 < t && t < last) mergeHigh();
//
// A and B then are the sides of one branch, and the general melder (meld-cfm) joins their loops. The
// same threads run A and B as before; only G's code is run by all who come to D, so it has to be
// cheap, free of effects, and safe for those whom it was not meant for. What it computes for them
// may be poison: `c or g` is a select, which does not look at g where c holds.
//
// Sides without loops are padding's business (meld-padding), which runs before.
//
// Everything is done on a copy of the function, which is kept only when the plan gains and pairs
// loops. Ends: each melding lowers the estimated cost, and there is a ceiling. Cost: a copy of the
// function and one plan for each such branch. Would be unsafe: a load or a convergent operation in
// G, which other threads would run, too.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MeldElseIfPass : public LoggedPass<MeldElseIfPass> {
public:
  using LoggedPass::LoggedPass;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
