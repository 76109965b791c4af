#include "passes/analysis/linear_form.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned maxDepth = 8;
constexpr size_t maxTerms = 16;

class Builder {
public:
  Builder(unsigned bits, const DataLayout &layout)
      : bits_(bits), layout_(layout), form_{APInt(bits, 0), {}} {}

  bool add(const Value &value, const APInt &scale, Extension extension, unsigned depth) {
    if (auto *constant = dyn_cast<ConstantInt>(&value)) {
      form_.constant += scale * extended(constant->getValue(), extension);
      return true;
    }
    if (depth < maxDepth && expand(value, scale, extension, depth + 1))
      return ok_;
    return addLeaf(value, scale, extension);
  }

  std::optional<LinearForm> take() {
    if (!ok_)
      return std::nullopt;
    erase_if(form_.terms, [](const LinearTerm &term) { return term.scale.isZero(); });
    return std::move(form_);
  }

private:
  APInt extended(const APInt &number, Extension extension) const {
    return extension == Extension::sign ? number.sextOrTrunc(bits_) : number.zextOrTrunc(bits_);
  }

  bool addLeaf(const Value &value, const APInt &scale, Extension extension) {
    if (value.getType()->isPointerTy() || value.getType()->getScalarSizeInBits() >= bits_)
      extension = Extension::low;
    for (LinearTerm &term : form_.terms)
      if (term.leaf == &value && term.extension == extension) {
        term.scale += scale;
        return true;
      }
    ok_ = ok_ && form_.terms.size() < maxTerms;
    if (ok_)
      form_.terms.push_back({&value, extension, scale});
    return ok_;
  }

  // False: not a shape that can be looked through; nothing has been added then.
  bool expand(const Value &value, const APInt &scale, Extension extension, unsigned depth) {
    if (value.getType()->isPointerTy())
      return expandPointer(value, scale, extension, depth);
    auto *op = dyn_cast<Operator>(&value);
    if (!op || !value.getType()->isIntegerTy())
      return false;
    auto keeps = [&] { // the sum of the extended parts is the extended sum
      if (extension == Extension::low || value.getType()->getIntegerBitWidth() >= bits_)
        return true;
      auto *wrapping = dyn_cast<OverflowingBinaryOperator>(op);
      return wrapping && (extension == Extension::zero ? wrapping->hasNoUnsignedWrap()
                                                       : wrapping->hasNoSignedWrap());
    };
    auto both = [&](const APInt &left, const APInt &right) {
      add(*op->getOperand(0), left, extension, depth);
      add(*op->getOperand(1), right, extension, depth);
      return true;
    };
    const APInt *number = nullptr;
    switch (op->getOpcode()) {
    case Instruction::Add:
      return keeps() && both(scale, scale);
    case Instruction::Sub:
      return keeps() && both(scale, -scale);
    case Instruction::Or: // no carries at all
      return haveNoCommonBitsSet(op->getOperand(0), op->getOperand(1), layout_) &&
             both(scale, scale);
    case Instruction::Mul:
      if (!keeps() || !match(op->getOperand(1), m_APInt(number)))
        return false;
      add(*op->getOperand(0), scale * extended(*number, extension), extension, depth);
      return true;
    case Instruction::Shl:
      if (!keeps() || !match(op->getOperand(1), m_APInt(number)) ||
          number->uge(value.getType()->getIntegerBitWidth()))
        return false;
      add(*op->getOperand(0), scale.shl(unsigned(number->getZExtValue())), extension, depth);
      return true;
    case Instruction::Trunc: // low bits of sums are sums of low bits
      if (extension != Extension::low && value.getType()->getIntegerBitWidth() < bits_)
        return false;
      add(*op->getOperand(0), scale, Extension::low, depth);
      return true;
    case Instruction::ZExt:
    case Instruction::SExt: {
      bool sign = op->getOpcode() == Instruction::SExt;
      bool widens = value.getType()->getIntegerBitWidth() < bits_;
      if (sign && widens && extension == Extension::zero)
        return false;
      add(*op->getOperand(0), scale, sign ? Extension::sign : Extension::zero, depth);
      return true;
    }
    case Instruction::PtrToInt:
      if (layout_.getTypeSizeInBits(op->getOperand(0)->getType()) !=
              layout_.getTypeSizeInBits(value.getType()) ||
          value.getType()->getIntegerBitWidth() < bits_)
        return false;
      add(*op->getOperand(0), scale, Extension::low, depth);
      return true;
    default:
      return false;
    }
  }

  bool expandPointer(const Value &value, const APInt &scale, Extension extension, unsigned depth) {
    auto *gep = dyn_cast<GEPOperator>(&value);
    if (!gep || extension != Extension::low ||
        layout_.getIndexTypeSizeInBits(value.getType()) != bits_ || !gep->getType()->isPointerTy())
      return false;
    for (const Use &index : gep->indices())
      if (!index->getType()->isIntegerTy())
        return false;
    for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type)
      if (!type.getStructTypeOrNull() && isa<ScalableVectorType>(type.getIndexedType()))
        return false;
    add(*gep->getPointerOperand(), scale, Extension::low, depth);
    for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end; ++type) {
      const Value &index = *type.getOperand();
      if (StructType *structure = type.getStructTypeOrNull()) {
        uint64_t field = cast<ConstantInt>(index).getZExtValue();
        form_.constant +=
            scale *
            APInt(64,
                  uint64_t(layout_.getStructLayout(structure)->getElementOffset(unsigned(field))))
                .zextOrTrunc(bits_);
        continue;
      }
      uint64_t size = layout_.getTypeAllocSize(type.getIndexedType()).getFixedValue();
      add(index, scale * APInt(64, size).zextOrTrunc(bits_), Extension::sign, depth);
    }
    return true;
  }

  unsigned bits_;
  const DataLayout &layout_;
  LinearForm form_;
  bool ok_ = true;
};

} // namespace

std::optional<LinearForm> linearForm(const Value &value, const DataLayout &layout) {
  Type *type = value.getType();
  unsigned bits = type->isIntegerTy()   ? type->getIntegerBitWidth()
                  : type->isPointerTy() ? layout.getIndexTypeSizeInBits(type)
                                        : 0;
  if (bits == 0)
    return std::nullopt;
  Builder builder(bits, layout);
  builder.add(value, APInt(bits, 1), Extension::low, 0);
  return builder.take();
}

std::optional<LinearForm> linearDifference(const ICmpInst &compare, const DataLayout &layout) {
  Type *type = compare.getOperand(0)->getType();
  bool pointers = type->isPointerTy();
  if (!type->isIntegerTy() && !(pointers && compare.isEquality()))
    return std::nullopt;
  unsigned bits = pointers ? layout.getIndexTypeSizeInBits(type) : type->getIntegerBitWidth();
  if (pointers && layout.getTypeSizeInBits(type) != bits)
    return std::nullopt;
  Extension extension = compare.isEquality() ? Extension::low
                        : compare.isSigned() ? Extension::sign
                                             : Extension::zero;
  // Exact: at most maxDepth constant factors below the value's own range could leave twice its
  // bits, so give each level room.
  unsigned wide = compare.isEquality() ? bits : bits * (maxDepth + 2);
  Builder builder(wide, layout);
  APInt one(wide, 1);
  builder.add(*compare.getOperand(0), one, extension, 0);
  builder.add(*compare.getOperand(1), -one, extension, 0);
  return builder.take();
}

} // namespace meld::passes
