#include "passes/llvm_fixes/keep_joins.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool isJoin(const Instruction &instruction) {
  return match(&instruction, m_Or(m_Value(), m_Value())) ||
         match(&instruction, m_Select(m_Value(), m_One(), m_Value())) ||
         match(&instruction, m_Select(m_Value(), m_Value(), m_One())) ||
         // A negated `and` is an `or` to code generation.
         (match(&instruction, m_And(m_Value(), m_Value())) &&
          any_of(instruction.users(),
                 [](const User *user) { return match(user, m_Not(m_Value())); }));
}

/// Conditions that a block makes of others are folded with what they are made of.
bool isCombination(const Instruction &instruction) {
  return isa<BinaryOperator>(instruction) || isa<SelectInst>(instruction) ||
         isa<FreezeInst>(instruction);
}

bool isUsedIn(const Instruction &instruction, const BasicBlock &block) {
  return any_of(instruction.users(),
                [&](const User *user) { return cast<Instruction>(user)->getParent() == &block; });
}

class Keeper {
public:
  explicit Keeper(Function &function) : function_(function) {}

  bool keepConditions(Instruction &join) {
    const bool mayMove = !isUsedIn(join, *join.getParent());
    bool changed = false;
    for (unsigned i = 0; i != join.getNumOperands(); ++i)
      changed |= keep(join, i, mayMove);
    return changed;
  }

private:
  /// Whether `value`, used in `block`, hangs on what another block has made and nothing was kept of yet; on anything at all where
  /// `anyBlock`.
  bool hangsOnOthers(const Value &value, const BasicBlock &block, bool anyBlock) const {
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const Value *, 8> open{&value};
    while (!open.empty()) {
      const auto *made = dyn_cast<Instruction>(open.pop_back_val());
      if (!made || !made->getType()->isIntegerTy(1) || !seen.insert(made).second ||
          kept_.contains(made))
        continue; // an argument is unknown as it is
      if (anyBlock || made->getParent() != &block)
        return true;
      if (isCombination(*made))
        open.append(made->op_begin(), made->op_end());
    }
    return false;
  }

  bool keep(Instruction &join, unsigned operand, bool mayMove) {
    Value &value = *join.getOperand(operand);
    if (!hangsOnOthers(value, *join.getParent(), mayMove))
      return false;
    IRBuilder<> builder(&join);
    Value *same = builder.CreateXor(&value, &none());
    kept_.insert(same);
    join.setOperand(operand, same);
    return true;
  }

  Value &none() {
    if (!none_) {
      IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
      Type *type = builder.getInt32Ty();
      auto *assembly = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=s,0",
                                      /*hasSideEffects=*/false);
      CallInst *zero = builder.CreateCall(assembly, {builder.getInt32(0)});
      zero->setDoesNotAccessMemory();
      zero->setDoesNotThrow();
      none_ = builder.CreateICmpNE(zero, builder.getInt32(0), "none");
    }
    return *none_;
  }

  Function &function_;
  Value *none_ = nullptr;
  SmallPtrSet<const Value *, 16> kept_;
};

/// Numbers that may be all ones, by what is known here.
bool keepNumbers(Instruction &join, const DataLayout &layout) {
  if (isa<Constant>(join.getOperand(0)) || isa<Constant>(join.getOperand(1)))
    return false; // folded with it, and rightly
  bool changed = false;
  for (Use &operand : join.operands()) {
    const auto *made = dyn_cast<Instruction>(operand);
    if (!made || made->getParent() == join.getParent() || isa<PHINode>(made) ||
        isa<LoadInst>(made) || !computeKnownBits(made, layout).Zero.isZero())
      continue;
    IRBuilder<> builder(&join);
    operand.set(hidden(builder, *operand));
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses KeepJoinsPass::run(Function &function, FunctionAnalysisManager &) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const GpuInfo gpu(function);
  if (gpu.kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *, 32> conditions, numbers;
  for (Instruction &instruction : instructions(function)) {
    if (instruction.getType()->isIntegerTy(1)) {
      if (gpu.waveSize() == 32 && isJoin(instruction))
        conditions.push_back(&instruction);
    } else if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy() &&
               instruction.getType()->getIntegerBitWidth() <= 32) {
      numbers.push_back(&instruction);
    }
  }
  Keeper keeper(function);
  bool changed = false;
  for (Instruction *join : conditions)
    changed |= keeper.keepConditions(*join);
  for (Instruction *join : numbers)
    changed |= keepNumbers(*join, layout);
  return blocksKept(changed);
}

} // namespace meld::passes
