#include "passes/llvm_fixes/or_address.h"
#include "passes/analysis/address_spaces.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A pointer whose value may be nothing but an index that was shifted.
bool mayBeShift(const Value &pointer) {
  const Value *base = getUnderlyingObject(&pointer, /*MaxLookup=*/0);
  const auto *type = dyn_cast<PointerType>(base->getType()->getScalarType());
  return type && (isa<Constant>(base) || isa<IntToPtrInst>(base)) &&
         is_contained({gdsSpace, ldsSpace, scratchSpace}, type->getAddressSpace());
}

/// Selection looks through these, or makes a shift of them.
bool isArithmetic(const Instruction &instruction) {
  return isa<BinaryOperator, TruncInst, ZExtInst, SExtInst, FreezeInst, PtrToIntInst,
             ExtractElementInst, InsertElementInst, ShuffleVectorInst>(instruction);
}

class Finder {
public:
  explicit Finder(const DataLayout &layout) : layout_(layout) {}

  /// What `user` takes as its operand, of an address.
  void look(Use &use) {
    auto *value = dyn_cast<Instruction>(use.get());
    if (!value)
      return;
    if (isOr(*value)) {
      found_[value].push_back(&use);
      return;
    }
    if (isArithmetic(*value) && seen_.insert(value).second)
      for (Use &operand : value->operands())
        look(operand);
  }

  /// The `or`s, each with the uses that belong to addresses.
  const MapVector<Instruction *, SmallVector<Use *, 2>> &found() const { return found_; }

private:
  bool isOr(Instruction &value) const {
    Value *x = nullptr;
    Constant *bits = nullptr;
    return value.getType()->isIntegerTy() &&
           match(&value, m_c_Or(m_Value(x), m_ImmConstant(bits))) &&
           !haveNoCommonBitsSet(x, bits, layout_);
  }

  const DataLayout &layout_;
  SmallPtrSet<Instruction *, 16> seen_;
  MapVector<Instruction *, SmallVector<Use *, 2>> found_;
};

} // namespace

PreservedAnalyses OrAddressPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  Finder finder(function.getParent()->getDataLayout());
  for (Instruction &instruction : instructions(function)) {
    if (!instruction.getType()->isPtrOrPtrVectorTy())
      continue;
    if (isa<IntToPtrInst>(instruction)) {
      if (mayBeShift(instruction))
        finder.look(instruction.getOperandUse(0));
    } else if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
               address && mayBeShift(*address->getPointerOperand())) {
      for (Use &index : address->indices())
        finder.look(index);
    }
  }
  bool changed = false;
  for (const auto &[value, uses] : finder.found()) {
    IRBuilder<> builder(value->getNextNode());
    builder.SetCurrentDebugLocation(value->getDebugLoc());
    Value *same = hidden(builder, *value);
    if (!same)
      continue;
    for (Use *use : uses)
      use->set(same);
    changed = true;
  }
  return blocksKept(changed);
}

} // namespace meld::passes
