#include "passes/llvm_fixes/unsigned_division.h"
#include "passes/compat.h"
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

/// From so many equal bits in front of 32 on LLVM divides as floats; in front of 64 it wants more.
constexpr unsigned fewEqualBits = 9;

/// Whether LLVM may take both operands for numbers of few bits where one of them may be negative.
bool misjudged(const BinaryOperator &division, const DataLayout &layout) {
  const unsigned opcode = division.getOpcode();
  Type *type = division.getType();
  const unsigned bits = type->getScalarSizeInBits();
  if ((opcode != Instruction::UDiv && opcode != Instruction::URem) ||
      isa<ScalableVectorType>(type) || bits < 32)
    return false;
  if (bits == 32 && isa<Constant>(division.getOperand(1)))
    return false; // becomes a multiplication
  // How many bits the other operand has is not asked: code generation may know more of it by then.
  return any_of(division.operands(), [&](Value *operand) {
    // A vector is divided element by element, and of one of them LLVM may know more than of all.
    if (!type->isVectorTy() && ComputeNumSignBits(operand, layout) < fewEqualBits)
      return false;
    return !computeKnownBits(operand, layout).isNonNegative();
  });
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
