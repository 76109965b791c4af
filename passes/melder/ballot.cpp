#include "passes/melder/ballot.h"
#include "passes/compat.h"
#include "passes/melder/first_lane.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace meld::passes {

using namespace llvm;

Value *ballot(IRBuilder<> &builder, Value *condition, unsigned waveSize) {
  Type *mask = builder.getIntNTy(waveSize);
  Function *callee = compat::declarationOf(*builder.GetInsertBlock()->getModule(),
                                           Intrinsic::amdgcn_ballot, {mask});
  CallInst *call = builder.CreateCall(callee, {condition});
  markReading(*call);
  return call;
}

} // namespace meld::passes
