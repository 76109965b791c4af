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

namespace {

// An assembly statement without an instruction that takes the value, and gives it if it is asked to.
CallInst *statement(IRBuilder<> &builder, Value &value, bool scalar, bool gives) {
  Type *result = gives ? value.getType() : builder.getVoidTy();
  const std::string constraint = std::string(gives ? "=v," : "") + (gives    ? "0"
                                                                    : scalar ? "s"
                                                                             : "v");
  auto *assembly = InlineAsm::get(FunctionType::get(result, {value.getType()}, false), "",
                                  constraint, /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(assembly, {&value});
  call->setConvergent();
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

unsigned bitsOf(const Type &type) {
  return unsigned(type.getPrimitiveSizeInBits().getFixedValue());
}

// Values of one register or two each that are the value together.
SmallVector<Value *, 4> piecesOf(IRBuilder<> &builder, Instruction &instruction) {
  Type *type = instruction.getType();
  if (type->isPointerTy())
    return {&instruction};
  const unsigned bits = bitsOf(*type);
  if (bits == 32 || bits == 64) {
    // Code generation knows no register for vectors of bytes.
    const bool known = !type->isVectorTy() || type->getScalarSizeInBits() >= 16;
    return {known ? &instruction : builder.CreateBitCast(&instruction, builder.getIntNTy(bits))};
  }
  const unsigned words = (bits + 31) / 32;
  Value *all = builder.CreateZExt(builder.CreateBitCast(&instruction, builder.getIntNTy(bits)),
                                  builder.getIntNTy(words * 32));
  if (words == 1)
    return {all};
  Value *parts = builder.CreateBitCast(all, FixedVectorType::get(builder.getInt32Ty(), words));
  SmallVector<Value *, 4> pieces;
  for (unsigned i = 0; i < words; ++i)
    pieces.push_back(builder.CreateExtractElement(parts, i));
  return pieces;
}

Value *together(IRBuilder<> &builder, ArrayRef<Value *> pieces, Type *type) {
  if (type->isPointerTy())
    return pieces.front();
  Value *all = pieces.front();
  if (pieces.size() > 1) {
    all = PoisonValue::get(FixedVectorType::get(builder.getInt32Ty(), unsigned(pieces.size())));
    for (unsigned i = 0; i < pieces.size(); ++i)
      all = builder.CreateInsertElement(all, pieces[i], i);
    all = builder.CreateBitCast(all, builder.getIntNTy(unsigned(pieces.size()) * 32));
  }
  if (const unsigned bits = bitsOf(*type); bits != bitsOf(*all->getType()))
    all = builder.CreateTrunc(all, builder.getIntNTy(bits));
  return builder.CreateBitCast(all, type);
}

} // namespace

bool isWhole(const Instruction &instruction) {
  Type *type = instruction.getType();
  return type->isPointerTy() || bitsOf(*type) % 32 == 0;
}

void useHere(IRBuilder<> &builder, Value &value, bool scalar) {
  statement(builder, value, scalar, /*gives=*/false);
}

Instruction *placeBehind(Instruction &instruction) {
  return isa<PHINode>(instruction) ? &*instruction.getParent()->getFirstInsertionPt()
                                   : instruction.getNextNode();
}

void keepHere(Instruction &instruction, bool scalar) {
  IRBuilder<> builder(placeBehind(instruction));
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  for (Value *piece : piecesOf(builder, instruction))
    useHere(builder, *piece, scalar);
}

Value *handOn(Instruction &instruction) {
  IRBuilder<> builder(placeBehind(instruction));
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  auto pieces = piecesOf(builder, instruction);
  for (Value *&piece : pieces)
    piece = statement(builder, *piece, /*scalar=*/false, /*gives=*/true);
  return together(builder, pieces, instruction.getType());
}

} // namespace meld::passes
