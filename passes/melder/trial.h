// A copy of a function to try something on; the original is touched only when the copy turns out
// better, so that a function in which nothing comes of it leaves exactly as it came, down to the
// order of its use lists.
#pragma once

#include "passes/melder/branch_analyses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace meld::passes {

class Trial {
public:
  /// The copy stands at the end of the module while the trial lives: no module pass may run then.
  explicit Trial(llvm::Function &function);
  ~Trial();
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;

  llvm::Function &copy() { return *copy_; }
  /// The copy's block that stands for `block` of the original; valid until the copy is changed.
  llvm::BasicBlock *twin(const llvm::BasicBlock &block) const;

  /// The function gets the copy's body. At most once, and the end of the trial.
  void adopt();

private:
  llvm::Function &function_;
  llvm::Function *copy_ = nullptr;
};

/// Whether inlining will soon give the function's callers its code. A trial is dear, and there it
/// would be made again, so the early point leaves such functions to them.
bool goesIntoCallers(const llvm::Function &function);

/// Offers the terminators in reverse post-order to `tryAt` until it says that it has changed the
/// function, then starts again with new analyses, at most `rounds` times. True when anything was
/// changed.
bool changeOneByOne(
    llvm::Function &function, llvm::FunctionAnalysisManager &analyses, unsigned rounds,
    llvm::function_ref<bool(llvm::Instruction &terminator, const BranchAnalyses &now)> tryAt);

} // namespace meld::passes
