// Control dependence (Ferrante, Ottenstein, Warren 1987) on the post-dominator tree, as bit sets.
//
// Block B depends on the branch of block P when one successor of P always leads to B and another
// may not. Sets here are closed transitively: dependsOn(B) holds every branch that has a say in
// whether, or how often, B runs. With n blocks and e edges it costs O(e * depth) for the walk and
// O(n^2) bits for the closure.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace meld::passes {

class ControlDependence {
public:
  ControlDependence(llvm::Function &function, const llvm::PostDominatorTree &postDominators);

  unsigned index(const llvm::BasicBlock *block) const { return index_.lookup(block); }
  llvm::BasicBlock *block(unsigned index) const { return blocks_[index]; }
  unsigned size() const { return unsigned(blocks_.size()); }

  /// Branches (by block index) on which `block` depends, directly or through others.
  const llvm::BitVector &dependsOn(const llvm::BasicBlock *block) const {
    return closed_[index(block)];
  }

  /// Branches which may decide over which incoming edge `block` is reached, once it is reached at
  /// all.
  ///
  /// A decider has two disjoint paths to `block`, so it lies in the dominator subtree of the
  /// block's immediate dominator (all paths from anywhere else pass that dominator). What `block`
  /// itself dominates comes after it, unless `block` is a loop header.
  llvm::BitVector decidersOfEdge(const llvm::BasicBlock *block,
                                 const llvm::DominatorTree &dominators, bool isLoopHeader) const;

private:
  std::vector<llvm::BasicBlock *> blocks_;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> index_;
  std::vector<llvm::BitVector> closed_;
};

} // namespace meld::passes
