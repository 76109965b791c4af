// Plans one pair of matching nodes: phis, instruction alignments, and the exact gain of what was
// chosen. Which nodes are paired is decided above (planner.h).
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/cost/cost_model.h"
#include "passes/melder/plan.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace meld::passes {

/// How often a loop is taken to run.
inline constexpr int loopWeight = 4;

/// `idle`: see Planner::setIdle; may be null.
NodePlan planPair(const DivergenceInfo &divergence, const CostModel &cost, const Node &left,
                  const Node &right, NodeMatch match,
                  const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> *idle);

} // namespace meld::passes
