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

CallInst *handedOn(IRBuilder<> &builder, Value &value, StringRef constraints) {
  Type *type = value.getType();
  auto *assembly = InlineAsm::get(FunctionType::get(type, {type}, false), "", constraints,
                                  /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(assembly, {&value});
  call->setDoesNotThrow();
  return call;
}

Value *handedOnInVector(IRBuilder<> &builder, Value &value) {
  CallInst *call = handedOn(builder, value, "=v,0");
  call->setDoesNotAccessMemory();
  return call;
}

} // namespace

Value *hidden(IRBuilder<> &builder, Value &value) {
  if (value.getType()->isPointerTy())
    return handedOnInVector(builder, value);
  const unsigned bits = value.getType()->getScalarSizeInBits();
  if (bits > 64)
    return nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(value.getType()))
    return hiddenVector(builder, value, vector->getNumElements());
  Type *type = builder.getIntNTy(bits <= 32 ? 32 : 64);
  return builder.CreateTrunc(handedOnInVector(builder, *builder.CreateZExt(&value, type)),
                             value.getType());
}

} // namespace meld::passes
