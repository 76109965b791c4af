// Whether a kernel gets better when a value of it is a constant: whether it decides something, how
// often something is done, or saves a division or multiplication.
//
//   if (n > 0)          yes: one side goes
//   for (i < n)         yes: the loop can be unrolled
//   i += n              yes, in a loop: how often it goes round may be known then
//   x / n, x % n        yes: shifts, or a multiplication by a constant
//   i * n               yes, where it differs from lane to lane; the scalar unit multiplies at once
//   p[i + n], y = a * x no:  a constant in the place of a scalar register gains nothing
//   if (i < n)          no:  unless i is a constant, too
//
// What is computed of the value and of constants alone is followed. Linear in that. Changes nothing.
#pragma once

#include "passes/analysis/divergence.h"
#include "llvm/IR/Value.h"

namespace meld::passes {

bool paysAsConstant(const llvm::Value &value, const DivergenceInfo &divergence);

} // namespace meld::passes
