#include "passes/specialize/exact_folding.h"
#include "passes/specialize/reached.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace meld::passes {

using namespace llvm;

namespace {

bool isReal(const Type *type) {
  if (auto *structure = dyn_cast<StructType>(type))
    return any_of(structure->elements(), isReal);
  return type->isFPOrFPVectorTy();
}

/// Calls that mean one result, whoever computes it.
bool isExactCall(const CallBase &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::amdgcn_class:
    return true;
  default:
    return false;
  }
}

bool changesMode(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return false;
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return StringRef(assembly->getAsmString()).contains("setreg") ||
           StringRef(assembly->getAsmString()).contains("s_round_mode") ||
           StringRef(assembly->getAsmString()).contains("s_denorm_mode");
  return call->getIntrinsicID() == Intrinsic::amdgcn_s_setreg ||
         call->getIntrinsicID() == Intrinsic::set_rounding;
}

class Folding {
public:
  Folding(Function &kernel, const std::vector<KnownValue> &known, const DominatorTree &dominators,
          const LoopInfo &loops)
      : kernel_(kernel), dominators_(dominators), loops_(loops),
        reached_(blocksReachedWith(kernel, known)) {
    for (const KnownValue &one : known) {
      candidates_.insert(one.value);
      const auto *real = dyn_cast<ConstantFP>(one.constant);
      if (!real || real->isZero())
        zeros_.insert(one.value);
    }
    for (const Instruction &instruction : instructions(kernel))
      otherMode_ |= changesMode(instruction);
    flushes_ = !isIeee("denormal-fp-math") || !isIeee("denormal-fp-math-f32");
  }

  const Instruction *inexact() {
    for (bool more = true; more;) {
      more = false;
      for (const Instruction &instruction : instructions(kernel_)) {
        if (!reached_.count(instruction.getParent()))
          continue;
        if (storesCandidate(instruction))
          more |= stores_.insert(&instruction);
        if (!candidates_.count(&instruction) && becomes(instruction))
          more |= candidates_.insert(&instruction).second;
      }
    }
    for (const Instruction &instruction : instructions(kernel_))
      if (reached_.count(instruction.getParent()) &&
          ((candidates_.count(&instruction) && mayDiffer(instruction)) ||
           isOtherArithmetic(instruction)))
        return &instruction;
    return zeroAsLimit();
  }

private:
  // "" and "ieee,ieee": denormals are numbers.
  bool isIeee(StringRef attribute) const {
    const StringRef value = kernel_.getFnAttribute(attribute).getValueAsString();
    return value.empty() || value == "ieee" || value == "ieee,ieee";
  }
  bool isCandidate(const Value *value) const {
    return isa<Constant>(value) || candidates_.count(value);
  }

  bool becomes(const Instruction &instruction) const {
    if (instruction.getType()->isVoidTy())
      return false;
    auto operands = instruction.operands();
    if (isa<PHINode, SelectInst>(instruction))
      return any_of(operands, [&](const Use &use) { return isCandidate(use); });
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return readsCandidate(*load);
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      if (call->isInlineAsm() || call->mayReadOrWriteMemory())
        return false;
      operands = call->args();
      if (operands.begin() == operands.end()) // an id
        return false;
    }
    return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction) &&
           all_of(operands, [&](const Use &use) { return isCandidate(use); });
  }

  bool storesCandidate(const Instruction &instruction) const {
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return isCandidate(store->getValueOperand());
    return isa<MemIntrinsic>(instruction);
  }

  // Constant data, or what was stored on a way to here.
  bool readsCandidate(const LoadInst &load) const {
    auto *data = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
    return (data && data->isConstant()) || any_of(stores_, [&](const Instruction *store) {
             return isPotentiallyReachable(store, &load, nullptr, &dominators_, &loops_);
           });
  }

  bool mayDiffer(const Instruction &instruction) const {
    switch (instruction.getOpcode()) {
    case Instruction::Call:
      return (isReal(instruction.getType()) ||
              any_of(cast<CallBase>(instruction).args(),
                     [](const Use &use) { return isReal(use->getType()); })) &&
             !isExactCall(cast<CallBase>(instruction));
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FPToSI: // out of range the machine saturates
    case Instruction::FPToUI:
      return true;
    default:
      return false;
    }
  }

  // Where the machine rounds in another way, or takes denormals for 0: already `x * 1` is not x.
  bool isOtherArithmetic(const Instruction &instruction) const {
    return (flushes_ || otherMode_) && isReal(instruction.getType()) &&
           !isa<PHINode, SelectInst, LoadInst, ExtractValueInst, ExtractElementInst, BitCastInst>(
               instruction) &&
           any_of(instruction.operands(), [&](const Use &use) { return candidates_.count(use); });
  }

  // LLVM takes `x > 0 ? x : 0` for a maximum whichever zero that is; the machine's maximum of two
  // zeros is the positive one. Does a value that may become a zero limit another one?
  const Instruction *zeroAsLimit() {
    for (bool more = true; more;) {
      more = false;
      for (const Instruction &instruction : instructions(kernel_))
        if (!isa<PHINode, SelectInst, LoadInst>(instruction) && becomes(instruction) &&
            all_of(instruction.operands(),
                   [&](const Use &use) { return isa<Constant>(use) || zeros_.count(use); }))
          more |= zeros_.insert(&instruction).second;
    }
    SmallPtrSet<const Type *, 4> taken;
    for (const Instruction &instruction : instructions(kernel_))
      if (isa<PHINode, SelectInst>(instruction) && isReal(instruction.getType()) &&
          any_of(instruction.operands(), [&](const Use &use) { return zeros_.count(use); }))
        taken.insert(instruction.getType());
    for (const Instruction &instruction : instructions(kernel_))
      if (const auto *compare = dyn_cast<FCmpInst>(&instruction))
        if (compare->isRelational() && taken.count(compare->getOperand(0)->getType()) &&
            any_of(compare->operands(), [&](const Use &use) { return zeros_.count(use); }))
          return &instruction;
    return nullptr;
  }

  Function &kernel_;
  SmallPtrSet<const Value *, 32> candidates_;
  SmallPtrSet<const Value *, 16> zeros_; ///< what is a constant for sure, and may be 0
  const DominatorTree &dominators_;
  const LoopInfo &loops_;
  const Blocks reached_;
  SmallSetVector<const Instruction *, 8> stores_; ///< of candidates
  bool otherMode_ = false, flushes_ = false;
};

} // namespace

const Instruction *inexactlyFolded(Function &kernel, const std::vector<KnownValue> &known,
                                   const DominatorTree &dominators, const LoopInfo &loops) {
  return Folding(kernel, known, dominators, loops).inexact();
}

} // namespace meld::passes
