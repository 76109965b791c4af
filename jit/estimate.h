// The estimator on machine code, by the names that jit/ uses for it. It is a library of its own
// (passes/cost, target meld_estimate); the profit gate and `meld explain` share it.
#pragma once

#include "jit/machine_code.h"
#include "passes/cost/estimate.h"

namespace meld::jit {

using passes::Estimate;
using passes::estimate;
using passes::judge;
using passes::occupancy;
using passes::Verdict;

} // namespace meld::jit
