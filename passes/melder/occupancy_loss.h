// What a plan would cost in waves: a melding that keeps the operands of both sides alive at once
// may need so many vector registers that the machine holds fewer waves, and those hid latency.
//
// Where machine code is made anyway the estimate on it has the last word (cost/estimate.h); this is
// for where there is none, plain `opt`. Cost: liveness over the function (cost/pressure.h), once
// and only when a plan would be carried out.
#pragma once

#include "passes/cost/pressure.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/plan.h"
#include <optional>

namespace meld::passes {

/// For plans of one function, as long as it stays as it is.
class OccupancyLoss {
public:
  explicit OccupancyLoss(const BranchAnalyses &now) : now_(now) {}
  /// Cycles to take off the plan's gain; zero while no occupancy step is lost.
  int of(const Plan &plan);

private:
  const BranchAnalyses &now_;
  std::optional<PressureModel> pressure_; ///< made for the first plan
};

} // namespace meld::passes
