#include "passes/transform/first_lane.h"
#include "passes/analysis/divergence.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

static constexpr char ours[] = "meld.reading";

void markReading(CallInst &call) { call.setMetadata(ours, MDNode::get(call.getContext(), {})); }

bool isReading(const CallBase &call) { return call.hasMetadata(ours); }

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
  CallInst *call = builder.CreateCall(callee, {word}, "scalar");
  markReading(*call);
  return call;
}

bool asksForLanes(Function &function, const DivergenceInfo &divergence) {
  return any_of(instructions(function), [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || isReading(*call))
      return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_readfirstlane: // of what all have in common, it is the same for any
                                          // lanes
      return divergence.widthAtUse(call->getArgOperand(0), call) < Width::wave;
    case Intrinsic::amdgcn_ballot:
    case Intrinsic::amdgcn_icmp:
    case Intrinsic::amdgcn_fcmp:
      return true;
    default:
      return false;
    }
  });
}

} // namespace meld::passes
