#include "passes/llvm_fixes/few_bits.h"
#include "passes/llvm_fixes/hidden.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// As far as instruction selection looks (SelectionDAG::MaxRecursionDepth).
constexpr unsigned deepest = 6;

/// Whether LLVM may find nine equal bits in front of the bits [at, at + 32).
class FewBits {
public:
  explicit FewBits(const DataLayout &layout) : layout_(layout) {}

  bool of(const Value &value, unsigned at, unsigned depth = 0) const {
    const unsigned bits = value.getType()->getScalarSizeInBits();
    const unsigned top = at + wordBits;
    if (const APInt * number; match(&value, m_APInt(number)))
      return number->sextOrTrunc(std::max(bits, top)).extractBits(wordBits, at).getNumSignBits() >=
             fewEqualBits;
    // Equal bits of the whole are so at the front of each of its words.
    const unsigned equal = ComputeNumSignBits(&value, layout_);
    if (top > bits || bits - equal + fewEqualBits <= top)
      return true;
    return depth != deepest && throughOperands(value, at, depth + 1);
  }

private:
  bool throughOperands(const Value &value, unsigned at, unsigned depth) const {
    const Value *x, *y;
    const APInt *by;
    auto few = [&](const Value *operand) { return of(*operand, at, depth); };
    if (match(&value, m_ZExt(m_Value(x))) || match(&value, m_SExt(m_Value(x))) ||
        match(&value, m_Trunc(m_Value(x))) || match(&value, m_Freeze(m_Value(x))) ||
        match(&value, m_ExtractElt(m_Value(x), m_Value())))
      return few(x);
    // Bits of other numbers, one by one.
    if (match(&value, m_BitCast(m_Value(x))) && x->getType()->isVectorTy())
      return true;
    if (match(&value, m_FShl(m_Value(), m_Value(), m_Value())) ||
        match(&value, m_FShr(m_Value(), m_Value(), m_Value())))
      return true;
    if (match(&value, m_MaxOrMin(m_Value(x), m_Value(y))) ||
        match(&value, m_InsertElt(m_Value(x), m_Value(y), m_Value())))
      return few(x) && few(y);
    if (match(&value, m_Shr(m_Value(x), m_APInt(by))) &&
        by->ult(x->getType()->getScalarSizeInBits()))
      return of(*x, at + unsigned(by->getZExtValue()), depth);
    if (match(&value, m_Shl(m_Value(x), m_APInt(by))))
      return by->ule(at) && of(*x, at - unsigned(by->getZExtValue()), depth);
    if (match(&value, m_BinOp(m_Value(x), m_Value(y))))
      return withOther(cast<BinaryOperator>(value).getOpcode(), *x, *y, at, depth);
    if (match(&value, m_Select(m_Value(), m_Value(x), m_Value(y))))
      return few(x) && few(y);
    // As LLVM: not of more values (ComputeNumSignBits).
    auto *phi = dyn_cast<PHINode>(&value);
    return phi && phi->getNumIncomingValues() <= 4 && all_of(phi->incoming_values(), few);
  }

  bool withOther(unsigned opcode, const Value &x, const Value &y, unsigned at,
                 unsigned depth) const {
    if (opcode != Instruction::And && opcode != Instruction::Or && opcode != Instruction::Xor &&
        opcode != Instruction::Add && opcode != Instruction::Sub)
      return false;
    // What leaves the word as it is.
    auto leaves = [&](const Value &operand) {
      KnownBits known = computeKnownBits(&operand, layout_);
      return (opcode == Instruction::And ? known.One : known.Zero)
          .extractBits(wordBits, at)
          .isAllOnes();
    };
    if (leaves(x) || leaves(y))
      return of(leaves(y) ? x : y, at, depth);
    return of(x, at, depth) && of(y, at, depth);
  }

  const DataLayout &layout_;
};

} // namespace

bool mayBeFewAndNegative(const Value &value, unsigned at, const DataLayout &layout) {
  const unsigned bits = value.getType()->getScalarSizeInBits();
  const unsigned top = std::min(at + wordBits, bits);
  if (computeKnownBits(&value, layout).Zero[top - 1])
    return false;
  return value.getType()->isVectorTy() || FewBits(layout).of(value, at);
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
