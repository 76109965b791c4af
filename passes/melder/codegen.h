// Carries a plan out.
//
// For each pair of nodes, in order:
//
//      Pl      Pr            Pl     Pr
//      |       |               \   /
//     [Nl]    [Nr]    =>         E           entry: phis, or selects of what differs
//      |       |                 |
//      Sl      Sr               [N]          one clone per pair, with select C, l, r for operands
//                                |           that differ; unpaired runs behind `br C`, their
//                                |           values phi [v], [poison]
//                           br C, Sl, Sr     or a plain jump when Sl == Sr
//
// C, the branch's condition, dominates everything here and is not poison (it has been branched on).
// Values of one side that the other side's threads would see are poison or garbage there, and only
// selects on C or code behind C use them. Terminates: one pass over the plan. Cost: linear in the
// arms, plus SSA repair.
#pragma once

#include "passes/melder/plan.h"

namespace meld::passes {

/// Melds what `plan` says. The function's analyses are stale afterwards.
void carryOut(Plan &plan);

} // namespace meld::passes
