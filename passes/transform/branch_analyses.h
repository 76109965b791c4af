// What a transform asks about a function, built in one go. Built anew after each change: nothing
// here is cached by a pass manager, so a copy of a function can be looked at too.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/cost/cost_model.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

struct BranchAnalyses {
  explicit BranchAnalyses(llvm::Function &function)
      : dominators(function), postDominators(function), loops(dominators),
        divergence(function, loops, dominators, postDominators, options()),
        cost(function, divergence.gpu()) {}

  llvm::DominatorTree dominators;
  llvm::PostDominatorTree postDominators;
  llvm::LoopInfo loops;
  DivergenceInfo divergence;
  CostModel cost;

private:
  static DivergenceOptions options() {
    DivergenceOptions options;
    options.assumeOneDimension = true; // leaving a branch alone is always right
    return options;
  }
};

} // namespace meld::passes
