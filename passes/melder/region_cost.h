// What the code below a branch costs a wave that takes every way: the measure by which a change of
// a whole region is judged.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/cost/cost_model.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// Cycles of the blocks from `block` (dominated by it) to its immediate post-dominator, which is
/// not counted, nor is `block`'s own straight code; its terminator is. Code in loops inside counts
/// four times per level.
int regionCost(const llvm::BasicBlock *block, const llvm::DominatorTree &dominators,
               const llvm::PostDominatorTree &postDominators, const llvm::LoopInfo &loops,
               const DivergenceInfo &divergence, const CostModel &cost);

} // namespace meld::passes
