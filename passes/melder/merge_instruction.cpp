#include "passes/melder/merge_instruction.h"
#include "passes/melder/metadata_rules.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

// The right call's promises, by the operands as they stand in the left one.
static AttributeList attributesOf(const CallInst &call, bool swapped) {
  AttributeList list = call.getAttributes();
  if (!swapped)
    return list;
  SmallVector<AttributeSet, 4> parameters;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    parameters.push_back(list.getParamAttrs(i < 2 ? 1 - i : i));
  return AttributeList::get(call.getContext(), list.getFnAttrs(), list.getRetAttrs(), parameters);
}

void intersectInto(Instruction &merged, const Instruction &left, const Instruction &right,
                   bool swapped) {
  merged.andIRFlags(&right);
  shareMetadata(merged, left, right);

  if (auto *load = dyn_cast<LoadInst>(&merged))
    load->setAlignment(std::min(cast<LoadInst>(left).getAlign(), cast<LoadInst>(right).getAlign()));
  else if (auto *store = dyn_cast<StoreInst>(&merged))
    store->setAlignment(
        std::min(cast<StoreInst>(left).getAlign(), cast<StoreInst>(right).getAlign()));
  else if (auto *rmw = dyn_cast<AtomicRMWInst>(&merged))
    rmw->setAlignment(
        std::min(cast<AtomicRMWInst>(left).getAlign(), cast<AtomicRMWInst>(right).getAlign()));
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&merged))
    exchange->setAlignment(std::min(cast<AtomicCmpXchgInst>(left).getAlign(),
                                    cast<AtomicCmpXchgInst>(right).getAlign()));
  else if (auto *call = dyn_cast<CallInst>(&merged)) {
    auto &l = cast<CallInst>(left), &r = cast<CallInst>(right);
    if (l.getAttributes() != attributesOf(r, swapped))
      call->setAttributes(
          AttributeList()); // intrinsics only: the declaration keeps what is always true
    if (!l.isTailCall() || !r.isTailCall())
      call->setTailCallKind(CallInst::TCK_None);
  }
  merged.setDebugLoc(DILocation::getMergedLocation(left.getDebugLoc(), right.getDebugLoc()));
}

} // namespace meld::passes
