#include "passes/transform/branch_analyses.h"

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

} // namespace meld::passes
