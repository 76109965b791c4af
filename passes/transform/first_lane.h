#pragma once
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// llvm.amdgcn.readfirstlane of 32 bits: the value of the first active lane, in a scalar register.
/// A constant stays what it is. Only where EXEC is not empty, and only of what the active lanes
/// have in common ("RDNA and CDNA ISA", V_READFIRSTLANE_B32: lane 0 when EXEC is 0).
llvm::Value *firstLane(llvm::IRBuilder<> &builder, llvm::Value *word);

} // namespace meld::passes
