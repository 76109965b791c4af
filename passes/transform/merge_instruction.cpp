#include "passes/transform/merge_instruction.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

namespace meld::passes {

using namespace llvm;

static MDNode *common(unsigned kind, MDNode *left, MDNode *right) {
  if (!left || !right)
    return nullptr;
  switch (kind) {
  case LLVMContext::MD_tbaa:
    return MDNode::getMostGenericTBAA(left, right);
  case LLVMContext::MD_alias_scope:
    return MDNode::getMostGenericAliasScope(left, right);
  case LLVMContext::MD_noalias:
    return MDNode::intersect(left, right);
  case LLVMContext::MD_range:
    return MDNode::getMostGenericRange(left, right);
  case LLVMContext::MD_fpmath:
    return MDNode::getMostGenericFPMath(left, right);
  case LLVMContext::MD_align:
  case LLVMContext::MD_dereferenceable:
  case LLVMContext::MD_dereferenceable_or_null:
    return MDNode::getMostGenericAlignmentOrDereferenceable(left, right);
  default:
    // A mark without content (noundef, invariant.load, nontemporal, ...) holds when both carry it;
    // anything we do not know holds only when it is the same node.
    return left == right ? left : nullptr;
  }
}

void intersectInto(Instruction &merged, const Instruction &left, const Instruction &right) {
  merged.andIRFlags(&right);

  SmallVector<std::pair<unsigned, MDNode *>, 8> kinds;
  left.getAllMetadataOtherThanDebugLoc(kinds);
  for (auto [kind, node] : kinds)
    merged.setMetadata(kind, common(kind, node, right.getMetadata(kind)));

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
    if (l.getAttributes() != r.getAttributes())
      call->setAttributes(
          AttributeList()); // intrinsics only: the declaration keeps what is always true
    if (!l.isTailCall() || !r.isTailCall())
      call->setTailCallKind(CallInst::TCK_None);
  }
  merged.setDebugLoc(DILocation::getMergedLocation(left.getDebugLoc(), right.getDebugLoc()));
}

} // namespace meld::passes
