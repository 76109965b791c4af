#include "passes/melder/rollback.h"
#include "passes/compat.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace meld::passes {

using namespace llvm;

Rollback::Rollback(Function &function) : function_(function) {
  // The copy stays outside of the module: no pass manager, name table or printer sees it.
  copy_ = Function::Create(function.getFunctionType(), GlobalValue::InternalLinkage,
                           function.getAddressSpace(), function.getName() + ".meld.copy");
  function.getParent()->getFunctionList().push_back(copy_);
  ValueToValueMapTy map;
  // A recursive function's copy calls the copy: the verifier looks at all users of a function, and
  // one outside of any module ends it.
  map[&function] = copy_;
  auto to = copy_->arg_begin();
  for (Argument &argument : function.args())
    map[&argument] = &*to++;
  // Locations keep the subprogram: the copy's body comes back into the function.
  if (DISubprogram *subprogram = function.getSubprogram())
    map.MD()[subprogram].reset(subprogram);
  SmallVector<ReturnInst *, 4> returns;
  CloneFunctionInto(copy_, &function, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  copy_->setSubprogram(nullptr); // one function each
  copy_->removeFromParent();
}

Rollback::~Rollback() {
  copy_->dropAllReferences();
  delete copy_;
}

void Rollback::restore() {
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
