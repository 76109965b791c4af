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

/// The operand to hide, null where the division is sound.
Value *misjudged(const BinaryOperator &division, const DataLayout &layout) {
  const unsigned opcode = division.getOpcode();
  if ((opcode != Instruction::UDiv && opcode != Instruction::URem) ||
      !division.getType()->isIntegerTy() || division.getType()->getIntegerBitWidth() < 32 ||
      isa<Constant>(division.getOperand(1)))
    return nullptr;
  Value *mayBeNegative = nullptr;
  for (Value *operand : division.operands()) {
    if (ComputeNumSignBits(operand, layout) < fewEqualBits)
      return nullptr;
    if (!computeKnownBits(operand, layout).isNonNegative())
      mayBeNegative = operand;
  }
  return mayBeNegative;
}

} // namespace

PreservedAnalyses UnsignedDivisionPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<std::pair<BinaryOperator *, Value *>, 8> found;
  for (Instruction &instruction : instructions(function))
    if (auto *division = dyn_cast<BinaryOperator>(&instruction))
      if (Value *operand = misjudged(*division, layout))
        found.emplace_back(division, operand);
  bool changed = false;
  for (const auto &[division, operand] : found) {
    IRBuilder<> builder(division);
    if (Value *same = hidden(builder, *operand)) {
      division->replaceUsesOfWith(operand, same);
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
