#include "passes/melder/branch_analyses.h"

namespace meld::passes {

using namespace llvm;

AnalysisKey BranchAnalysis::Key;

BranchAnalysis::Result BranchAnalysis::run(Function &function, FunctionAnalysisManager &) {
  return std::make_unique<BranchAnalyses>(function);
}

const BranchAnalyses &CurrentAnalyses::get() {
  if (asItCame_)
    return *analyses_.getResult<BranchAnalysis>(function_);
  if (!own_)
    own_ = std::make_unique<BranchAnalyses>(function_);
  return *own_;
}

void CurrentAnalyses::changed() {
  asItCame_ = false;
  own_.reset();
}

void CurrentAnalyses::leave() {
  if (!asItCame_)
    leaveAnalyses(function_, analyses_, std::move(own_));
}

void leaveAnalyses(Function &function, FunctionAnalysisManager &analyses,
                   std::unique_ptr<BranchAnalyses> current) {
  if (auto *known = analyses.getCachedResult<BranchAnalysis>(function))
    *known = std::move(current);
}

PreservedAnalyses keepAnalyses(Function &function, FunctionAnalysisManager &analyses) {
  PreservedAnalyses preserved = PreservedAnalyses::none();
  if (auto *known = analyses.getCachedResult<BranchAnalysis>(function); known && *known)
    preserved.preserve<BranchAnalysis>();
  return preserved;
}

} // namespace meld::passes
