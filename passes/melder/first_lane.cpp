#include "passes/melder/first_lane.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

static constexpr char ours[] = "meld.reading";

void markReading(CallInst &call) { call.setMetadata(ours, MDNode::get(call.getContext(), {})); }

bool isReading(const CallBase &call) { return call.hasMetadata(ours); }

Value *firstLane(IRBuilder<> &builder, Value *word) {
  if (isa<Constant>(word))
    return word;
  SmallVector<Type *, 1> types;
#if LLVM_VERSION_MAJOR >= 19
  types.push_back(builder.getInt32Ty());
#endif
  Function *callee = compat::declarationOf(*builder.GetInsertBlock()->getModule(),
                                           Intrinsic::amdgcn_readfirstlane, types);
  CallInst *call = builder.CreateCall(callee, {word}, "scalar");
  markReading(*call);
  return call;
}

Value *fromFirstLane(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  const unsigned words = unsigned(divideCeil(bits, 32));
  if (type->isIntegerTy(32))
    return firstLane(builder, value);
  Type *narrow = builder.getIntNTy(bits), *wide = builder.getIntNTy(words * 32);
  Value *all = builder.CreateZExt(builder.CreateBitCast(value, narrow), wide);
  Value *result = nullptr;
  for (unsigned i = 0; i < words; ++i) {
    Value *word = builder.CreateTrunc(builder.CreateLShr(all, 32 * i), builder.getInt32Ty());
    Value *read = builder.CreateShl(builder.CreateZExt(firstLane(builder, word), wide), 32 * i);
    result = result ? builder.CreateOr(result, read) : read;
  }
  if (bits == 1) // a comparison stays on the scalar unit, a truncation to one bit may not
    return builder.CreateICmpNE(result, ConstantInt::get(wide, 0), "scalar");
  return builder.CreateBitCast(builder.CreateTrunc(result, narrow), type, "scalar");
}

// A callee that code generation may still inline.
static bool calleeAsks(const Function &callee, SmallPtrSetImpl<const Function *> &seen) {
  if (callee.isDeclaration() || callee.hasFnAttribute(Attribute::NoInline) ||
      !seen.insert(&callee).second)
    return false;
  return any_of(instructions(callee), [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *inner = call ? call->getCalledFunction() : nullptr;
    if (!inner)
      return false;
    switch (inner->getIntrinsicID()) {
    case Intrinsic::amdgcn_readfirstlane:
    case Intrinsic::amdgcn_ballot:
    case Intrinsic::amdgcn_icmp:
    case Intrinsic::amdgcn_fcmp:
      return !isReading(*call);
    default:
      return calleeAsks(*inner, seen);
    }
  });
}

bool asksForLanes(Function &function, const DivergenceInfo &divergence) {
  SmallPtrSet<const Function *, 8> seen;
  return any_of(instructions(function), [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || isReading(*call))
      return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_readfirstlane: // of what all have in common, it is the same for any
                                          // lanes
      return divergence.firstLaneWidth(call->getArgOperand(0), call) < Width::wave;
    case Intrinsic::amdgcn_ballot:
    case Intrinsic::amdgcn_icmp:
    case Intrinsic::amdgcn_fcmp:
      return true;
    default:
      return call->getCalledFunction() && calleeAsks(*call->getCalledFunction(), seen);
    }
  });
}

} // namespace meld::passes
