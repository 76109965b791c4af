#include "passes/llvm_fixes/stay_put.h"
#include "llvm/IR/InlineAsm.h"

namespace meld::passes {

using namespace llvm;

bool canSink(const Instruction &instruction) {
  if (isa<PHINode>(instruction) || instruction.isTerminator() || instruction.mayHaveSideEffects() ||
      instruction.getType()->isVoidTy() || instruction.getType()->isTokenTy())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return !call || !call->isConvergent();
}

bool hasRegisterType(const Instruction &instruction) {
  Type *type = instruction.getType();
  return !type->isIntOrIntVectorTy(1) && !isa<ScalableVectorType>(type) &&
         (type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy() || type->isPointerTy());
}

void useHere(IRBuilder<> &builder, Value &value, bool scalar) {
  auto *assembly = InlineAsm::get(FunctionType::get(builder.getVoidTy(), {value.getType()}, false),
                                  "", scalar ? "s" : "v", /*hasSideEffects=*/false);
  CallInst *use = builder.CreateCall(assembly, {&value});
  use->setConvergent();
  use->setDoesNotAccessMemory();
  use->setDoesNotThrow();
}

void keepHere(Instruction &instruction, bool scalar) {
  IRBuilder<> builder(instruction.getNextNode());
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  Type *type = instruction.getType();
  if (type->isPointerTy())
    return useHere(builder, instruction, scalar);
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits == 32 || bits == 64) {
    // Code generation knows no register for vectors of bytes.
    const bool known = !type->isVectorTy() || type->getScalarSizeInBits() >= 16;
    Value *whole =
        known ? &instruction : builder.CreateBitCast(&instruction, builder.getIntNTy(bits));
    return useHere(builder, *whole, scalar);
  }
  const unsigned words = (bits + 31) / 32;
  Value *all = builder.CreateZExt(builder.CreateBitCast(&instruction, builder.getIntNTy(bits)),
                                  builder.getIntNTy(words * 32));
  if (words == 1)
    return useHere(builder, *all, scalar);
  Value *parts = builder.CreateBitCast(all, FixedVectorType::get(builder.getInt32Ty(), words));
  for (unsigned i = 0; i < words; ++i)
    useHere(builder, *builder.CreateExtractElement(parts, i), scalar);
}

} // namespace meld::passes
