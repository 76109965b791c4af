#include "passes/llvm_fixes/hidden.h"
#include "llvm/IR/InlineAsm.h"

namespace meld::passes {

using namespace llvm;

Value *hidden(IRBuilder<> &builder, Value &value) {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  if (bits > 64)
    return nullptr;
  Type *type = builder.getIntNTy(bits <= 32 ? 32 : 64);
  auto *assembly = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                  /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(assembly, {builder.CreateZExt(&value, type)});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return builder.CreateTrunc(call, value.getType());
}

} // namespace meld::passes
