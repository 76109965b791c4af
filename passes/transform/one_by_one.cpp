#include "passes/transform/one_by_one.h"
#include "passes/llvm_fixes/changed_code.h"
#include "passes/melder/keep_apart.h"
#include "llvm/ADT/PostOrderIterator.h"

namespace meld::passes {

using namespace llvm;

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

PreservedAnalyses
meldOneByOne(Function &function, FunctionAnalysisManager &analyses, unsigned rounds,
             function_ref<bool(BranchInst &branch, const BranchAnalyses &now)> tryAt) {
  if (!changeOneByOne(
          function, analyses, rounds, [&](Instruction &terminator, const BranchAnalyses &now) {
            auto *branch = dyn_cast<BranchInst>(&terminator);
            return branch && branch->isConditional() &&
                   now.divergence.isDivergentBranch(branch->getParent()) && tryAt(*branch, now);
          }))
    return PreservedAnalyses::all();
  avoidFaultsOfCodeGeneration(function);
  keepApart(function);
  return keepAnalyses(function, analyses);
}

} // namespace meld::passes
