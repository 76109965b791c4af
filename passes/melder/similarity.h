// How much two runs of instructions have in common, before selects: a first look for those who then
// let a plan decide. Cost: one alignment (align.h).
#pragma once

#include "passes/cost/cost_model.h"
#include <vector>

namespace meld::passes {

/// Cycles of what finds a partner on the other side, counted once. `left` and `right` in program
/// order, without phis and terminators.
int similarity(const std::vector<llvm::Instruction *> &left,
               const std::vector<llvm::Instruction *> &right, const CostModel &cost);

} // namespace meld::passes
