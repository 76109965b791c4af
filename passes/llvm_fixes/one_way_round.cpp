#include "passes/llvm_fixes/one_way_round.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/loops_in_turns.h"
#include "passes/preserved.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The latch that code generation may take away, and give the loop several ways round. What it does
/// may be moved, be found dead or assumed by then, so nothing is asked of it; blocks in front of it
/// that only lead there may go as well.
BasicBlock *latchThatMayGo(const Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch || latch->getTerminator()->getNumSuccessors() != 1)
    return nullptr;
  const BasicBlock *first = latch;
  while (const BasicBlock *before = first->getSinglePredecessor()) {
    if (before->getTerminator()->getNumSuccessors() != 1)
      return nullptr;
    first = before;
  }
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
  if (analyses.getResult<LoopAnalysis>(function).empty())
    return PreservedAnalyses::all();
  LoopsInTurns turns(function, analyses);
  turns.giveOneWayRound();
  bool changed = false;
  for (const Loop *loop : turns.loops().getLoopsInPreorder())
    if (BasicBlock *latch = loop->isInnermost() ? nullptr : latchThatMayGo(*loop);
        latch && turns.leftInTurns(*loop)) {
      keep(*latch);
      changed = true;
    }
  PreservedAnalyses kept = turns.kept();
  kept.intersect(blocksKept(changed));
  return kept;
}

} // namespace meld::passes
