#include "passes/llvm_fixes/stay_in_loop.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/preserved.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// What the code behind the loop uses. Phis are copies, but where a branch always goes one way the
/// code generator finds that they are what they copy; not so those that take what the last
/// iteration hands on.
SmallVector<Instruction *, 16> usedBehind(const Cycle &loop, ArrayRef<BasicBlock *> postOrder) {
  SmallVector<Instruction *, 16> found;
  auto isBehind = [&](const User *user) {
    return !loop.contains(cast<Instruction>(user)->getParent());
  };
  for (BasicBlock *block : postOrder)
    if (loop.contains(block))
      for (Instruction &instruction : reverse(*block))
        if ((isa<PHINode>(instruction) ? !loop.isEntry(block) : canSink(instruction)) &&
            any_of(instruction.users(), isBehind))
          found.push_back(&instruction);
  return found;
}

class Keeper {
public:
  Keeper(Function &function, FunctionAnalysisManager &analyses, const DivergenceInfo &divergence)
      : divergence_(divergence), backend_(function, analyses, divergence) {}

  bool keepIn(const Cycle &loop, ArrayRef<Instruction *> used) {
    if (!hasDivergentExit(loop))
      return false;
    bool changed = false;
    for (Instruction *instruction : used) {
      Value *own = backend_.isScalar(*instruction) ? nullptr : handOnAll(*instruction);
      if (!own)
        continue;
      changed = true;
      instruction->replaceUsesWithIf(own, [&](const Use &use) {
        return !loop.contains(cast<Instruction>(use.getUser())->getParent());
      });
    }
    return changed;
  }

private:
  /// Null for what has no register. A structure is as many values as it has fields: one mask may
  /// choose between those of two.
  static Value *handOnAll(Instruction &instruction) {
    if (hasRegisterType(instruction))
      return handOn(instruction);
    auto *structure = dyn_cast<StructType>(instruction.getType());
    if (!structure)
      return nullptr;
    IRBuilder<> builder(placeBehind(instruction));
    Value *whole = PoisonValue::get(structure);
    for (unsigned i = 0; i != structure->getNumElements(); ++i) {
      Value *field = builder.CreateExtractValue(&instruction, i);
      auto *made = dyn_cast<Instruction>(field);
      Value *own = made ? handOnAll(*made) : nullptr;
      whole = builder.CreateInsertValue(whole, own ? own : field, i);
    }
    return whole;
  }

  bool hasDivergentExit(const Cycle &loop) const {
    return any_of(loop.blocks(), [&](const BasicBlock *block) {
      return any_of(successors(block),
                    [&](const BasicBlock *next) { return !loop.contains(next); }) &&
             divergence_.isDivergentBranch(block);
    });
  }

  const DivergenceInfo &divergence_;
  BackendView backend_;
};

} // namespace

PreservedAnalyses StayInLoopPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  CycleInfo cycles;
  cycles.compute(function);
  SmallVector<const Cycle *, 8> inside(cycles.toplevel_begin(), cycles.toplevel_end());
  for (size_t i = 0; i != inside.size(); ++i)
    append_range(inside, inside[i]->children());
  if (inside.empty())
    return PreservedAnalyses::all();
  SmallVector<BasicBlock *, 32> postOrder;
  append_range(postOrder, post_order(&function.getEntryBlock()));
  std::optional<Keeper> keeper;
  bool changed = false;
  for (const Cycle *loop : reverse(inside)) { // inner ones first
    const auto used = usedBehind(*loop, postOrder);
    if (used.empty())
      continue;
    if (!keeper) {
      auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
      if (divergence.gpu().kind() != GpuKind::amdgpu)
        return PreservedAnalyses::all();
      keeper.emplace(function, analyses, divergence);
    }
    changed |= keeper->keepIn(*loop, used);
  }
  return blocksKept(changed);
}

} // namespace meld::passes
