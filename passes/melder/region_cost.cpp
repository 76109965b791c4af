#include "passes/melder/region_cost.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

namespace meld::passes {

using namespace llvm;

// A compare and a two-way branch for each further target, as a switch is lowered.
static int terminatorCost(const Instruction &terminator, bool divergent, const CostModel &cost) {
  if (terminator.getNumSuccessors() < 2)
    return 0;
  const int branch = divergent ? cost.guard() : cost.uniformBranch(true);
  if (!isa<SwitchInst>(terminator))
    return branch;
  SmallPtrSet<const BasicBlock *, 16> targets(succ_begin(&terminator), succ_end(&terminator));
  int compare = 4 * cost.words(terminator.getOperand(0)->getType());
  return int(targets.size() - 1) * (branch + compare);
}

int regionCost(const BasicBlock *block, const DominatorTree &dominators,
               const PostDominatorTree &postDominators, const LoopInfo &loops,
               const DivergenceInfo &divergence, const CostModel &cost) {
  const auto *node = postDominators.getNode(block);
  const BasicBlock *stop = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  const unsigned depth = loops.getLoopDepth(block);
  int sum = 0;
  for (const BasicBlock &inside : *block->getParent()) {
    if (!dominators.dominates(block, &inside) || (stop && dominators.dominates(stop, &inside)))
      continue;
    int own = terminatorCost(*inside.getTerminator(), divergence.isDivergentBranch(&inside), cost);
    if (&inside != block)
      for (const Instruction &instruction : inside)
        if (!instruction.isTerminator() && !isIgnorable(instruction))
          own += cost.instruction(instruction);
    for (unsigned level = depth; level < loops.getLoopDepth(&inside) && level < depth + 4; ++level)
      own *= 4;
    sum += own;
  }
  return sum;
}

} // namespace meld::passes
