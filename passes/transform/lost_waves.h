// What a plan would cost in waves: a melding that keeps the operands of both sides alive at once
// may need so many vector registers that the machine holds fewer waves, and those hid latency.
//
// Where machine code is made anyway the estimate on it has the last word (cost/estimate.h); this is
// for where there is none, plain `opt`. Cost: liveness over the function (cost/pressure.h), asked
// only for plans that would be carried out.
#pragma once

#include "passes/transform/branch_analyses.h"
#include "passes/transform/plan.h"

namespace meld::passes {

/// Cycles to take off the plan's gain; zero while no occupancy step is lost.
int lostWavesOf(const Plan &plan, const BranchAnalyses &now);

} // namespace meld::passes
