#include "passes/melder/function_copy.h"
#include "passes/compat.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace meld::passes {

using namespace llvm;

FunctionCopy::FunctionCopy(Function &function, Use use) : function_(function) {
  copy_ = Function::Create(function.getFunctionType(), GlobalValue::InternalLinkage,
                           function.getAddressSpace(),
                           function.getName() + (use == Use::trial ? ".meld.trial" : ".meld.copy"));
  function.getParent()->getFunctionList().push_back(copy_);
  ValueToValueMapTy map;
  // The verifier looks at all users of a function, and one outside of any module ends it.
  if (use == Use::rollback)
    map[&function] = copy_;
  auto to = copy_->arg_begin();
  for (Argument &argument : function.args()) {
    to->setName(argument.getName());
    map[&argument] = &*to++;
  }
  // Locations keep the subprogram: the copy's body comes back into the function.
  if (DISubprogram *subprogram = function.getSubprogram())
    map.MD()[subprogram].reset(subprogram);
  SmallVector<ReturnInst *, 4> returns;
  CloneFunctionInto(copy_, &function, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  copy_->setSubprogram(nullptr); // one function each
  // The clone took the original's visibility over, which a local symbol must not have.
  copy_->setVisibility(GlobalValue::DefaultVisibility);
  copy_->setLinkage(GlobalValue::InternalLinkage);
  if (use == Use::rollback)
    copy_->removeFromParent();
}

FunctionCopy::~FunctionCopy() {
  copy_->dropAllReferences();
  if (copy_->getParent())
    copy_->eraseFromParent();
  else
    delete copy_;
}

BasicBlock *FunctionCopy::twin(const BasicBlock &block) const {
  auto at = copy_->begin();
  std::advance(at, std::distance(Function::const_iterator(function_.begin()),
                                 Function::const_iterator(&block)));
  return &*at;
}

void FunctionCopy::replaceBody() {
  // Block by block: dropAllReferences on the function would take its metadata along.
  for (BasicBlock &block : function_)
    block.dropAllReferences();
  while (!function_.empty())
    function_.begin()->eraseFromParent();
  compat::spliceBlocks(function_, *copy_);
  copy_->replaceAllUsesWith(&function_);
  auto from = copy_->arg_begin();
  for (Argument &argument : function_.args())
    (from++)->replaceAllUsesWith(&argument);
}

} // namespace meld::passes
