#include "passes/melder/legality.h"
#include "passes/analysis/wave_state.h"
#include "passes/melder/scope_markers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace meld::passes {

using namespace llvm;

bool isIgnorable(const Instruction &instruction) {
  return isa<DbgInfoIntrinsic>(instruction) || isa<PseudoProbeInst>(instruction) ||
         isa<AssumeInst>(instruction) || isScopeMarker(instruction);
}

bool isConvergentOperation(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  // The cheap question first: the other may look into callees.
  return call && (call->isConvergent() || waveOperation(*call).use != WaveUse::none);
}

std::optional<std::string> obstacle(const BasicBlock &block) {
  if (block.hasAddressTaken())
    return "a block's address is taken";
  if (block.isEHPad())
    return "exception handling";
  const Instruction *terminator = block.getTerminator();
  if (!isa<BranchInst>(terminator) && !isa<SwitchInst>(terminator))
    return "a side ends in something other than a branch or switch";
  for (const Instruction &instruction : block) {
    if (isConvergentOperation(instruction))
      return "a convergent operation on one side";
    if (isa<AllocaInst>(instruction))
      return "an alloca on one side";
    if (instruction.getType()->isTokenTy())
      return "a token on one side";
    if (auto *call = dyn_cast<CallInst>(&instruction); call && call->isMustTailCall())
      return "a musttail call on one side";
  }
  return std::nullopt;
}

bool maySpeculate(const Instruction &instruction) {
  if (instruction.mayReadOrWriteMemory() || isa<PHINode>(instruction) ||
      isa<AllocaInst>(instruction))
    return false;
  // LLVM judges divisions by their operands where they stand; for the other side's threads the
  // operands are arbitrary, so only a constant divisor counts.
  if (instruction.isIntDivRem() && !isa<ConstantInt>(instruction.getOperand(1)))
    return false;
  return isSafeToSpeculativelyExecute(&instruction);
}

bool maySelectOperand(const Instruction &instruction, unsigned index) {
  const Value *operand = instruction.getOperand(index);
  Type *type = operand->getType();
  if (type->isMetadataTy() || type->isTokenTy() || type->isLabelTy() || !type->isFirstClassType() ||
      operand->isSwiftError() || isa<InlineAsm>(operand))
    return false;
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    if (index >= call->arg_size())
      return false; // the callee, bundle operands
    // A scalar register holds one value for the wave, and a choice by thread is two.
    return !call->paramHasAttr(index, Attribute::ImmArg) &&
           !call->paramHasAttr(index, Attribute::InReg);
  }
  if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction)) {
    if (index == 0)
      return !type->isVectorTy();
    auto step = gep_type_begin(gep);
    std::advance(step, index - 1);
    return !step.isStruct();
  }
  // A dynamic lane would turn a register access into a loop over lanes.
  if (isa<ExtractElementInst>(instruction))
    return index == 0;
  if (isa<InsertElementInst>(instruction))
    return index < 2;
  if (isa<SwitchInst>(instruction))
    return index == 0;
  return true;
}

static bool sameShape(const Instruction &left, const Instruction &right) {
  if (left.getOpcode() != right.getOpcode() || left.getType() != right.getType() ||
      left.getNumOperands() != right.getNumOperands())
    return false;
  for (unsigned i = 0; i < left.getNumOperands(); ++i) {
    Value *l = left.getOperand(i), *r = right.getOperand(i);
    if (l->getType() != r->getType())
      return false;
    if (l != r && (!maySelectOperand(left, i) || !maySelectOperand(right, i)))
      return false;
  }
  return true;
}

static bool samePlace(const Value *left, const Value *right) {
  return left->getType() == right->getType() && left->getType()->getPointerAddressSpace() != 7;
}

static bool sameCall(const CallBase &left, const CallBase &right) {
  if (!isa<CallInst>(left) || left.getCalledOperand() != right.getCalledOperand() ||
      left.getFunctionType() != right.getFunctionType() ||
      left.getCallingConv() != right.getCallingConv())
    return false;
  if (left.hasOperandBundles() || right.hasOperandBundles() || left.isInlineAsm() ||
      left.cannotMerge() || right.cannotMerge())
    return false;
  // Descriptors, offsets and the like must stay in scalar registers, and only the target knows
  // which.
  auto *intrinsic = dyn_cast<IntrinsicInst>(&left);
  if (intrinsic && left.mayReadOrWriteMemory()) {
    StringRef name = intrinsic->getCalledFunction()->getName();
    bool plainMemory = !name.contains(".amdgcn.") || name.contains(".global.atomic.") ||
                       name.contains(".flat.atomic.") || name.contains(".ds.f");
    for (unsigned i = 0; i < left.arg_size() && !plainMemory; ++i)
      if (left.getArgOperand(i) != right.getArgOperand(i))
        return false;
  }
  // An intrinsic's declaration carries what matters; anything else must be promised on both sides
  // alike.
  return isa<IntrinsicInst>(left) || left.getAttributes() == right.getAttributes();
}

static bool swappable(const Instruction &left) {
  if (left.isCommutative() && left.getNumOperands() >= 2)
    return left.getOperand(0)->getType() == left.getOperand(1)->getType();
  return false;
}

PairShape mayPair(const Instruction &left, const Instruction &right, bool invertRight) {
  // The most frequent kind first, and short: its operands have its type and can all be selected.
  if (isa<BinaryOperator>(left)) {
    if (left.getOpcode() != right.getOpcode() || left.getType() != right.getType() ||
        (isa<FPMathOperator>(left) && left.hasAllowContract() != right.hasAllowContract()))
      return {};
    return {true, left.isCommutative()};
  }
  if (isa<PHINode>(left) || left.isTerminator() || isa<AllocaInst>(left) || left.isEHPad() ||
      left.getType()->isTokenTy() || isConvergentOperation(left) || isConvergentOperation(right))
    return {};
  if (!sameShape(left, right))
    return {};

  // Contraction changes rounding, so it must be allowed on both or on neither; other flags are
  // intersected.
  if (isa<FPMathOperator>(left) && left.hasAllowContract() != right.hasAllowContract())
    return {};

  if (auto *l = dyn_cast<CmpInst>(&left)) {
    auto *r = cast<CmpInst>(&right);
    PairShape shape;
    CmpInst::Predicate predicate = invertRight ? r->getInversePredicate() : r->getPredicate();
    shape.straight = l->getPredicate() == predicate;
    shape.swapped = l->getPredicate() == CmpInst::getSwappedPredicate(predicate);
    return shape;
  }
  if (auto *l = dyn_cast<LoadInst>(&left)) {
    auto *r = cast<LoadInst>(&right);
    return {samePlace(l->getPointerOperand(), r->getPointerOperand()) &&
                l->isVolatile() == r->isVolatile() && l->getOrdering() == r->getOrdering() &&
                l->getSyncScopeID() == r->getSyncScopeID(),
            false};
  }
  if (auto *l = dyn_cast<StoreInst>(&left)) {
    auto *r = cast<StoreInst>(&right);
    return {samePlace(l->getPointerOperand(), r->getPointerOperand()) &&
                l->isVolatile() == r->isVolatile() && l->getOrdering() == r->getOrdering() &&
                l->getSyncScopeID() == r->getSyncScopeID(),
            false};
  }
  if (auto *l = dyn_cast<AtomicRMWInst>(&left)) {
    auto *r = cast<AtomicRMWInst>(&right);
    return {l->getOperation() == r->getOperation() && l->isVolatile() == r->isVolatile() &&
                l->getOrdering() == r->getOrdering() && l->getSyncScopeID() == r->getSyncScopeID(),
            false};
  }
  if (auto *l = dyn_cast<AtomicCmpXchgInst>(&left)) {
    auto *r = cast<AtomicCmpXchgInst>(&right);
    return {l->isVolatile() == r->isVolatile() && l->isWeak() == r->isWeak() &&
                l->getSuccessOrdering() == r->getSuccessOrdering() &&
                l->getFailureOrdering() == r->getFailureOrdering() &&
                l->getSyncScopeID() == r->getSyncScopeID(),
            false};
  }
  if (auto *l = dyn_cast<FenceInst>(&left)) {
    auto *r = cast<FenceInst>(&right);
    return {l->getOrdering() == r->getOrdering() && l->getSyncScopeID() == r->getSyncScopeID(),
            false};
  }
  if (auto *l = dyn_cast<CallBase>(&left)) {
    bool same = sameCall(*l, cast<CallBase>(right));
    return {same, same && swappable(left)};
  }
  if (auto *l = dyn_cast<GetElementPtrInst>(&left))
    return {l->getSourceElementType() == cast<GetElementPtrInst>(right).getSourceElementType(),
            false};
  if (auto *l = dyn_cast<ExtractValueInst>(&left))
    return {l->getIndices() == cast<ExtractValueInst>(right).getIndices(), false};
  if (auto *l = dyn_cast<InsertValueInst>(&left))
    return {l->getIndices() == cast<InsertValueInst>(right).getIndices(), false};
  if (auto *l = dyn_cast<ShuffleVectorInst>(&left))
    return {l->getShuffleMask() == cast<ShuffleVectorInst>(right).getShuffleMask(), false};
  return {true, swappable(left)};
}

} // namespace meld::passes
