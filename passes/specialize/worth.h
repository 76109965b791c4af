// Which facts make a kernel better: those of values that decide something, how often something is
// done, or save a division or multiplication, as constants.
//
//   if (n > 0)          yes: one side goes
//   if (x && n)         yes: it is one condition less, or none
//   for (i < n)         yes: the loop can be unrolled
//   (x ? n : y) < 4     yes: the comparison of n is known
//   i += n              yes, in a loop: how often it goes round may be known then
//   x / n, x % n        yes: shifts, or a multiplication by a constant
//   i * n               yes, where it differs from lane to lane; the scalar unit multiplies at once
//   p[i + n], y = a * x no:  a constant in the place of a scalar register gains nothing
//   if (i < n)          no:  unless i is a constant, too
//   i += n * m          n and m, together
//
// What is computed of constants alone is followed. Linear in that. Changes nothing.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/specialize/known_values.h"

namespace meld::passes {

/// Facts that pay together, sorted; each set once, in the order of the values.
std::vector<Facts> payingFacts(const llvm::Function &kernel, const std::vector<KnownValue> &known,
                               const DivergenceInfo &divergence);

} // namespace meld::passes
