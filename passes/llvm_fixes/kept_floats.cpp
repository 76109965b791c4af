#include "passes/llvm_fixes/kept_floats.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Code generation has no wider ones.
constexpr unsigned widestFloat = 64;

/// How far to look; in code that nothing reaches a value may be made of itself.
constexpr unsigned mostMade = 8;

/// Of these there is a number that leaves the other operand's value as it is.
bool isArithmetic(unsigned opcode) {
  return opcode == Instruction::FAdd || opcode == Instruction::FSub ||
         opcode == Instruction::FMul || opcode == Instruction::FDiv;
}

bool isComputedFrom(const Value &value, const Value &operand) {
  const auto *operation = dyn_cast<BinaryOperator>(&value);
  return operation && isArithmetic(operation->getOpcode()) &&
         operation->getType()->getScalarSizeInBits() <= widestFloat &&
         is_contained(operation->operands(), &operand);
}

/// Of these LLVM selects the operands first: they change no bit, or the sign alone.
bool keepsTheRest(const Instruction &instruction) {
  return isa<BitCastInst>(instruction) || instruction.getOpcode() == Instruction::FNeg;
}

/// Where that arm's arithmetic is used, of which the other arm is an operand; null where it has none.
Use *arithmeticOf(Use &arm, const Value &other, unsigned depth = 0) {
  if (isComputedFrom(*arm, other))
    return &arm;
  auto *made = dyn_cast<Instruction>(arm);
  const auto *otherMade = dyn_cast<Instruction>(&other);
  if (depth == mostMade || !made || !otherMade || !keepsTheRest(*made) ||
      made->getOpcode() != otherMade->getOpcode())
    return nullptr;
  return arithmeticOf(made->getOperandUse(0), *otherMade->getOperand(0), depth + 1);
}

/// Element by element where no registers hold the whole.
Value *hiddenFloat(IRBuilder<> &builder, Value &value) {
  if (Value *same = hiddenForReading(builder, value))
    return same;
  Type *type = value.getType();
  Type *bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
  return builder.CreateBitCast(hidden(builder, *builder.CreateBitCast(&value, bits)), type);
}

} // namespace

PreservedAnalyses KeptFloatsPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  SmallSetVector<Use *, 8> found; // two selects may have one such arm
  for (Instruction &instruction : instructions(function)) {
    auto *select = dyn_cast<SelectInst>(&instruction);
    if (!select || isa<ScalableVectorType>(select->getType()))
      continue;
    for (unsigned arm : {1u, 2u})
      if (Use *use = arithmeticOf(select->getOperandUse(arm), *select->getOperand(3 - arm)))
        found.insert(use);
  }
  for (Use *use : found) {
    auto *user = cast<Instruction>(use->getUser());
    IRBuilder<> builder(user);
    builder.SetCurrentDebugLocation(user->getDebugLoc());
    use->set(hiddenFloat(builder, *use->get()));
  }
  return blocksKept(!found.empty());
}

} // namespace meld::passes
