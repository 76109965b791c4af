#include "passes/llvm_fixes/far_conditions.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;

namespace {

struct Branches {
  SmallVector<BranchInst *, 2> far; ///< in other blocks than the condition
  bool near = false;                ///< there is one in its own block
  bool inLoop = false;              ///< a cycle is around one that is not around the condition

  bool endangered() const { return !far.empty() && (inLoop || far.size() + near > 1); }
};

/// What a negation negates, for which code generation swaps the sides; any other condition as it is.
Value *positive(Value &condition) {
  Value *negated = nullptr;
  return match(&condition, PatternMatch::m_Not(PatternMatch::m_Value(negated))) ? negated
                                                                                : &condition;
}

/// By condition, in the order of the blocks.
MapVector<Value *, Branches> farConditions(Function &function) {
  CycleInfo cycles;
  cycles.compute(function);
  MapVector<Value *, Branches> found;
  for (BasicBlock &block : function) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    Value *condition = positive(*branch->getCondition());
    auto *made = dyn_cast<Instruction>(condition);
    if (made ? made->isTerminator() : !isa<Argument>(condition))
      continue;
    const BasicBlock &madeIn = made ? *made->getParent() : function.getEntryBlock();
    Branches &of = found[condition];
    if (&madeIn == &block) {
      of.near = true;
      continue;
    }
    const Cycle *around = cycles.getCycle(&block);
    of.inLoop |= around && !around->contains(&madeIn);
    of.far.push_back(branch);
  }
  found.remove_if([](const auto &entry) { return !entry.second.endangered(); });
  return found;
}

/// Behind what makes `condition`; an argument is there at the entry.
Instruction *behind(Value &condition, Function &function) {
  auto *made = dyn_cast<Instruction>(&condition);
  return made ? firstPlaceBehind(*made) : &*function.getEntryBlock().getFirstInsertionPt();
}

} // namespace

PreservedAnalyses FarConditionsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const auto conditions = farConditions(function);
  if (conditions.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const BackendView backend(function, analyses, divergence);
  bool changed = false;
  for (const auto &[condition, branches] : conditions) {
    Value *number = nullptr;
    for (BranchInst *branch : branches.far) {
      if (!backend.isScalar(*branch))
        continue;
      if (!number) {
        IRBuilder<> builder(behind(*condition, function));
        number = hidden(builder, *builder.CreateZExt(condition, builder.getInt32Ty()));
      }
      IRBuilder<> builder(branch);
      const auto compare =
          branch->getCondition() == condition ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
      branch->setCondition(
          builder.CreateICmp(compare, firstLane(builder, number), builder.getInt32(0)));
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
