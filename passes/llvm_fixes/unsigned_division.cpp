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

/// From so many equal bits in front of 32 on LLVM divides as floats, and multiplies numbers of 24 bits; to divide 64 it wants more.
constexpr unsigned fewEqualBits = 9;

/// Whether LLVM may find it to have few bits, of which the equal ones in front may be ones.
bool mayBeFewAndNegative(const Value &value, const DataLayout &layout) {
  // A vector is taken apart into its elements, and of one of them LLVM may know more than of all.
  if (!value.getType()->isVectorTy() && ComputeNumSignBits(&value, layout) < fewEqualBits)
    return false;
  return !computeKnownBits(&value, layout).isNonNegative();
}

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
  return any_of(division.operands(),
                [&](Value *operand) { return mayBeFewAndNegative(*operand, layout); });
}

/// The operand of a product of two numbers of 32 bits that LLVM may take for a negative one of few bits.
Use *misjudgedFactor(BinaryOperator &product, const DataLayout &layout) {
  Type *type = product.getType();
  if (product.getOpcode() != Instruction::Mul || type->getScalarSizeInBits() != 64 ||
      isa<ScalableVectorType>(type))
    return nullptr;
  auto isMisjudged = [&](const Use &factor) {
    auto *wide = dyn_cast<ZExtInst>(factor);
    return wide && wide->getSrcTy()->getScalarSizeInBits() == 32 &&
           mayBeFewAndNegative(*wide->getOperand(0), layout);
  };
  Use *found = find_if(product.operands(), isMisjudged);
  return found == product.op_end() ? nullptr : found;
}

} // namespace

PreservedAnalyses UnsignedDivisionPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<BinaryOperator *, 8> found;
  SmallVector<Use *, 8> factors;
  for (Instruction &instruction : instructions(function))
    if (auto *operation = dyn_cast<BinaryOperator>(&instruction)) {
      if (misjudged(*operation, layout))
        found.push_back(operation);
      else if (Use *factor = misjudgedFactor(*operation, layout))
        factors.push_back(factor);
    }
  bool changed = !factors.empty();
  for (Use *factor : factors) {
    IRBuilder<> builder(cast<Instruction>(factor->getUser()));
    Value *same = hidden(builder, *cast<ZExtInst>(*factor)->getOperand(0)); // it has 32 bits
    factor->set(builder.CreateZExt(same, factor->get()->getType()));
  }
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
