#include "passes/llvm_fixes/or_address.h"
#include "passes/analysis/address_spaces.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

struct Scaled {
  Value *index;
  unsigned shift;
};

/// The index that is a variable, and what it is shifted by; nothing where there are several, where it
/// is multiplied by something else, or where another index adds to it: the pointer is no shift then.
std::optional<Scaled> scaledIndex(const GetElementPtrInst &address, const DataLayout &layout) {
  if (address.getType()->isVectorTy())
    return std::nullopt;
  std::optional<Scaled> found;
  for (auto type = gep_type_begin(address); type != gep_type_end(address); ++type) {
    Value *index = type.getOperand();
    if (const auto *constant = dyn_cast<ConstantInt>(index); constant && constant->isZero())
      continue;
    if (found || type.isStruct())
      return std::nullopt;
    const uint64_t size = layout.getTypeAllocSize(type.getIndexedType());
    if (!isPowerOf2_64(size) || size > UINT32_MAX)
      return std::nullopt;
    found = Scaled{index, Log2_64(size)};
  }
  return found;
}

/// `value << shift` in the width of an address, with the `or` outermost; null where there is none
/// that selection could take for a sum.
Value *orOfShifts(IRBuilder<> &builder, Value *value, unsigned shift, const DataLayout &layout) {
  const unsigned width = layout.getIndexSizeInBits(ldsSpace);
  while (true) {
    Value *inner = nullptr;
    const APInt *by = nullptr;
    if (!match(value, m_Shl(m_Value(inner), m_APInt(by))) ||
        value->getType()->getIntegerBitWidth() != width || by->uge(width - shift))
      break;
    value = inner;
    shift += static_cast<unsigned>(by->getZExtValue());
  }
  // Of an index of another width, selection moves the extension in front of the `or`.
  const auto *cast = dyn_cast<CastInst>(value);
  if (cast && isa<SExtInst, ZExtInst, TruncInst>(cast))
    value = cast->getOperand(0);
  Value *x = nullptr;
  Constant *bits = nullptr;
  if (shift == 0 || !match(value, m_Or(m_Value(x), m_ImmConstant(bits))) ||
      haveNoCommonBitsSet(x, bits, layout))
    return nullptr;
  Type *type = builder.getIntNTy(width);
  const auto widened = [&](Value *narrow) {
    if (cast)
      narrow = builder.CreateCast(cast->getOpcode(), narrow, cast->getType());
    return builder.CreateSExtOrTrunc(narrow, type);
  };
  return builder.CreateOr(builder.CreateShl(widened(x), shift),
                          builder.CreateShl(widened(bits), shift));
}

} // namespace

PreservedAnalyses OrAddressPass::run(Function &function, FunctionAnalysisManager &) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<GetElementPtrInst *> addresses;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
          address && address->getAddressSpace() == ldsSpace)
        addresses.push_back(address);
  bool changed = false;
  for (GetElementPtrInst *address : addresses) {
    const auto scaled = scaledIndex(*address, layout);
    if (!scaled || !scaled->index->getType()->isIntegerTy())
      continue;
    IRBuilder<> builder(address);
    Value *offset = orOfShifts(builder, scaled->index, scaled->shift, layout);
    if (!offset)
      continue;
    Value *base = address->getPointerOperand();
    Value *spelled = address->isInBounds()
                         ? builder.CreateInBoundsGEP(builder.getInt8Ty(), base, offset)
                         : builder.CreateGEP(builder.getInt8Ty(), base, offset);
    spelled->takeName(address);
    address->replaceAllUsesWith(spelled);
    address->eraseFromParent();
    changed = true;
  }
  return blocksKept(changed);
}

} // namespace meld::passes
