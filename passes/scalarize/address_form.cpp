#include "passes/scalarize/address_form.h"
#include "passes/scalarize/launch_facts.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned maxDepth = 12;
constexpr size_t maxTerms = 12;

class Decomposer {
public:
  Decomposer(Instruction &access, const AddressContext &context)
      : access_(access), context_(context) {}

  AddressForm take(Value &pointer) {
    addWide(pointer, 1, 0);
    if (!form_.rejected && !form_.base)
      reject("the base address is not a pointer");
    if (!form_.rejected)
      sumLanes();
    return std::move(form_);
  }

private:
  void reject(const char *why) {
    if (!form_.rejected)
      form_.rejected = why;
  }

  bool isUniform(const Value &value) const {
    return isa<Constant>(value) || context_.isUniform(value, access_);
  }

  ConstantRange rangeOf(Value &value) const {
    ConstantRange range = context_.ranges.getConstantRange(&value, &access_, false);
    if (auto dimension = context_.gpu.workItemId(value)) {
      unsigned size = context_.gpu.maxWorkgroup();
      if (auto shape = context_.gpu.workgroupShape())
        size = (*shape)[*dimension];
      if (size)
        range = range.intersectWith(ConstantRange(APInt(32, 0), APInt(32, size)));
    }
    return range;
  }

  void addTerm(Value &leaf, Extension extension, int64_t scale) {
    bool uniform = isUniform(leaf);
    auto &terms = uniform ? form_.uniform : form_.lane;
    for (AddressTerm &term : terms)
      if (term.leaf == &leaf && term.extension == extension) {
        if (AddOverflow(term.scale, scale, term.scale))
          reject("the offset may wrap");
        return;
      }
    if (form_.uniform.size() + form_.lane.size() == maxTerms)
      return reject("the address has too many parts");
    terms.push_back({&leaf, 0, extension, scale});
  }

  void addConstant(const APInt &number, bool isSigned, int64_t scale) {
    int64_t value = isSigned ? number.getSExtValue() : int64_t(number.getZExtValue()), product = 0;
    if (MulOverflow(value, scale, product) || AddOverflow(form_.constant, product, form_.constant))
      reject("the offset may wrap");
  }

  int64_t times(int64_t scale, int64_t factor) {
    int64_t product = 0;
    if (MulOverflow(scale, factor, product))
      reject("the offset may wrap");
    return product;
  }

  // Pointers and 64-bit integers: arithmetic modulo 2^64, as addresses are.
  void addWide(Value &value, int64_t scale, unsigned depth) {
    if (form_.rejected)
      return;
    if (value.getType()->isPointerTy())
      return addPointer(value, scale, depth);
    if (auto *constant = dyn_cast<ConstantInt>(&value))
      return addConstant(constant->getValue(), true, scale);
    if (isUniform(value) || depth == maxDepth)
      return addTerm(value, Extension::low, scale);
    const APInt *number = nullptr;
    auto *op = dyn_cast<Operator>(&value);
    switch (op ? op->getOpcode() : 0) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Or:
      if (op->getOpcode() == Instruction::Or &&
          !haveNoCommonBitsSet(op->getOperand(0), op->getOperand(1), context_.layout))
        break;
      addWide(*op->getOperand(0), scale, depth + 1);
      return addWide(*op->getOperand(1),
                     op->getOpcode() == Instruction::Sub ? times(scale, -1) : scale, depth + 1);
    case Instruction::Mul:
      if (match(op->getOperand(1), m_APInt(number)) && number->getSignificantBits() < 32)
        return addWide(*op->getOperand(0), times(scale, number->getSExtValue()), depth + 1);
      break;
    case Instruction::Shl:
      if (match(op->getOperand(1), m_APInt(number)) && number->ult(32))
        return addWide(*op->getOperand(0), times(scale, int64_t(1) << number->getZExtValue()),
                       depth + 1);
      break;
    case Instruction::SExt:
      return addNarrow(*op->getOperand(0), Extension::sign, scale, depth + 1);
    case Instruction::ZExt:
      return addNarrow(*op->getOperand(0), Extension::zero, scale, depth + 1);
    default:
      break;
    }
    addTerm(value, Extension::low, scale);
  }

  void addPointer(Value &value, int64_t scale, unsigned depth) {
    if (scale != 1 || form_.base)
      return reject("the base address is not one pointer");
    if (isUniform(value)) {
      form_.base = &value;
      return;
    }
    if (auto *cast = dyn_cast<BitCastOperator>(&value);
        cast && cast->getOperand(0)->getType()->isPointerTy())
      return addPointer(*cast->getOperand(0), scale, depth);
    auto *gep = dyn_cast<GEPOperator>(&value);
    if (!gep || depth == maxDepth || !gep->getType()->isPointerTy() ||
        context_.layout.getIndexTypeSizeInBits(gep->getType()) != 64)
      return reject("the base address differs between lanes");
    addPointer(*gep->getPointerOperand(), scale, depth + 1);
    for (auto type = gep_type_begin(gep), end = gep_type_end(gep); type != end && !form_.rejected;
         ++type) {
      Value &index = *type.getOperand();
      if (StructType *structure = type.getStructTypeOrNull()) {
        uint64_t field = cast<ConstantInt>(index).getZExtValue();
        addConstant(APInt(64, uint64_t(context_.layout.getStructLayout(structure)->getElementOffset(
                                  unsigned(field)))),
                    true, 1);
        continue;
      }
      TypeSize size = context_.layout.getTypeAllocSize(type.getIndexedType());
      if (size.isScalable() || !index.getType()->isIntegerTy() ||
          index.getType()->getIntegerBitWidth() > 64)
        return reject("the index is not an integer");
      if (index.getType()->isIntegerTy(64))
        addWide(index, int64_t(size.getFixedValue()), depth + 1);
      else
        addNarrow(index, Extension::sign, int64_t(size.getFixedValue()), depth + 1);
    }
  }

  // The extended value is the same operation on the extended operands.
  bool keeps(const Operator &op, Extension extension) const {
    auto &wrapping = cast<OverflowingBinaryOperator>(op);
    if (extension == Extension::zero ? wrapping.hasNoUnsignedWrap() : wrapping.hasNoSignedWrap())
      return true;
    if (extension == Extension::zero && isPlaceInGrid(op, context_.gpu, context_.layout))
      return true;
    ConstantRange left = rangeOf(*op.getOperand(0)), right = rangeOf(*op.getOperand(1));
    using Result = ConstantRange::OverflowResult;
    bool isSigned = extension == Extension::sign;
    switch (op.getOpcode()) {
    case Instruction::Add:
      return (isSigned ? left.signedAddMayOverflow(right) : left.unsignedAddMayOverflow(right)) ==
             Result::NeverOverflows;
    case Instruction::Sub:
      return (isSigned ? left.signedSubMayOverflow(right) : left.unsignedSubMayOverflow(right)) ==
             Result::NeverOverflows;
    default:
      return false;
    }
  }

  // A narrow value under an extension: the exact number that the extension makes of it.
  void addNarrow(Value &value, Extension extension, int64_t scale, unsigned depth) {
    if (form_.rejected)
      return;
    if (auto *constant = dyn_cast<ConstantInt>(&value))
      return addConstant(constant->getValue(), extension == Extension::sign, scale);
    auto *op = dyn_cast<Operator>(&value);
    if (isUniform(value) || depth == maxDepth || !op)
      return addTerm(value, extension, scale);
    const APInt *number = nullptr;
    unsigned opcode = op->getOpcode();
    auto both = [&](int64_t right) {
      addNarrow(*op->getOperand(0), extension, scale, depth + 1);
      addNarrow(*op->getOperand(1), extension, right, depth + 1);
    };
    switch (opcode) {
    case Instruction::Add:
    case Instruction::Sub: {
      auto other = extension == Extension::sign ? Extension::zero : Extension::sign;
      bool kept = keeps(*op, extension);
      if (!kept && keeps(*op, other) && rangeOf(value).isAllNonNegative()) {
        extension = other; // both extensions of what is not negative are one
        kept = true;
      }
      if (kept)
        return both(opcode == Instruction::Sub ? times(scale, -1) : scale);
      if (assume(value, extension, scale))
        return;
      break;
    }
    case Instruction::Or:
      if (haveNoCommonBitsSet(op->getOperand(0), op->getOperand(1), context_.layout))
        return both(scale);
      break;
    case Instruction::Mul:
      if (match(op->getOperand(1), m_APInt(number)) && keeps(*op, extension) &&
          (extension == Extension::sign || number->isNonNegative()))
        return addNarrow(*op->getOperand(0), extension, times(scale, number->getSExtValue()),
                         depth + 1);
      if (assume(value, extension, scale))
        return;
      break;
    case Instruction::Shl:
      if (match(op->getOperand(1), m_APInt(number)) && keeps(*op, extension) && number->ult(31))
        return addNarrow(*op->getOperand(0), extension,
                         times(scale, int64_t(1) << number->getZExtValue()), depth + 1);
      if (assume(value, extension, scale))
        return;
      break;
    case Instruction::ZExt: // the top bit of what was widened so is zero
      return addNarrow(*op->getOperand(0), Extension::zero, scale, depth + 1);
    case Instruction::SExt:
      if (extension == Extension::sign || rangeOf(value).isAllNonNegative())
        return addNarrow(*op->getOperand(0), Extension::sign, scale, depth + 1);
      break;
    default:
      break;
    }
    addTerm(value, extension, scale);
  }

  // scalars + lanes, in wrapping arithmetic; false: not such a sum.
  bool flatten(Value &value, const APInt &scale, ScalarSum &scalars,
               SmallVectorImpl<std::pair<Value *, int64_t>> &lanes, unsigned depth) {
    if (auto *constant = dyn_cast<ConstantInt>(&value)) {
      scalars.constant += constant->getValue() * scale;
      return true;
    }
    if (isUniform(value)) {
      if (!context_.isEarly(value))
        return false;
      scalars.terms.push_back({&value, scale});
      return scalars.terms.size() <= 4;
    }
    auto *op = dyn_cast<Operator>(&value);
    if (op && depth < 6) {
      unsigned opcode = op->getOpcode();
      if (opcode == Instruction::Add || opcode == Instruction::Sub)
        return flatten(*op->getOperand(0), scale, scalars, lanes, depth + 1) &&
               flatten(*op->getOperand(1), opcode == Instruction::Sub ? -scale : scale, scalars,
                       lanes, depth + 1);
      const APInt *number = nullptr;
      if (opcode == Instruction::Mul && match(op->getOperand(1), m_APInt(number)))
        return flatten(*op->getOperand(0), scale * *number, scalars, lanes, depth + 1);
      if (opcode == Instruction::Shl && match(op->getOperand(1), m_APInt(number)) &&
          number->ult(31))
        return flatten(*op->getOperand(0), scale.shl(*number), scalars, lanes, depth + 1);
    }
    lanes.push_back({&value, scale.getSExtValue()});
    return lanes.size() <= 3;
  }

  bool assume(Value &value, Extension extension, int64_t scale) {
    if (!value.getType()->isIntegerTy(32) || !context_.isEarly)
      return false;
    Assumption made;
    SmallVector<std::pair<Value *, int64_t>, 4> lanes;
    if (!flatten(value, APInt(32, 1), made.sum, lanes, 0) || made.sum.terms.empty() ||
        lanes.empty())
      return false;
    // Small constants stay with the lanes, so that neighbours share one assumption.
    int64_t shift = made.sum.constant.getSExtValue();
    if (shift < -65536 || shift > 65536)
      return false;
    made.sum.constant = 0;
    int64_t least = shift, most = shift;
    for (auto [lane, factor] : lanes) {
      ConstantRange range = rangeOf(*lane);
      if (range.isFullSet() || range.isEmptySet() || range.getSignedMin().isNegative() ||
          range.getSignedMax().sgt(1 << 20) || factor < -1024 || factor > 1024)
        return false;
      int64_t low = range.getSignedMin().getSExtValue() * factor,
              high = range.getSignedMax().getSExtValue() * factor;
      least += std::min(low, high);
      most += std::max(low, high);
    }
    if (most > INT32_MAX / 2 || least < INT32_MIN / 2 ||
        (least < 0 && extension == Extension::zero && !rangeOf(value).isAllNonNegative()))
      return false;
    made.most = uint32_t(INT32_MAX - std::max<int64_t>(most, 0));
    unsigned index = 0;
    while (index < form_.assumptions.size() && !(form_.assumptions[index].sum == made.sum))
      ++index;
    if (index == form_.assumptions.size())
      form_.assumptions.push_back(made);
    form_.assumptions[index].most = std::min(form_.assumptions[index].most, made.most);
    form_.uniform.push_back({nullptr, index, Extension::zero, scale});
    addConstant(APInt(64, uint64_t(shift)), true, scale);
    for (auto [lane, factor] : lanes)
      addTerm(*lane, Extension::zero, times(scale, factor));
    return true;
  }

  void sumLanes() {
    for (const AddressTerm &term : form_.lane) {
      ConstantRange range = rangeOf(*term.leaf);
      if (range.isFullSet() || range.isEmptySet())
        return reject(context_.gpu.workItemId(*term.leaf)
                          ? "the workgroup's size is unknown"
                          : "the range of the lane's part is unknown: the offset may wrap");
      bool isSigned = term.extension != Extension::zero;
      APInt low = isSigned ? range.getSignedMin() : range.getUnsignedMin(),
            high = isSigned ? range.getSignedMax() : range.getUnsignedMax();
      int64_t ends[2] = {};
      if (low.getSignificantBits() > 40 || high.getSignificantBits() > 40 ||
          MulOverflow(isSigned ? low.getSExtValue() : int64_t(low.getZExtValue()), term.scale,
                      ends[0]) ||
          MulOverflow(isSigned ? high.getSExtValue() : int64_t(high.getZExtValue()), term.scale,
                      ends[1]) ||
          AddOverflow(form_.laneLeast, std::min(ends[0], ends[1]), form_.laneLeast) ||
          AddOverflow(form_.laneMost, std::max(ends[0], ends[1]), form_.laneMost))
        return reject("the lane's part is too large: the offset may wrap");
    }
    if (form_.laneMost - std::min<int64_t>(form_.laneLeast, 0) > INT32_MAX ||
        form_.laneLeast < INT32_MIN || form_.laneMost < INT32_MIN)
      reject("the lane's part is too large: the offset may wrap");
  }

  Instruction &access_;
  const AddressContext &context_;
  AddressForm form_;
};

} // namespace

AddressForm addressForm(Value &pointer, Instruction &access, const AddressContext &context) {
  return Decomposer(access, context).take(pointer);
}

} // namespace meld::passes
