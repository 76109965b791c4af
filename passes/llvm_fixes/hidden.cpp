#include "passes/llvm_fixes/hidden.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

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
Value *madeOf(IRBuilder<> &builder, Type *type, ArrayRef<Value *> operands, StringRef constraints,
              bool sideEffects) {
  SmallVector<Type *, 1> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *assembly =
      InlineAsm::get(FunctionType::get(type, types, false), "", constraints, sideEffects);
  CallInst *call = builder.CreateCall(assembly, operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

Value *handedOn(IRBuilder<> &builder, Value &value) {
  return madeOf(builder, value.getType(), {&value}, "=v,0", /*sideEffects=*/false);
}

const DataLayout &layoutOf(const IRBuilder<> &builder) {
  return builder.GetInsertBlock()->getModule()->getDataLayout();
}

/// As what an assembly statement has such a type in registers (SIRegisterInfo's classes for 64 bits and more). Of integers the last may be
/// used in part.
Type *registersOf(IRBuilder<> &builder, Type *type) {
  const DataLayout &layout = layoutOf(builder);
  if (!type->isSingleValueType() || layout.isNonIntegralPointerType(type->getScalarType()))
    return nullptr;
  const uint64_t bits = layout.getTypeSizeInBits(type);
  const uint64_t words = type->isIntegerTy() ? divideCeil(bits, 32) : bits / 32;
  if (words == 2)
    return words * 32 >= bits ? builder.getInt64Ty() : nullptr;
  const bool known = (words > 2 && words <= 8) || words == 16 || words == 32;
  return known && words * 32 >= bits ? FixedVectorType::get(builder.getInt32Ty(), unsigned(words))
                                     : nullptr;
}

/// Of as many bits; an integer may have more, or fewer.
Value *as(IRBuilder<> &builder, Value *value, Type *type) {
  const DataLayout &layout = layoutOf(builder);
  if (value->getType()->isPtrOrPtrVectorTy())
    value = builder.CreatePtrToInt(value, layout.getIntPtrType(value->getType()));
  Type *bits = type->isPtrOrPtrVectorTy() ? layout.getIntPtrType(type) : type;
  auto number = [&](Type *of) { return builder.getIntNTy(unsigned(layout.getTypeSizeInBits(of))); };
  if (value->getType()->isIntegerTy() &&
      number(value->getType())->getBitWidth() < number(bits)->getBitWidth())
    value = builder.CreateZExt(value, number(bits));
  if (bits->isIntegerTy())
    value = builder.CreateTrunc(builder.CreateBitCast(value, number(value->getType())), bits);
  value = builder.CreateBitCast(value, bits);
  return bits == type ? value : builder.CreateIntToPtr(value, type);
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

Value *anyTuple(IRBuilder<> &builder, Type *type, bool inLanes) {
  Type *registers = registersOf(builder, type);
  if (!registers)
    return nullptr;
  return as(builder, madeOf(builder, registers, {}, inLanes ? "=v" : "=s", /*sideEffects=*/true),
            type);
}

Value *hiddenTuple(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType(), *registers = registersOf(builder, type);
  if (!registers)
    return nullptr;
  Value *number = as(builder, &value, registers);
  return as(builder, madeOf(builder, registers, {number}, "=v,0", /*sideEffects=*/true), type);
}

Value *hiddenNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

} // namespace meld::passes
