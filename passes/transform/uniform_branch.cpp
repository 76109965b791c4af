#include "passes/transform/uniform_branch.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/first_lane.h"
#include "passes/preserved.h"
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

using namespace llvm;

static Value *scalarCondition(BranchInst &branch) {
  IRBuilder<> builder(&branch);
  Value *condition = branch.getCondition();
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (compare && compare->getOperand(0)->getType()->isIntegerTy(32))
    return builder.CreateICmp(compare->getPredicate(), firstLane(builder, compare->getOperand(0)),
                              firstLane(builder, compare->getOperand(1)), "uniform");
  Value *bit = firstLane(builder, builder.CreateZExt(condition, builder.getInt32Ty()));
  return builder.CreateICmpNE(bit, builder.getInt32(0), "uniform");
}

PreservedAnalyses UniformBranchPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || function.isDeclaration() ||
      hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  SmallVector<BranchInst *, 8> found;
  for (BasicBlock &block : function) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() && !isa<Constant>(branch->getCondition()) &&
        divergence.firstLaneBranchWidth(&block) >= Width::wave &&
        divergence.isConvergent(&block, Width::wave))
      found.push_back(branch);
  }
  if (found.empty() || asksForLanes(function, divergence))
    return PreservedAnalyses::all();
  BackendView backend(function, analyses, divergence);
  DecisionRecorder recorder(function, analyses, log_, "meld-uniform-branch", point_);
  bool changed = false;
  for (BranchInst *branch : found) {
    // Inside a loop with a divergent exit the condition may be uniform and its use outside not.
    if (backend.isScalar(*branch->getCondition()) && backend.isScalar(*branch))
      continue;
    Decision decision;
    decision.pass = "meld-uniform-branch";
    decision.location = locationOf(*branch);
    decision.melded = true;
    decision.reason = "wave-uniform branch made scalar";
    DebugLoc where = branch->getDebugLoc();
    branch->setCondition(scalarCondition(*branch));
    recorder.record(std::move(decision), where);
    changed = true;
  }
  return blocksKept(changed);
}

} // namespace meld::passes
