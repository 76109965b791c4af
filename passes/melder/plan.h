// What to meld at one divergent branch, and what it gains: decided before anything is changed.
//
// Two levels of alignment: the arms' node sequences (dynamic programming over node pairs, order
// kept), and inside a pair of blocks the instructions (align.h). Order of decision is outermost
// first: a pair of regions is scored as a whole, and what is left unpaired is looked at again in
// the next round.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/cost/cost_model.h"
#include "passes/melder/align.h"
#include "passes/melder/nodes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace meld::passes {

/// Which plans are looked for.
enum class MeldScope : uint8_t {
  diamonds, ///< branch fusion: two single blocks with one join (Coutinho et al. 2011)
  all,      ///< the general melder
};

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

class Planner {
public:
  Planner(const DivergenceInfo &divergence, const CostModel &cost,
          const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators,
          const ForwardProgress &progress, MeldScope scope = MeldScope::all, bool loops = true)
      : divergence_(divergence), cost_(cost), dominators_(dominators),
        postDominators_(postDominators), progress_(progress), scope_(scope), loops_(loops) {}

  /// The better of two cuts of the arms: whole regions, or regions with their head blocks apart.
  Plan plan(llvm::BranchInst &branch) const;
  /// Whole regions only.
  Plan planWhole(llvm::BranchInst &branch) const { return planCut(branch, false); }
  /// Blocks that no thread of their side enters; must outlive the planner.
  void setIdle(const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> *idle) { idle_ = idle; }

private:
  Plan planCut(llvm::BranchInst &branch, bool cutHeads) const;
  NodePlan planNode(const llvm::BasicBlock &head, const Node &left, const Node &right) const;

  const DivergenceInfo &divergence_;
  const CostModel &cost_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
  const ForwardProgress &progress_;
  MeldScope scope_;
  const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> *idle_ = nullptr;
  mutable std::optional<bool> modeChanges_; ///< anywhere in the function, once asked for
  bool loops_; ///< may loops be paired? Not before unrolling: one loop of two trip counts does not
               ///< unroll
};

} // namespace meld::passes
