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

/// By an empty statement that has these operands and so the result. One with side effects stays in its place: taken out of a loop it would
/// cost copies.
Value *madeOf(IRBuilder<> &builder, Type *type, ArrayRef<Value *> operands, bool sideEffects) {
  SmallVector<Type *, 1> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *assembly = InlineAsm::get(FunctionType::get(type, types, false), "",
                                  operands.empty() ? "=v" : "=v,0", sideEffects);
  CallInst *call = builder.CreateCall(assembly, operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

Value *handedOn(IRBuilder<> &builder, Value &value) {
  return madeOf(builder, value.getType(), {&value}, /*sideEffects=*/false);
}

const DataLayout &layoutOf(const IRBuilder<> &builder) {
  return builder.GetInsertBlock()->getModule()->getDataLayout();
}

/// As what an assembly statement has such a type in vector registers (SIRegisterInfo's classes for 64 bits and more).
Type *registersOf(IRBuilder<> &builder, Type *type) {
  if (!type->isSingleValueType() ||
      layoutOf(builder).isNonIntegralPointerType(type->getScalarType()))
    return nullptr;
  const uint64_t bits = layoutOf(builder).getTypeSizeInBits(type);
  if (bits == 64)
    return builder.getInt64Ty();
  const auto words = unsigned(bits / 32);
  const bool known = (words > 2 && words <= 8) || words == 16 || words == 32;
  return known && bits % 32 == 0 ? FixedVectorType::get(builder.getInt32Ty(), words) : nullptr;
}

Value *as(IRBuilder<> &builder, Value *value, Type *type) {
  const DataLayout &layout = layoutOf(builder);
  if (value->getType()->isPtrOrPtrVectorTy())
    value = builder.CreatePtrToInt(value, layout.getIntPtrType(value->getType()));
  if (!type->isPtrOrPtrVectorTy())
    return builder.CreateBitCast(value, type);
  return builder.CreateIntToPtr(builder.CreateBitCast(value, layout.getIntPtrType(type)), type);
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

Value *anyTuple(IRBuilder<> &builder, Type *type) {
  Type *registers = registersOf(builder, type);
  return registers ? as(builder, madeOf(builder, registers, {}, /*sideEffects=*/true), type)
                   : nullptr;
}

Value *hiddenTuple(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType(), *registers = registersOf(builder, type);
  if (!registers)
    return nullptr;
  Value *number = as(builder, &value, registers);
  return as(builder, madeOf(builder, registers, {number}, /*sideEffects=*/true), type);
}

Value *hiddenNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

} // namespace meld::passes
