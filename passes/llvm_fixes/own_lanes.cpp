#include "passes/llvm_fixes/own_lanes.h"

#include "passes/analysis/backend_view.h"
#include "passes/analysis/gpu_info.h"
#include "passes/preserved.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

bool isUndefined(const Value *value) { return isa<UndefValue>(value); }

/// The one value that the lanes have which have any; null: there are several, or all have one.
Value *onlyValue(const PHINode &phi) {
  if (!any_of(phi.incoming_values(), isUndefined) || !phi.hasConstantOrUndefValue())
    return nullptr;
  for (Value *value : phi.incoming_values())
    if (!isUndefined(value) && value != &phi)
      return value;
  return nullptr;
}

/// Undefined in every lane that comes here for the first time, and so in all.
bool hasNone(const PHINode &phi) {
  return all_of(phi.incoming_values(),
                [&](const Value *value) { return isUndefined(value) || value == &phi; });
}

/// Poison may become anything, and what is undefined anything but poison: InstSimplify, which takes phis away as well, forgets the second
/// in LLVM 15.
bool isKnownAt(const Value &value, const PHINode &phi, const DominatorTree &dominators) {
  auto *made = dyn_cast<Instruction>(&value);
  if (made && !dominators.dominates(made, &phi))
    return false;
  return all_of(
             phi.incoming_values(),
             [](const Value *other) { return isa<PoisonValue>(other) || !isUndefined(other); }) ||
         isGuaranteedNotToBePoison(&value);
}

/// Nobody has made that element of the vector. Behind so many steps that is taken for so: in unreachable code there is no end.
bool lacks(const Value *value, unsigned element) {
  for (unsigned steps = 0; steps < 64; ++steps) {
    if (auto *constant = dyn_cast<Constant>(value)) {
      const Constant *part = constant->getAggregateElement(element);
      return part && isUndefined(part);
    }
    if (auto *insert = dyn_cast<InsertElementInst>(value)) {
      auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
      if (index && index->equalsInt(element))
        return isUndefined(insert->getOperand(1));
      value = insert->getOperand(0);
    } else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(value)) {
      const int from = shuffle->getMaskValue(element);
      auto *type = dyn_cast<FixedVectorType>(shuffle->getOperand(0)->getType());
      if (from < 0 || !type)
        return from < 0;
      const unsigned elements = type->getNumElements();
      value = shuffle->getOperand(unsigned(from) < elements ? 0 : 1);
      element = unsigned(from) % elements;
    } else {
      return false;
    }
  }
  return true;
}

/// All of it, or an element: code generation takes phis of vectors apart.
bool isMissing(const Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return isUndefined(value) ||
         (type && any_of(seq(0u, type->getNumElements()),
                         [&](unsigned element) { return lacks(value, element); }));
}

/// Poison that is the place's own. Of a vector each element is the same: wide registers that nothing defines end LLVM 22's coalescer.
Value *ownPoison(Instruction &place, Type *type) {
  IRBuilder<> builder(&place);
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return builder.CreateFreeze(PoisonValue::get(type));
  Value *element = builder.CreateFreeze(PoisonValue::get(vector->getElementType()));
  return builder.CreateVectorSplat(vector->getNumElements(), element);
}

class Giver {
public:
  Giver(Function &function, FunctionAnalysisManager &analyses, const DominatorTree &dominators)
      : function_(function), analyses_(analyses), dominators_(dominators) {}

  bool give(PHINode &phi) {
    SmallVector<unsigned, 8> edges; // by what the others are as they stand
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      if (isMissing(phi.getIncomingValue(i)) || mayProveMissing(phi, i))
        edges.push_back(i);
    SmallDenseMap<BasicBlock *, Value *, 4> frozen; // a switch may come by several edges
    for (unsigned i : edges) {
      Value *missing = phi.getIncomingValue(i);
      Value *&value = frozen[phi.getIncomingBlock(i)];
      Instruction &place = *phi.getIncomingBlock(i)->getTerminator();
      if (!value)
        value = isUndefined(missing) ? ownPoison(place, phi.getType())
                                     : IRBuilder<>(&place).CreateFreeze(missing);
      phi.setIncomingValue(i, value);
    }
    return !edges.empty();
  }

private:
  /// What code generation alone may find to be undefined, and then the phi to be uniform: another value of it is, and it is not.
  bool mayProveMissing(const PHINode &phi, unsigned edge) {
    auto *made = dyn_cast<Instruction>(phi.getIncomingValue(edge));
    if (!made || isLatch(phi, edge) || isGuaranteedNotToBeUndefOrPoison(made))
      return false;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      auto *other = dyn_cast<Instruction>(phi.getIncomingValue(i));
      if (other && other != made && !isLatch(phi, i) && !isMissing(other) && isUniform(*other) &&
          !isUniform(phi))
        return true;
    }
    return false;
  }

  bool isLatch(const PHINode &phi, unsigned edge) const {
    return dominators_.dominates(phi.getParent(), phi.getIncomingBlock(edge));
  }

  bool isUniform(const Value &value) {
    if (!backend_) // LLVM's analysis is dear. What is asked for is older than it, and no freeze of ours
      backend_.emplace(function_, analyses_, analyses_.getResult<LoopAnalysis>(function_));
    return backend_->isScalar(value);
  }

  Function &function_;
  FunctionAnalysisManager &analyses_;
  const DominatorTree &dominators_;
  std::optional<BackendView> backend_;
};

/// Phis whose lanes all may have one value, and what is undefined by what is made of it.
bool resolve(Function &function, const DominatorTree &dominators) {
  const SimplifyQuery query(function.getParent()->getDataLayout(), nullptr, &dominators);
  SetVector<Instruction *> open; // the last is looked at first
  SmallVector<Instruction *, 16> gone;
  SmallPtrSet<const Instruction *, 16> isGone;
  for (BasicBlock &block : reverse(function))
    for (Instruction &instruction : reverse(block))
      open.insert(&instruction);
  while (!open.empty()) {
    Instruction &instruction = *open.pop_back_val();
    Value *value = nullptr;
    if (isGone.count(&instruction))
      continue;
    if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      value = hasNone(*phi) ? UndefValue::get(phi->getType()) : onlyValue(*phi);
      if (value && !isKnownAt(*value, *phi, dominators))
        value = nullptr;
    } else if (any_of(instruction.operands(), isUndefined) &&
               wouldInstructionBeTriviallyDead(&instruction)) {
      value = simplifyInstruction(&instruction, query);
      if (value && !isUndefined(value))
        value = nullptr;
    }
    if (!value)
      continue;
    for (User *user : instruction.users()) // they may have one value, or none, now
      open.insert(cast<Instruction>(user));
    instruction.replaceAllUsesWith(value);
    gone.push_back(&instruction);
    isGone.insert(&instruction);
  }
  for (Instruction *instruction : gone)
    instruction->dropAllReferences();
  for (Instruction *instruction : gone)
    instruction->eraseFromParent();
  return !gone.empty();
}

} // namespace

PreservedAnalyses OwnLanesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const DominatorTree &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = resolve(function, dominators);
  if (changed)
    analyses.invalidate(function, blocksKept(true));
  Giver giver(function, analyses, dominators);
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis())
      changed |= giver.give(phi);
  return blocksKept(changed);
}

} // namespace meld::passes
