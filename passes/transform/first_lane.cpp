#include "passes/transform/first_lane.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

Value *firstLane(IRBuilder<> &builder, Value *word) {
  if (isa<Constant>(word))
    return word;
  Module *module = builder.GetInsertBlock()->getModule();
#if LLVM_VERSION_MAJOR >= 20
  Function *callee = Intrinsic::getOrInsertDeclaration(module, Intrinsic::amdgcn_readfirstlane,
                                                       {builder.getInt32Ty()});
#elif LLVM_VERSION_MAJOR >= 19
  Function *callee =
      Intrinsic::getDeclaration(module, Intrinsic::amdgcn_readfirstlane, {builder.getInt32Ty()});
#else
  Function *callee = Intrinsic::getDeclaration(module, Intrinsic::amdgcn_readfirstlane);
#endif
  return builder.CreateCall(callee, {word}, "scalar");
}

} // namespace meld::passes
