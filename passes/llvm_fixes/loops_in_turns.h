// Loops whose lanes may leave them in different rounds, for passes that give these the shape that
// code generation would give them: by LLVM's own passes, after each of which all is asked anew.
#pragma once

#include "passes/analysis/divergence.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace meld::passes {

class LoopsInTurns {
public:
  LoopsInTurns(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : function_(function), analyses_(analyses) {
    ask();
  }

  const llvm::LoopInfo &loops() const { return *loops_; }
  bool leftInTurns(const llvm::Loop &loop) const {
    return divergence_->firstLaneExitWidth(loop) < Width::wave;
  }
  /// Of any loop that is left so.
  template <typename Property> bool any(Property property) const {
    return llvm::any_of(loops_->getLoopsInPreorder(), [&](const llvm::Loop *loop) {
      return property(*loop) && leftInTurns(*loop);
    });
  }

  template <typename Pass> void run(Pass pass) {
    const llvm::PreservedAnalyses left = pass.run(function_, analyses_);
    analyses_.invalidate(function_, left);
    kept_.intersect(left);
    ask();
  }
  /// To LoopSimplify a loop with several ways round may be two, one in the other.
  void giveOneWayRound() {
    if (any([](const llvm::Loop &loop) { return !loop.getLoopLatch(); }))
      run(llvm::LoopSimplifyPass());
  }
  /// By run().
  const llvm::PreservedAnalyses &kept() const { return kept_; }

private:
  void ask() {
    loops_ = &analyses_.getResult<llvm::LoopAnalysis>(function_);
    divergence_ = analyses_.getResult<DivergenceAnalysis>(function_).get();
  }

  llvm::Function &function_;
  llvm::FunctionAnalysisManager &analyses_;
  const llvm::LoopInfo *loops_ = nullptr;
  const DivergenceInfo *divergence_ = nullptr;
  llvm::PreservedAnalyses kept_ = llvm::PreservedAnalyses::all();
};

} // namespace meld::passes
