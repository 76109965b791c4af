#include "passes/llvm_fixes/repeated_ifs.h"
#include "passes/preserved.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

struct If {
  BranchInst *branch;
  unsigned side; ///< the successor that is the body
  BasicBlock *body() const { return branch->getSuccessor(side); }
  BasicBlock *join() const { return branch->getSuccessor(1 - side); }
};

/// The if that `head` ends in, when one side is a block of its own and the other is empty.
std::optional<If> ifAt(BasicBlock &head) {
  auto *branch = dyn_cast<BranchInst>(head.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    If found{branch, side};
    if (found.body() != &head && found.body() != found.join() &&
        found.body()->getSinglePredecessor() == &head &&
        found.body()->getSingleSuccessor() == found.join())
      return found;
  }
  return std::nullopt;
}

/// Stores in a body that has no other effect, 0 for other bodies. Whether two such bodies will be
/// the same shows only after the back end's GVN, so no more is asked.
unsigned storesIn(const BasicBlock &body) {
  unsigned stores = 0;
  for (const Instruction &instruction : body) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (store && !store->isVolatile())
      ++stores;
    else if (instruction.mayHaveSideEffects())
      return 0;
  }
  return stores;
}

} // namespace

PreservedAnalyses RepeatedIfsPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &head : function) {
    auto first = ifAt(head);
    if (!first)
      continue;
    auto second = ifAt(*first->join());
    if (!second || second->side == first->side || !first->join()->hasNPredecessors(2))
      continue;
    const unsigned stores = storesIn(*first->body());
    if (stores == 0 || stores != storesIn(*second->body()))
      continue;
    IRBuilder<> builder(second->branch);
    second->branch->setCondition(builder.CreateNot(second->branch->getCondition(), "other.side"));
    second->branch->swapSuccessors();
    changed = true;
  }
  return blocksKept(changed);
}

} // namespace meld::passes
