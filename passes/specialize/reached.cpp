#include "passes/specialize/reached.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

namespace {

class Reached {
public:
  Reached(Function &kernel, const std::vector<KnownValue> &known)
      : query_(kernel.getParent()->getDataLayout()) {
    for (const KnownValue &one : known)
      constants_[one.value] = one.constant;
    go(kernel.getEntryBlock());
  }

  // A block is looked at when one before it has been, and so all that dominate it.
  Blocks find() {
    while (!left_.empty()) {
      BasicBlock &block = *left_.pop_back_val();
      for (Instruction &instruction : block)
        compute(instruction);
      follow(*block.getTerminator());
    }
    return std::move(reached_);
  }

private:
  Value *valueOf(Value *value) const {
    const auto known = constants_.find(value);
    return known == constants_.end() ? value : known->second;
  }

  void compute(Instruction &instruction) {
    const auto isInteger = [](const Use &use) { return use->getType()->isIntegerTy(); };
    if (isa<PHINode, CallBase>(instruction) || instruction.mayReadOrWriteMemory() ||
        !instruction.getType()->isIntegerTy() || constants_.count(&instruction) ||
        !all_of(instruction.operands(), isInteger))
      return;
    SmallVector<Value *, 4> operands;
    for (Value *operand : instruction.operands())
      operands.push_back(valueOf(operand));
    if (auto *constant = dyn_cast_or_null<ConstantInt>(
            simplifyInstructionWithOperands(&instruction, operands, query_)))
      constants_[&instruction] = constant;
  }

  void follow(Instruction &end) {
    if (auto *branch = dyn_cast<BranchInst>(&end); branch && branch->isConditional()) {
      if (auto *taken = dyn_cast<ConstantInt>(valueOf(branch->getCondition())))
        return go(*branch->getSuccessor(taken->isZero() ? 1 : 0));
    } else if (auto *choice = dyn_cast<SwitchInst>(&end)) {
      if (auto *which = dyn_cast<ConstantInt>(valueOf(choice->getCondition())))
        return go(*choice->findCaseValue(which)->getCaseSuccessor());
    }
    for (BasicBlock *next : successors(&end))
      go(*next);
  }

  void go(BasicBlock &block) {
    if (reached_.insert(&block).second)
      left_.push_back(&block);
  }

  const SimplifyQuery query_;
  DenseMap<const Value *, Constant *> constants_;
  SmallVector<BasicBlock *, 16> left_;
  Blocks reached_;
};

} // namespace

Blocks blocksReachedWith(Function &kernel, const std::vector<KnownValue> &known) {
  return Reached(kernel, known).find();
}

} // namespace meld::passes
