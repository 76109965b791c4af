// Plans the melding of one divergent branch, before anything is changed.
//
// Two levels of alignment: the arms' node sequences (node_align.h), and inside a pair of blocks the
// instructions (align.h); both keep the order. The outermost is decided first: a pair of regions is
// scored as a whole, and what is left unpaired is looked at again in the next round. The plan's gain
// is weighed by how often both sides run, where a profile tells (branch_profile.h). Two short blocks
// without anything alike are melded, too, where running both costs less than the branch.
//
// A plan without a pair of instructions has to leave fewer branches. Else two nested decisions
// would change places for ever:
//
//     D ? (c ? A : B) : (c ? E : F)      ->      c ? (D ? A : E) : (D ? B : F)      ->     ...
//
// Only a uniform c comes out once and for all, as nobody melds at it.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/analysis/forward_progress.h"
#include "passes/analysis/ordered_accesses.h"
#include "passes/cost/cost_model.h"
#include "passes/melder/plan.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace meld::passes {

/// Which plans are looked for.
enum class MeldScope : uint8_t {
  diamonds, ///< branch fusion: two single blocks with one join (Coutinho et al. 2011)
  all,      ///< the general melder
};

class Planner {
public:
  Planner(const DivergenceInfo &divergence, const CostModel &cost,
          const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators,
          const ForwardProgress &progress, MeldScope scope = MeldScope::all, bool loops = true)
      : divergence_(divergence), cost_(cost), dominators_(dominators),
        postDominators_(postDominators), progress_(progress), scope_(scope),
        accesses_(divergence.gpu()), loops_(loops) {}

  /// The better of two cuts of the arms: whole regions, or regions with their head blocks apart.
  Plan plan(llvm::BranchInst &branch) const;
  /// Whole regions only.
  Plan planWhole(llvm::BranchInst &branch) const { return planCut(branch, false); }
  /// Blocks that no thread of their side enters; must outlive the planner.
  void setIdle(const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> *idle) { idle_ = idle; }

private:
  Plan planCut(llvm::BranchInst &branch, bool cutHeads) const;
  std::string whyNotEvenLook(llvm::BranchInst &branch) const;
  double savedByBoth(const NodePlan &node) const;
  void weigh(Plan &plan) const; ///< by what is known of the branch's runs
  bool oneSideLeavesTheLoop(const Plan &plan) const;
  std::string whyNotAlign(const Plan &plan) const;
  bool costsLessThanBranch(const NodePlan &plan) const;
  NodePlan planNode(const llvm::BasicBlock &head, const Node &left, const Node &right,
                    bool branchGoes) const;

  const DivergenceInfo &divergence_;
  const CostModel &cost_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
  const ForwardProgress &progress_;
  MeldScope scope_;
  const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> *idle_ = nullptr;
  mutable OrderedAccesses accesses_;
  mutable std::optional<bool> modeChanges_; ///< anywhere in the function, once asked for
  /// May loops be paired? Not before unrolling: one loop of two trip counts does not unroll.
  bool loops_;
};

} // namespace meld::passes
