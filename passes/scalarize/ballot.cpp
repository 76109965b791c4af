#include "passes/scalarize/ballot.h"
#include "passes/transform/first_lane.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

Value *ballot(IRBuilder<> &builder, Value *condition, unsigned waveSize) {
  Type *mask = builder.getIntNTy(waveSize);
  Module *module = builder.GetInsertBlock()->getModule();
#if LLVM_VERSION_MAJOR >= 20
  Function *callee = Intrinsic::getOrInsertDeclaration(module, Intrinsic::amdgcn_ballot, {mask});
#else
  Function *callee = Intrinsic::getDeclaration(module, Intrinsic::amdgcn_ballot, {mask});
#endif
  CallInst *call = builder.CreateCall(callee, {condition});
  markReading(*call);
  return call;
}

} // namespace meld::passes
