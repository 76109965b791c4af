#include "passes/llvm_fixes/wide_products.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned word = 32;

/// Of so many equal bits in front of a word on LLVM multiplies numbers of 24 bits.
constexpr unsigned fewEqualBits = 9;

/// As far as instruction selection looks (SelectionDAG::MaxRecursionDepth).
constexpr unsigned deepest = 6;

/// Whether LLVM may find nine equal bits in front of the bits [at, at + 32).
class FewBits {
public:
  explicit FewBits(const DataLayout &layout) : layout_(layout) {}

  bool of(const Value &value, unsigned at, unsigned depth = 0) const {
    const unsigned bits = value.getType()->getScalarSizeInBits();
    const unsigned top = at + word;
    if (const APInt * number; match(&value, m_APInt(number)))
      return number->sextOrTrunc(std::max(bits, top)).extractBits(word, at).getNumSignBits() >=
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
        match(&value, m_Trunc(m_Value(x))) || match(&value, m_Freeze(m_Value(x))))
      return few(x);
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
          .extractBits(word, at)
          .isAllOnes();
    };
    if (opcode != Instruction::Add && opcode != Instruction::Sub && (leaves(x) || leaves(y)))
      return of(leaves(y) ? x : y, at, depth);
    return of(x, at, depth) && of(y, at, depth);
  }

  const DataLayout &layout_;
};

/// What instruction selection makes of products of two words.
bool isWideProduct(const Instruction &instruction) {
  auto bits = [&] { return instruction.getOperand(0)->getType()->getScalarSizeInBits(); };
  if (instruction.getOpcode() == Instruction::Mul)
    return bits() > word;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::umul_fix:
  case Intrinsic::umul_fix_sat:
    return bits() >= word;
  case Intrinsic::umul_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::smul_fix:
  case Intrinsic::smul_fix_sat:
    return bits() > word;
  default:
    return false;
  }
}

/// A product of 64 bits that becomes one of two signed words.
bool isOfSignedWords(const Instruction &product, const DataLayout &layout) {
  return product.getOpcode() == Instruction::Mul && product.getType()->isIntegerTy(64) &&
         all_of(product.operands(),
                [&](Value *factor) { return ComputeNumSignBits(factor, layout) > word; });
}

class Factor {
public:
  /// `cut`: nobody asks for what a product has above the bits of its factors.
  Factor(Value &value, bool cut, const DataLayout &layout)
      : value_(value), bits_(value.getType()->getScalarSizeInBits()), cut_(cut), layout_(layout) {}

  /// The same number, with the words that are misjudged handed on; null: there are none.
  Value *handedOn(IRBuilder<> &builder) const {
    Value *result = nullptr;
    const KnownBits known = computeKnownBits(&value_, layout_);
    for (unsigned at = 0; at < bits_ && !(cut_ && at && at + word >= bits_); at += word) {
      const unsigned width = std::min(word, bits_ - at);
      if (known.Zero[at + width - 1] || !mayBeFew(at, width))
        continue;
      Type *type = value_.getType();
      Value *bits = at ? builder.CreateLShr(&value_, at) : &value_;
      bits = hidden(builder, *builder.CreateTrunc(bits, type->getWithNewBitWidth(width)));
      bits = builder.CreateZExt(bits, type);
      if (at)
        bits = builder.CreateShl(bits, at);
      const APInt others = ~APInt::getBitsSet(bits_, at, at + width);
      if (!others.isSubsetOf(known.Zero))
        bits = builder.CreateOr(
            builder.CreateAnd(result ? result : &value_, ConstantInt::get(type, others)), bits);
      result = bits;
    }
    return result;
  }

private:
  // A vector is taken apart into its elements, and of one of them LLVM may know more than of all. Of a word that the number fills in part
  // the rest can be anything.
  bool mayBeFew(unsigned at, unsigned width) const {
    return width != word || value_.getType()->isVectorTy() || FewBits(layout_).of(value_, at);
  }

  Value &value_;
  unsigned bits_;
  bool cut_;
  const DataLayout &layout_;
};

} // namespace

PreservedAnalyses WideProductsPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *, 8> products;
  for (Instruction &instruction : instructions(function))
    if (isWideProduct(instruction) &&
        !isa<ScalableVectorType>(instruction.getOperand(0)->getType()) &&
        !isOfSignedWords(instruction, layout))
      products.push_back(&instruction);
  bool changed = false;
  for (Instruction *product : products) {
    IRBuilder<> builder(product);
    for (unsigned i : {0u, 1u}) {
      const bool cut = product->getOpcode() == Instruction::Mul;
      Value *factor = product->getOperand(i);
      Value *same = Factor(*factor, cut, layout).handedOn(builder);
      if (!same)
        continue;
      product->setOperand(i, same);
      changed = true;
      if (cut && factor->getType()->getScalarSizeInBits() <= 2 * word)
        break; // of one product of words one factor is enough
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
