// One instruction out of two: what both promise is kept, what only one promises is dropped.
#pragma once

#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// Makes `merged` (a clone of `left`) valid for `right`'s threads too: flags and fast-math
/// intersected, the smaller alignment, metadata that holds for both, a merged debug location.
/// `swapped` for a compare taken with the right side's operands exchanged needs nothing: the left
/// predicate stands.
void intersectInto(llvm::Instruction &merged, const llvm::Instruction &left,
                   const llvm::Instruction &right);

} // namespace meld::passes
