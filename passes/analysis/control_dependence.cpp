#include "passes/analysis/control_dependence.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

using namespace llvm;

ControlDependence::ControlDependence(Function &function, const PostDominatorTree &postDominators) {
  for (BasicBlock &block : function) {
    index_[&block] = unsigned(blocks_.size());
    blocks_.push_back(&block);
  }
  closed_.assign(blocks_.size(), BitVector(unsigned(blocks_.size())));

  // Direct dependence: for an edge P->S, everything from S up the tree to (not including) P's
  // parent.
  for (BasicBlock *branch : blocks_) {
    if (branch->getTerminator()->getNumSuccessors() < 2)
      continue;
    const auto *branchNode = postDominators.getNode(branch);
    const auto *stop = branchNode ? branchNode->getIDom() : nullptr;
    for (BasicBlock *successor : successors(branch)) {
      const auto *node = postDominators.getNode(successor);
      for (; node && node != stop; node = node->getIDom())
        if (BasicBlock *dependent = node->getBlock())
          closed_[index(dependent)].set(index(branch));
    }
  }

  // Closure: sets only grow, so the sweep ends.
  bool changed = true;
  while (changed) {
    changed = false;
    for (BitVector &set : closed_)
      for (unsigned i : set.set_bits())
        if (closed_[i].test(set)) { // has what `set` has not
          set |= closed_[i];
          changed = true;
        }
  }
}

BitVector ControlDependence::decidersOfEdge(const BasicBlock *block,
                                            const DominatorTree &dominators,
                                            bool isLoopHeader) const {
  BitVector deciders(size());
  for (const BasicBlock *predecessor : predecessors(block)) {
    deciders |= dependsOn(predecessor);
    if (predecessor->getTerminator()->getNumSuccessors() > 1)
      deciders.set(index(predecessor));
  }
  const auto *node = dominators.getNode(block);
  const BasicBlock *above = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  for (unsigned i : deciders.set_bits()) {
    const BasicBlock *decider = blocks_[i];
    bool between = !above || dominators.dominates(above, decider);
    bool after = !isLoopHeader && dominators.dominates(block, decider);
    if (!between || after)
      deciders.reset(i);
  }
  return deciders;
}

} // namespace meld::passes
