// Which parts of the two arms of a branch are paired: the global alignment of two sequences with
// affine gaps, as of instructions (align.h), with other states.
//
//   left:  block A; loop L; block B        pair A, C
//   right: block C; block D          ->    left-only L     behind a guard
//                                          pair B, D
//
// States: 0 behind a pair; 1, 2, 3 in a run of unpaired nodes that has some of the left side, of the
// right, of both. Such a run costs a guard, one of both sides a branch with an else. Counterparts
// stand at about the same place of their sequences: of long ones only pairs near the diagonal are
// looked at, which keeps the number of pairs planned linear in the length.
//
// Terminates: one look at each pair of places. O(n*m) time and space besides the planning of pairs.
#pragma once

#include "passes/cost/cost_model.h"
#include "passes/melder/plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace meld::passes {

struct NodeAlignment {
  std::vector<NodePlan> pairs; ///< in program order
  int score = 0;               ///< what they gain, less the guards
};

/// `planPair` plans the i-th node of the left with the j-th of the right; a plan without blocks: they
/// cannot be paired. `endsMeet`: behind the last nodes both sides' threads go on together; where they
/// do not, a branch is left at the end.
NodeAlignment alignNodes(size_t left, size_t right, bool endsMeet, const CostModel &cost,
                         llvm::function_ref<NodePlan(size_t i, size_t j)> planPair);

} // namespace meld::passes
