// The two sides of a melding next to each other, as a person reads them: `meld explain`.
//
//   both      fmul float      k.hip:12  | fmul float      k.hip:17
//   left      store global    k.hip:13  |
//
// Costs a string per instruction, for what is melded and no more than maxRows: nothing looks at the
// whole function (LLVM's own printer would, for its numbering).
#pragma once

#include "passes/decision_log.h"
#include "passes/melder/plan.h"

namespace meld::passes {

/// Rows of one melding; the rest is counted.
inline constexpr size_t maxRows = 120;

/// Fills `decision.sides` from a plan that has not been carried out yet.
void recordSides(const Plan &plan, Decision &decision);

} // namespace meld::passes
