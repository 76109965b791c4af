#include "passes/llvm_fixes/wide_products.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/few_bits.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// What instruction selection makes of products of two words.
bool isWideProduct(const Instruction &instruction) {
  auto bits = [&] { return instruction.getOperand(0)->getType()->getScalarSizeInBits(); };
  if (instruction.getOpcode() == Instruction::Mul)
    return bits() > wordBits;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::umul_fix:
  case Intrinsic::umul_fix_sat:
    return bits() >= wordBits;
  case Intrinsic::umul_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::smul_fix:
  case Intrinsic::smul_fix_sat:
    return bits() > wordBits;
  default:
    return false;
  }
}

/// A product of 64 bits that becomes one of two signed words.
bool isOfSignedWords(const Instruction &product, const DataLayout &layout) {
  return product.getOpcode() == Instruction::Mul && product.getType()->isIntegerTy(64) &&
         all_of(product.operands(),
                [&](Value *factor) { return ComputeNumSignBits(factor, layout) > wordBits; });
}

/// Up to which bit the words of a factor count: of a product that is cut nobody asks for the upper
/// half of what the word on top gives.
unsigned endOfWords(const Instruction &product) {
  const unsigned bits = product.getOperand(0)->getType()->getScalarSizeInBits();
  return product.getOpcode() == Instruction::Mul ? unsigned(alignDown(bits - 1, wordBits)) : bits;
}

/// The indices of an address are multiplied by sizes, as numbers of 64 bits; by powers of two they
/// are shifted.
bool hideIndices(GetElementPtrInst &address, const DataLayout &layout) {
  bool changed = false;
  unsigned operand = 1;
  for (auto type = gep_type_begin(address), end = gep_type_end(address); type != end; ++type) {
    Use &index = address.getOperandUse(operand++);
    if (isa<Constant>(index) || !index->getType()->isIntegerTy(64) ||
        isPowerOf2_64(layout.getTypeAllocSize(type.getIndexedType()).getKnownMinValue()) ||
        ComputeNumSignBits(index, layout) > wordBits)
      continue; // the last: a product of signed words
    IRBuilder<> builder(&address);
    if (Value *same = hiddenWords(builder, *index, wordBits, layout)) {
      index.set(same);
      changed = true;
    }
  }
  return changed;
}

} // namespace

PreservedAnalyses WideProductsPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *, 8> products;
  SmallVector<GetElementPtrInst *, 8> addresses;
  for (Instruction &instruction : instructions(function))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      addresses.push_back(address);
    else if (isWideProduct(instruction) &&
             !isa<ScalableVectorType>(instruction.getOperand(0)->getType()) &&
             !isOfSignedWords(instruction, layout))
      products.push_back(&instruction);
  bool changed = false;
  for (GetElementPtrInst *address : addresses)
    changed |= hideIndices(*address, layout);
  for (Instruction *product : products) {
    IRBuilder<> builder(product);
    const unsigned end = endOfWords(*product);
    for (unsigned i : {0u, 1u}) {
      Value *same = hiddenWords(builder, *product->getOperand(i), end, layout);
      if (!same)
        continue;
      product->setOperand(i, same);
      changed = true;
      if (end <= wordBits)
        break; // of one product of words one factor is enough
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
