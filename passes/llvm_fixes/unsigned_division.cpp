#include "passes/llvm_fixes/unsigned_division.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/few_bits.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Of so many bits numbers are divided as floats.
constexpr unsigned floatBits = 24;

/// Whether LLVM may divide it as such a number, which it may not be.
bool mayBeShortened(const Value &value, bool isUnsigned, const DataLayout &layout) {
  const unsigned bits = value.getType()->getScalarSizeInBits();
  if (bits == wordBits)
    return isUnsigned && mayBeFewAndNegative(value, 0, layout);
  // A vector is divided element by element, and of one of them LLVM may know more than of all.
  const bool isVector = value.getType()->isVectorTy();
  const unsigned equal = isVector ? bits : ComputeNumSignBits(&value, layout);
  if (isUnsigned && equal >= fewEqualBits && !computeKnownBits(&value, layout).isNonNegative())
    return true;
  if (LLVM_VERSION_MAJOR >= 19 || equal < wordBits)
    return false;
  const unsigned used =
      isVector ? computeKnownBits(&value, layout).countMaxActiveBits() : bits - equal;
  return used + (isUnsigned ? 0 : 1) > floatBits;
}

struct Division {
  explicit Division(BinaryOperator &division)
      : instruction(division), bits(division.getType()->getScalarSizeInBits()),
        isQuotient(division.getOpcode() == Instruction::UDiv ||
                   division.getOpcode() == Instruction::SDiv),
        isUnsigned(division.getOpcode() == Instruction::UDiv ||
                   division.getOpcode() == Instruction::URem) {}

  static bool is(const Instruction &instruction) {
    return instruction.isIntDivRem() && !isa<ScalableVectorType>(instruction.getType());
  }

  /// Becomes a multiplication.
  bool isByConstant() const {
    const auto *divisor = dyn_cast<Constant>(instruction.getOperand(1));
    return bits <= wordBits && divisor && !isa<ConstantExpr>(divisor) &&
           !instruction.getFunction()->hasMinSize();
  }

  /// Whether LLVM may take both operands for numbers of few bits where one of them may have more.
  bool isMisjudged(const DataLayout &layout, bool hasAssumptions) const {
    if (bits < wordBits || isByConstant())
      return false;
    // How many bits the other operand has is not asked: code generation may know more of it by then.
    return hasAssumptions || any_of(instruction.operands(), [&](Value *operand) {
             return mayBeShortened(*operand, isUnsigned, layout);
           });
  }

  /// Whether the quotient of the least number of few bits and -1 may be asked for, which has a bit more.
  bool mayOverflow(const DataLayout &layout) const {
    const Value &divided = *instruction.getOperand(0);
    if (isUnsigned || !isQuotient || isByConstant())
      return false;
    if (!computeKnownBits(instruction.getOperand(1), layout).Zero.isZero())
      return false; // never -1
    return bits < wordBits || divided.getType()->isVectorTy()
               ? !computeKnownBits(&divided, layout).isNonNegative()
               : mayBeFewAndNegative(divided, bits - wordBits, layout);
  }

  BinaryOperator &instruction;
  const unsigned bits;
  const bool isQuotient, isUnsigned;
};

/// The same number, known to lie in one bit more than it has by what is known; null: it has too many bits.
Value *withOneBitMore(IRBuilder<> &builder, Value &number, const DataLayout &layout) {
  const unsigned equal = ComputeNumSignBits(&number, layout);
  Value *same = hidden(builder, number);
  const unsigned bits = number.getType()->getScalarSizeInBits();
  if (!same || number.getType()->isVectorTy() || bits < wordBits || bits - equal + 2 > floatBits)
    return same;
  return builder.CreateAShr(builder.CreateShl(same, equal - 2), equal - 2);
}

/// Whether more is known of values than they say themselves.
bool assumesSomething(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<AssumeInst>(&instruction);
    return call && !isa<Constant>(call->getArgOperand(0)); // of pointers in its bundles, else
  });
}

} // namespace

PreservedAnalyses UnsignedDivisionPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  const bool hasAssumptions = assumesSomething(function);
  SmallVector<BinaryOperator *, 8> misjudged, overflowing;
  for (Instruction &instruction : instructions(function)) {
    if (!Division::is(instruction))
      continue;
    const Division division(cast<BinaryOperator>(instruction));
    if (division.isMisjudged(layout, hasAssumptions))
      misjudged.push_back(&division.instruction);
    else if (division.mayOverflow(layout))
      overflowing.push_back(&division.instruction);
  }
  bool changed = false;
  auto hide = [&](BinaryOperator &division, unsigned operand, Value *same) {
    if (same)
      division.setOperand(operand, same);
    changed |= same != nullptr;
  };
  for (BinaryOperator *division : misjudged) {
    // One operand of many bits is enough; a constant divisor is worth keeping.
    const unsigned operand = isa<Constant>(division->getOperand(0)) ? 1 : 0;
    IRBuilder<> builder(division);
    hide(*division, operand, hidden(builder, *division->getOperand(operand)));
  }
  for (BinaryOperator *division : overflowing) {
    IRBuilder<> builder(division);
    if (isa<Constant>(division->getOperand(0)))
      hide(*division, 1, hidden(builder, *division->getOperand(1)));
    else
      hide(*division, 0, withOneBitMore(builder, *division->getOperand(0), layout));
  }
  return blocksKept(changed);
}

} // namespace meld::passes
