// Where in a function what is known of a value can be written down once for all who use it.
#pragma once

#include "llvm/IR/Instruction.h"

namespace meld::passes {

/// The first place where what `made` makes can be used: right behind it, behind all phis of its
/// block if it is one. Null behind a terminator, whose value is known on an edge only.
llvm::Instruction *firstPlaceBehind(const llvm::Instruction &made);

} // namespace meld::passes
