// One instruction out of two: what both promise is kept, what only one promises is dropped.
#pragma once

#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// Makes `merged` (a clone of `left`) valid for `right`'s threads too: flags and fast-math
/// intersected, the smaller alignment, metadata that holds for both (metadata_rules.h), a merged
/// debug location. `swapped`: `right`'s first two operands were exchanged, and what a call promises
/// of them goes with them; a compare's left predicate stands.
void intersectInto(llvm::Instruction &merged, const llvm::Instruction &left,
                   const llvm::Instruction &right, bool swapped = false);

} // namespace meld::passes
