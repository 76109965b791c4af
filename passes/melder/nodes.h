// An arm of a branch as a sequence of single-entry single-exit nodes.
//
//        D              left arm of D: [A] [B C T] ..., a block and then a region
//       / \             next(A) = B, next([B C T]) = J
//      A   A'
//      |   |            A loop is a region whose entry has back edges. An arm may end in a block
//      B   ...          with two successors outside of it (`openEnd`): when both arms end in the
//     / \               same two, their last branches can become one.
//    C   |
//     \ /
//      T --- J
//
// Built from the dominator and post-dominator trees in one walk per arm; every block is visited
// once per nesting level. A chain ends where the arm is left, or where no single exit can be found.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include <vector>

namespace meld::passes {

struct Node {
  llvm::BasicBlock *entry = nullptr;
  std::vector<llvm::BasicBlock *> blocks; ///< reverse post-order, entry first
  llvm::BasicBlock *next = nullptr;       ///< the one block control goes to; null for an open end
  bool openEnd = false; ///< one block, two or more successors that lie outside the arm
  /// The arm was cut at the heads of its regions: this node is a head's code without the branch
  /// (`isHead`), or what remains, the branch with its compare and the blocks below (`isHeadless`).
  bool isHead = false;
  bool isHeadless = false;
  bool hasLoop = false; ///< a loop somewhere inside
  bool isBlock() const { return blocks.size() == 1 && !isLoop; }
  bool isLoop = false;
};

struct Arm {
  std::vector<Node> nodes;
  llvm::BasicBlock *end =
      nullptr; ///< where the arm leaves to; null with an open end or when not understood
};

/// `entry` must have one predecessor from outside of the arm, the branch's block. With `cutHeads` a
/// region's head block becomes a node of its own, so that it can be paired where the region cannot.
Arm buildArm(llvm::BasicBlock *entry, const llvm::DominatorTree &dominators,
             const llvm::PostDominatorTree &postDominators, bool cutHeads);

/// The compare that only `block`'s own branch uses, or null. It stays with the branch.
llvm::CmpInst *branchCompare(llvm::BasicBlock *block);

/// The node's part of `block` that is aligned: no phis, no terminator, nothing ignorable.
std::vector<llvm::Instruction *> alignedBody(const Node &node, llvm::BasicBlock *block);

/// Which blocks and terminators of two nodes correspond.
struct NodeMatch {
  std::vector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>>
      blocks; ///< in the left node's order
  llvm::SmallVector<llvm::BasicBlock *, 4>
      mirrored; ///< right blocks whose two successors must be exchanged
};

/// Structural isomorphism, mirrored branches allowed; empty `blocks` when there is none.
NodeMatch matchNodes(const Node &left, const Node &right);

} // namespace meld::passes
