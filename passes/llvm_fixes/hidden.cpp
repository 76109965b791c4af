#include "passes/llvm_fixes/hidden.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

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

/// By an empty statement that has these operands and so the result.
Value *madeOf(IRBuilder<> &builder, Type *type, ArrayRef<Value *> operands) {
  SmallVector<Type *, 1> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *assembly = InlineAsm::get(FunctionType::get(type, types, false), "",
                                  operands.empty() ? "=v" : "=v,0", /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(assembly, operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// The number of whole registers in which code generation keeps one of so many bits; null: more than two.
IntegerType *registersOf(IRBuilder<> &builder, unsigned bits) {
  return bits > 64 ? nullptr : builder.getIntNTy(bits <= 32 ? 32 : 64);
}

unsigned bitsOf(IRBuilder<> &builder, Type *type) {
  return unsigned(builder.GetInsertBlock()->getModule()->getDataLayout().getTypeSizeInBits(type));
}

} // namespace

Value *hidden(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType();
  if (type->isPointerTy())
    return madeOf(builder, type, {&value});
  Type *scalar = type->getScalarType();
  IntegerType *registers = registersOf(builder, bitsOf(builder, scalar));
  if (!type->isSingleValueType() || !registers)
    return nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return hiddenVector(builder, value, vector->getNumElements());
  Type *number = builder.getIntNTy(scalar->getScalarSizeInBits());
  Value *bits = builder.CreateZExt(builder.CreateBitCast(&value, number), registers);
  bits = builder.CreateTrunc(madeOf(builder, registers, {bits}), number);
  return builder.CreateBitCast(bits, type);
}

Value *anything(IRBuilder<> &builder, Type *type) {
  const unsigned bits = bitsOf(builder, type);
  IntegerType *registers = registersOf(builder, bits);
  if (!registers)
    return nullptr;
  Value *number = madeOf(builder, registers, {});
  return builder.CreateBitOrPointerCast(builder.CreateTrunc(number, builder.getIntNTy(bits)), type);
}

Value *hiddenNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

} // namespace meld::passes
