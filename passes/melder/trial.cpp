#include "passes/melder/trial.h"
#include "passes/compat.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace meld::passes {

using namespace llvm;

Trial::Trial(Function &function) : function_(function) {
  copy_ = Function::Create(function.getFunctionType(), GlobalValue::InternalLinkage,
                           function.getAddressSpace(), function.getName() + ".meld.trial");
  function.getParent()->getFunctionList().push_back(copy_);
  ValueToValueMapTy map;
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
}

Trial::~Trial() {
  copy_->dropAllReferences();
  copy_->eraseFromParent();
}

BasicBlock *Trial::twin(const BasicBlock &block) const {
  auto at = copy_->begin();
  std::advance(at, std::distance(Function::const_iterator(function_.begin()),
                                 Function::const_iterator(&block)));
  return &*at;
}

void Trial::adopt() {
  // Block by block: dropAllReferences on the function would take its metadata along.
  for (BasicBlock &block : function_)
    block.dropAllReferences();
  while (!function_.empty())
    function_.begin()->eraseFromParent();
  compat::spliceBlocks(function_, *copy_);
  auto from = copy_->arg_begin();
  for (Argument &argument : function_.args())
    (from++)->replaceAllUsesWith(&argument);
}

bool goesIntoCallers(const Function &function) {
  return !function.hasFnAttribute(Attribute::NoInline) &&
         any_of(function.users(), [](const User *user) { return isa<CallBase>(user); });
}

static bool changeOne(Function &function, const BranchAnalyses &now,
                      function_ref<bool(Instruction &, const BranchAnalyses &)> tryAt) {
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order)
    if (tryAt(*block->getTerminator(), now))
      return true;
  return false;
}

bool changeOneByOne(Function &function, FunctionAnalysisManager &analyses, unsigned rounds,
                    function_ref<bool(Instruction &, const BranchAnalyses &)> tryAt) {
  CurrentAnalyses current(function, analyses);
  bool changed = false;
  for (unsigned round = 0; round < rounds && changeOne(function, current.get(), tryAt); ++round) {
    current.changed();
    changed = true;
  }
  current.leave();
  return changed;
}

} // namespace meld::passes
