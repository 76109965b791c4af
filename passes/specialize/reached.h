// Which blocks may run at all where certain values are known.
//
//   if (options.order)          order is known to be 0
//     ...                       never runs
//
// Conditions that integers decide alone; of a phi nothing is known. What is left out never runs,
// whatever LLVM makes of it. One look at each block; changes nothing.
#pragma once

#include "passes/specialize/known_values.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace meld::passes {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

Blocks blocksReachedWith(llvm::Function &kernel, const std::vector<KnownValue> &known);

} // namespace meld::passes
