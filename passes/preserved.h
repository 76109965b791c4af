#pragma once
#include "llvm/IR/PassManager.h"

namespace meld::passes {

/// What a pass leaves valid that may have changed instructions, but no block and no branch's
/// target.
inline llvm::PreservedAnalyses blocksKept(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace meld::passes
