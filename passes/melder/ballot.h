#pragma once
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// llvm.amdgcn.ballot: a mask of `waveSize` bits of the active lanes in which `condition` holds.
/// Marked as put there by us (melder/first_lane.h).
llvm::Value *ballot(llvm::IRBuilder<> &builder, llvm::Value *condition, unsigned waveSize);

} // namespace meld::passes
