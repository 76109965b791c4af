#include "passes/llvm_fixes/hidden.h"
#include "llvm/IR/InlineAsm.h"

namespace meld::passes {

using namespace llvm;

namespace {

Value *hiddenVector(IRBuilder<> &builder, Value &value, unsigned elements) {
  Value *result = &value;
  for (unsigned i = 0; i != elements; ++i) {
    Value *element = builder.CreateExtractElement(&value, i);
    result = builder.CreateInsertElement(result, hidden(builder, *element), i);
  }
  return result;
}

Value *handedOn(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType();
  auto *assembly = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                  /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(assembly, {&value});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

} // namespace

Value *hidden(IRBuilder<> &builder, Value &value) {
  if (value.getType()->isPointerTy())
    return handedOn(builder, value);
  const unsigned bits = value.getType()->getScalarSizeInBits();
  if (bits > 64)
    return nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(value.getType()))
    return hiddenVector(builder, value, vector->getNumElements());
  Type *type = builder.getIntNTy(bits <= 32 ? 32 : 64);
  return builder.CreateTrunc(handedOn(builder, *builder.CreateZExt(&value, type)), value.getType());
}

Value *hiddenNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

} // namespace meld::passes
