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

/// Whether LLVM may take both operands for numbers of few bits where one of them may have more.
bool misjudged(const BinaryOperator &division, const DataLayout &layout) {
  Type *type = division.getType();
  const unsigned bits = type->getScalarSizeInBits(), opcode = division.getOpcode();
  const bool isUnsigned = opcode == Instruction::UDiv || opcode == Instruction::URem;
  const bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if ((!isUnsigned && !isSigned) || isa<ScalableVectorType>(type) || bits < wordBits)
    return false;
  if (bits == wordBits && isa<Constant>(division.getOperand(1)))
    return false; // becomes a multiplication
  // How many bits the other operand has is not asked: code generation may know more of it by then.
  return any_of(division.operands(),
                [&](Value *operand) { return mayBeShortened(*operand, isUnsigned, layout); });
}

} // namespace

PreservedAnalyses UnsignedDivisionPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<BinaryOperator *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (auto *division = dyn_cast<BinaryOperator>(&instruction))
      if (misjudged(*division, layout))
        found.push_back(division);
  bool changed = false;
  for (BinaryOperator *division : found) {
    // One operand of many bits is enough; a constant divisor is worth keeping.
    const unsigned operand = isa<Constant>(division->getOperand(0)) ? 1 : 0;
    IRBuilder<> builder(division);
    if (Value *same = hidden(builder, *division->getOperand(operand))) {
      division->setOperand(operand, same);
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
