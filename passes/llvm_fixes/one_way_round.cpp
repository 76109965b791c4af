#include "passes/llvm_fixes/one_way_round.h"

#include "passes/analysis/divergence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The latch that code generation would take away, and give the loop several ways round.
BasicBlock *emptyLatch(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch || !latch->hasNPredecessorsOrMore(2) ||
      !isa<BranchInst>(latch->getFirstNonPHIOrDbgOrLifetime()) ||
      latch->getTerminator()->getNumSuccessors() != 1)
    return nullptr;
  return latch;
}

void keep(BasicBlock &block) {
  IRBuilder<> builder(block.getTerminator());
  auto *nothing = InlineAsm::get(FunctionType::get(builder.getVoidTy(), false), "", "",
                                 /*hasSideEffects=*/true);
  builder.CreateCall(nothing)->setDoesNotThrow();
}

} // namespace

PreservedAnalyses OneWayRoundPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const LoopInfo *loops = &analyses.getResult<LoopAnalysis>(function);
  if (loops->empty())
    return PreservedAnalyses::all();
  const DivergenceInfo *divergence = analyses.getResult<DivergenceAnalysis>(function).get();
  const auto leftInTurns = [&](const Loop *loop) {
    return divergence->firstLaneExitWidth(*loop) < Width::wave;
  };
  PreservedAnalyses kept = PreservedAnalyses::all();
  if (any_of(loops->getLoopsInPreorder(),
             [&](const Loop *loop) { return !loop->getLoopLatch() && leftInTurns(loop); })) {
    kept = LoopSimplifyPass().run(function, analyses);
    analyses.invalidate(function, kept);
    loops = &analyses.getResult<LoopAnalysis>(function);
    divergence = analyses.getResult<DivergenceAnalysis>(function).get();
  }
  bool changed = false;
  for (const Loop *loop : loops->getLoopsInPreorder())
    if (BasicBlock *latch = loop->isInnermost() ? nullptr : emptyLatch(*loop);
        latch && leftInTurns(loop)) {
      keep(*latch);
      changed = true;
    }
  kept.intersect(blocksKept(changed));
  return kept;
}

} // namespace meld::passes
