// What is to be melded at one divergent branch, and what it gains: the planner (planner.h) makes it,
// code generation (codegen.h) carries it out.
#pragma once

#include "passes/melder/align.h"
#include "passes/melder/nodes.h"

namespace meld::passes {

/// Whose threads come to a pair of blocks.
enum class Visitors : uint8_t { both, leftOnly, rightOnly };

struct BlockPlan {
  llvm::BasicBlock *left = nullptr;
  llvm::BasicBlock *right = nullptr;
  Visitors visitors = Visitors::both;                            ///< one side only: padding.h
  std::vector<AlignedItem> items;                                ///< no phis, no terminators
  std::vector<std::pair<llvm::PHINode *, llvm::PHINode *>> phis; ///< those that become one
};

struct NodePlan {
  const Node *left = nullptr;
  const Node *right = nullptr;
  std::vector<BlockPlan> blocks;
  llvm::SmallVector<llvm::BasicBlock *, 4> mirrored;
  int gain = 0;
  unsigned pairs = 0, guards = 0, speculated = 0, selects = 0;
  /// How many branches there are more than before; a uniform one counts twice, as it costs less and
  /// none is melded away.
  int moreBranches = 0;
};

struct Plan {
  Plan() = default;
  Plan(Plan &&) = default; // nodes point into the arms, which a move keeps in place
  Plan &operator=(Plan &&) = default;

  llvm::BranchInst *branch = nullptr;
  Arm left, right;
  bool cutHeads = false;       ///< the heads of regions must be split off before melding
  std::vector<NodePlan> nodes; ///< in program order
  int gain = 0;                ///< cycles saved, against
  int cost = 0;                ///< cycles of both arms
  std::string reason;          ///< why there is nothing to do, or which case it is
  /// Two single blocks with one join, which every scope plans alike.
  bool isDiamond() const {
    return left.nodes.size() == 1 && right.nodes.size() == 1 && left.end && left.end == right.end &&
           left.nodes[0].isBlock() && right.nodes[0].isBlock();
  }
  double percent() const { return cost > 0 ? 100.0 * gain / cost : 0.0; }
  std::string summary() const;
};

} // namespace meld::passes
