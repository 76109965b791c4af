#include "passes/llvm_fixes/hidden.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

namespace {

template <typename Hide>
Value *hiddenVector(IRBuilder<> &builder, Value &value, unsigned elements, Hide hide) {
  Value *result = &value;
  for (unsigned i = 0; i != elements; ++i) {
    Value *element = builder.CreateExtractElement(&value, i);
    result = builder.CreateInsertElement(result, hide(builder, *element), i);
  }
  return result;
}

Value *handedOn(IRBuilder<> &builder, Value &value) {
  return emptyStatement(builder, value.getType(), {&value}, "=v,0");
}

const DataLayout &layoutOf(const IRBuilder<> &builder) {
  return builder.GetInsertBlock()->getModule()->getDataLayout();
}

/// As what an assembly statement has such a type in registers (SIRegisterInfo's classes for 64 bits
/// and more). Of integers the last may be used in part.
Type *registersOf(IRBuilder<> &builder, Type *type) {
  const DataLayout &layout = layoutOf(builder);
  if (!type->isSingleValueType() || layout.isNonIntegralPointerType(type->getScalarType()))
    return nullptr;
  const uint64_t bits = layout.getTypeSizeInBits(type);
  const uint64_t words = type->isIntegerTy() ? divideCeil(bits, 32) : bits / 32;
  const bool known = (words >= 2 && words <= 8) || words == 16 || words == 32;
  if (!known || words * 32 < bits)
    return nullptr;
  return words == 2 ? static_cast<Type *>(builder.getInt64Ty())
                    : FixedVectorType::get(builder.getInt32Ty(), unsigned(words));
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

CallInst *emptyStatement(IRBuilder<> &builder, Type *type, ArrayRef<Value *> operands,
                         StringRef constraints, bool sideEffects) {
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

Value *hidden(IRBuilder<> &builder, Value &value) {
  if (value.getType()->isPointerTy())
    return handedOn(builder, value);
  const unsigned bits = value.getType()->getScalarSizeInBits();
  if (bits > 64)
    return nullptr;
  if (auto *vector = dyn_cast<FixedVectorType>(value.getType()))
    return hiddenVector(builder, value, vector->getNumElements(), hidden);
  Type *type = builder.getIntNTy(bits <= 32 ? 32 : 64);
  return builder.CreateTrunc(handedOn(builder, *builder.CreateZExt(&value, type)), value.getType());
}

Value *hiddenForReading(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType();
  if (type->isPtrOrPtrVectorTy())
    return hidden(builder, value);
  const unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  Type *number = builder.getIntNTy(bits);
  if (bits > 64 && bits % 32 != 0)
    return nullptr;
  if (bits > 64)
    number = FixedVectorType::get(builder.getInt32Ty(), bits / 32);
  Value *same = hidden(builder, *builder.CreateBitCast(&value, number));
  return builder.CreateBitCast(same, type);
}

Value *anyTuple(IRBuilder<> &builder, Type *type, bool inLanes) {
  Type *registers = registersOf(builder, type);
  if (!registers)
    return nullptr;
  // Taken out of a loop it would cost copies.
  return as(builder,
            emptyStatement(builder, registers, {}, inLanes ? "=v" : "=s", /*sideEffects=*/true),
            type);
}

Value *hiddenTuple(IRBuilder<> &builder, Value &value) {
  Type *type = value.getType(), *registers = registersOf(builder, type);
  if (!registers)
    return nullptr;
  Value *number = as(builder, &value, registers);
  return as(builder, emptyStatement(builder, registers, {number}, "=v,0", /*sideEffects=*/true),
            type);
}

Value *hiddenNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

Value *hiddenCondition(IRBuilder<> &builder, Value &condition) {
  if (auto *vector = dyn_cast<FixedVectorType>(condition.getType()))
    return hiddenVector(builder, condition, vector->getNumElements(), hiddenCondition);
  return builder.CreateICmpNE(hiddenNumber(builder, condition), builder.getInt32(0));
}

} // namespace meld::passes
