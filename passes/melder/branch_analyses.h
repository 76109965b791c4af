// What a transform asks about a function, built in one go, and anew after each change.
//
// BranchAnalyses by itself knows no pass manager, so a copy of a function can be looked at too.
// Passes begin with the one that the pass manager keeps (CurrentAnalyses): our passes run in a row,
// and most of them change nothing.
#pragma once

#include "passes/analysis/call_sites.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/analysis/ordered_accesses.h"
#include "passes/cost/cost_model.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <string>

namespace meld::passes {

struct BranchAnalyses {
  explicit BranchAnalyses(llvm::Function &function)
      : dominators(function), postDominators(function), loops(dominators),
        divergence(function, loops, dominators, postDominators, options(function)),
        cost(function, divergence.gpu()), progress(function, dominators, postDominators),
        accesses(divergence.gpu()) {}

  llvm::DominatorTree dominators;
  llvm::PostDominatorTree postDominators;
  llvm::LoopInfo loops;
  DivergenceInfo divergence;
  CostModel cost;
  ForwardProgress progress;
  mutable OrderedAccesses accesses;

  /// What planning a branch came to, so that it is not planned twice for the same function: passes
  /// in a row, branch fusion and the general melder, look at the same branches.
  struct Planned {
    bool possible = false;
    int gain = 0;
    double percent = 0;
    std::string reason, alignment;
  };
  /// By the branch's block and how it was planned (cfm.cpp).
  mutable llvm::DenseMap<std::pair<const llvm::BasicBlock *, unsigned>, Planned> planned;

private:
  static DivergenceOptions options(const llvm::Function &function) {
    DivergenceOptions options; // leaving a branch alone is always right
    options.assumeOneDimension = true;
    options.arguments = argumentsAtCalls(function);
    return options;
  }
};

class BranchAnalysis : public llvm::AnalysisInfoMixin<BranchAnalysis> {
public:
  using Result = std::unique_ptr<BranchAnalyses>;
  Result run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  friend llvm::AnalysisInfoMixin<BranchAnalysis>;
  static llvm::AnalysisKey Key;
};

/// What holds for a function that one run of a pass changes step by step.
class CurrentAnalyses {
public:
  CurrentAnalyses(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : function_(function), analyses_(analyses) {}

  /// Valid until the function is changed.
  const BranchAnalyses &get();
  /// To be called after each change.
  void changed();
  /// To be called at the end: see leaveAnalyses().
  void leave();

private:
  llvm::Function &function_;
  llvm::FunctionAnalysisManager &analyses_;
  std::unique_ptr<BranchAnalyses> own_;
  bool asItCame_ = true;
};

/// At the end of a pass that has changed `function`: what holds for it now, or null when that is
/// not known, takes the place of what the pass manager keeps, so that the next pass need not begin
/// anew.
void leaveAnalyses(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
                   std::unique_ptr<BranchAnalyses> current);
/// What such a pass preserves.
llvm::PreservedAnalyses keepAnalyses(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);

} // namespace meld::passes
