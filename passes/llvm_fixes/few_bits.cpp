#include "passes/llvm_fixes/few_bits.h"
#include "passes/llvm_fixes/hidden.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// As far as instruction selection looks (SelectionDAG::MaxRecursionDepth).
constexpr unsigned deepest = 6;

/// Whether LLVM may find nine equal bits in front of the bit `top` of a number.
class FewBits {
public:
  explicit FewBits(const DataLayout &layout) : layout_(layout) {}

  bool of(const Value &value, unsigned top, unsigned depth = 0) const {
    const unsigned bits = value.getType()->getScalarSizeInBits();
    if (top > bits)
      return false; // zeros are in front of it, or signs, of which its user was asked
    // Equal bits of the whole are so at the front of each of its parts.
    if (bits - ComputeNumSignBits(&value, layout_) + fewEqualBits <= top)
      return true;
    if (const APInt * number; match(&value, m_APInt(number)))
      return front(*number, top).isZero() || front(*number, top).isAllOnes();
    return depth != deepest && throughOperands(value, top, depth + 1);
  }

private:
  static APInt front(const APInt &bits, unsigned top) {
    return bits.extractBits(fewEqualBits, top - fewEqualBits);
  }

  /// What instruction selection may know more of: bits of other numbers, one by one, and what
  /// intrinsics compute.
  static bool isUnknown(const Value &value) {
    const Value *x;
    if (match(&value, m_BitCast(m_Value(x))))
      return x->getType()->isVectorTy() || value.getType()->isVectorTy();
    const auto *call = dyn_cast<IntrinsicInst>(&value);
    return (call && !call->mayReadOrWriteMemory() && !call->isConvergent()) ||
           isa<ShuffleVectorInst, ExtractValueInst, PtrToIntInst>(value);
  }

  bool throughOperands(const Value &value, unsigned top, unsigned depth) const {
    const Value *x, *y;
    const APInt *by;
    auto few = [&](const Value *operand) { return of(*operand, top, depth); };
    if (match(&value, m_ZExt(m_Value(x))) || match(&value, m_SExt(m_Value(x))) ||
        match(&value, m_Trunc(m_Value(x))) || match(&value, m_Freeze(m_Value(x))) ||
        match(&value, m_ExtractElt(m_Value(x), m_Value())))
      return few(x);
    if (isUnknown(value))
      return true;
    if (match(&value, m_InsertElt(m_Value(x), m_Value(y), m_Value())) ||
        match(&value, m_Select(m_Value(), m_Value(x), m_Value(y))))
      return few(x) && few(y);
    if (match(&value, m_Shr(m_Value(x), m_APInt(by))))
      return by->ult(x->getType()->getScalarSizeInBits()) &&
             of(*x, top + unsigned(by->getZExtValue()), depth);
    if (match(&value, m_Shl(m_Value(x), m_APInt(by))))
      return by->ule(top - fewEqualBits) && of(*x, top - unsigned(by->getZExtValue()), depth);
    if (match(&value, m_BinOp(m_Value(x), m_Value(y))))
      return withOther(cast<BinaryOperator>(value).getOpcode(), *x, *y, top, depth);
    // As LLVM: not of more values (ComputeNumSignBits).
    auto *phi = dyn_cast<PHINode>(&value);
    return phi && phi->getNumIncomingValues() <= 4 && all_of(phi->incoming_values(), few);
  }

  bool withOther(unsigned opcode, const Value &x, const Value &y, unsigned top,
                 unsigned depth) const {
    // No quotient is more than what was divided, no remainder more than either.
    if (opcode == Instruction::SDiv || opcode == Instruction::SRem)
      return of(x, top, depth) || (opcode == Instruction::SRem && of(y, top, depth));
    if (opcode != Instruction::And && opcode != Instruction::Or && opcode != Instruction::Xor &&
        opcode != Instruction::Add && opcode != Instruction::Sub)
      return false;
    // What leaves these bits as they are, but for a carry.
    auto leaves = [&](const Value &operand) {
      KnownBits known = computeKnownBits(&operand, layout_);
      return front(opcode == Instruction::And ? known.One : known.Zero, top).isAllOnes();
    };
    if (leaves(x) || leaves(y))
      return of(leaves(y) ? x : y, top, depth);
    return of(x, top, depth) && of(y, top, depth);
  }

  const DataLayout &layout_;
};

} // namespace

bool mayBeFewAndNegative(const Value &value, unsigned at, const DataLayout &layout) {
  const unsigned bits = value.getType()->getScalarSizeInBits();
  const unsigned top = at + wordBits;
  if (computeKnownBits(&value, layout).Zero[std::min(top, bits) - 1])
    return false;
  return top > bits || value.getType()->isVectorTy() || FewBits(layout).of(value, top);
}

Value *hiddenWords(IRBuilder<> &builder, Value &value, unsigned end, const DataLayout &layout) {
  Value *result = nullptr;
  Type *type = value.getType();
  const unsigned bits = type->getScalarSizeInBits();
  const APInt zeros = computeKnownBits(&value, layout).Zero;
  for (unsigned at = 0; at < end; at += wordBits) {
    if (!mayBeFewAndNegative(value, at, layout))
      continue;
    const unsigned width = std::min(wordBits, bits - at);
    Value *word = at ? builder.CreateLShr(&value, at) : &value;
    word = hidden(builder, *builder.CreateTrunc(word, type->getWithNewBitWidth(width)));
    word = builder.CreateZExt(word, type);
    if (at)
      word = builder.CreateShl(word, at);
    const APInt others = ~APInt::getBitsSet(bits, at, at + width);
    if (!others.isSubsetOf(zeros))
      word = builder.CreateOr(
          builder.CreateAnd(result ? result : &value, ConstantInt::get(type, others)), word);
    result = word;
  }
  return result;
}

} // namespace meld::passes
