#include "passes/melder/planner.h"
#include "passes/analysis/wave_state.h"
#include "passes/melder/branch_profile.h"
#include "passes/melder/legality.h"
#include "passes/melder/node_align.h"
#include "passes/melder/node_planner.h"
#include "llvm/IR/CFG.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxNodeCells = 1 << 18;

int armCost(const Arm &arm, const CostModel &cost) {
  int sum = 0;
  for (const Node &node : arm.nodes)
    for (BasicBlock *block : node.blocks)
      for (Instruction &instruction : *block)
        if (!isIgnorable(instruction) && !node.isHead)
          sum += cost.instruction(instruction) * (node.isLoop ? loopWeight : 1);
  return sum;
}

} // namespace

NodePlan Planner::planNode(const BasicBlock &head, const Node &left, const Node &right,
                           bool branchGoes) const {
  NodeMatch match = matchNodes(left, right);
  if (match.blocks.empty())
    return {};
  const bool loops = left.hasLoop || right.hasLoop;
  if (loops && !loops_)
    return {};
  for (auto [l, r] : match.blocks) {
    if (loops && (accesses_.areIn(*l) || accesses_.areIn(*r)))
      return {};
    if (progress_.mayWait(*l, head) || progress_.mayWait(*r, head))
      return {}; // the other side's threads would wait in it, too
    if (obstacle(*l) || obstacle(*r))
      return {};
    if (l->size() > maxAlignedLength || r->size() > maxAlignedLength)
      return {};
  }
  NodePlan plan = planPair(divergence_, cost_, left, right, std::move(match), idle_);
  // Running both sides' code in turn without a pair in it gains nothing but the branch. Behind a head
  // that is known to be one; else there must be none behind the sides, and they have to be short.
  bool branches = left.blocks.size() > 1 || left.openEnd;
  if (plan.pairs == 0 && !branches && (loops || !branchGoes || !costsLessThanBranch(plan)))
    return {};
  return plan;
}

// Whether a wave whose lanes all take one side loses nothing, either: it runs the other side, too,
// in place of the branch. That side is a half of both, as it is not known which one it is.
bool Planner::costsLessThanBranch(const NodePlan &plan) const {
  if (plan.guards > 0)
    return false;
  // A plan without pairs gains less than nothing, by its selects.
  return savedByBoth(plan) - plan.gain <= cost_.divergentIfElse();
}

Plan Planner::plan(BranchInst &branch) const {
  Plan whole = planCut(branch, false);
  auto hasHead = [](const Node &node) { // see pushNode
    return !node.isLoop && (node.blocks.size() > 1 || node.openEnd);
  };
  if (scope_ != MeldScope::all ||
      (none_of(whole.left.nodes, hasHead) && none_of(whole.right.nodes, hasHead)))
    return whole; // without heads to cut off the other cut is the same
  Plan cut = planCut(branch, true);
  bool useCut = !cut.nodes.empty() && (whole.nodes.empty() || cut.gain > whole.gain);
  return useCut ? std::move(cut) : std::move(whole);
}

// Why the branch cannot be melded, whatever its sides hold; "" when it can.
std::string Planner::whyNotEvenLook(BranchInst &branch) const {
  BasicBlock *block = branch.getParent(), *l = branch.getSuccessor(0), *r = branch.getSuccessor(1);
  if (l == r || isa<Constant>(branch.getCondition()))
    return "both sides are the same block";
  // A side may begin with a loop: then the other edges into its first block come from that loop.
  auto ownSide = [&](BasicBlock *side) {
    for (BasicBlock *predecessor : predecessors(side))
      if (predecessor != block && (!dominators_.isReachableFromEntry(predecessor) ||
                                   !dominators_.dominates(side, predecessor)))
        return false;
    return side != block;
  };
  if (!ownSide(l) || !ownSide(r))
    return "one side is empty or shared";
  // Melding runs the sides' code by turns, so neither may change what the other hangs on.
  const auto *here = postDominators_.getNode(block);
  const auto *behind = here ? here->getIDom() : nullptr;
  if (!modeChanges_)
    modeChanges_ = changesMode(*block->getParent());
  const BasicBlock *join = behind ? behind->getBlock() : nullptr;
  if (const char *why = stateForbids(*block, join, *modeChanges_))
    return std::string("a side ") + why;
  if (progress_.keepsOrder(*block))
    return waitsReason;
  if (accesses_.sidesTellTurns(*block, dominators_, postDominators_, progress_))
    return turnsReason;
  return "";
}

// A side that leaves the loop of its branch runs once, after all threads have left; melded into the
// side that stays it would run in every round, with the threads that leave in that round.
bool Planner::oneSideLeavesTheLoop(const Plan &plan) const {
  const BasicBlock *block = plan.branch->getParent();
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      for (const BasicBlock *inside : node.blocks)
        if (progress_.isBehindCycleOf(*block, *inside))
          return true;
  return false;
}

static bool sidesMeet(const Plan &plan) { return plan.left.end && plan.left.end == plan.right.end; }

// Why the arms' parts are not aligned; "" when they are.
std::string Planner::whyNotAlign(const Plan &plan) const {
  const size_t n = plan.left.nodes.size(), m = plan.right.nodes.size();
  if (scope_ == MeldScope::diamonds &&
      (n != 1 || m != 1 || !sidesMeet(plan) || !plan.left.nodes[0].isBlock() ||
       !plan.right.nodes[0].isBlock()))
    return "not a diamond";
  if (n == 0 || m == 0)
    return "a side has no single-entry single-exit part";
  return n * m > maxNodeCells ? "too many parts to align" : "";
}

// Why nothing was paired: the first thing that may not be melded, if there is one.
static std::string whyNothingPairs(const Plan &plan) {
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      for (BasicBlock *inner : node.blocks)
        if (auto why = obstacle(*inner))
          return *why;
  return "nothing on the two sides corresponds";
}

static const char *caseOf(const Plan &plan) {
  const Node &last = *plan.nodes.back().left;
  if (last.openEnd)
    return "shared successors";
  if (plan.left.nodes.size() == 1 && plan.right.nodes.size() == 1 && last.isBlock())
    return "diamond";
  return last.isLoop ? "loops" : "regions";
}

// What a plan saves when both sides run that it does not when only one does: a pair is then one
// instruction, as it was before, and what is speculated for the other side is for nobody. On average,
// as it is not known which side it is.
double Planner::savedByBoth(const NodePlan &node) const {
  double saved = 0;
  for (const BlockPlan &block : node.blocks)
    for (const AlignedItem &item : block.items) {
      if (item.kind == AlignedItem::guardLeft || item.kind == AlignedItem::guardRight)
        continue; // nobody runs it then
      for (const Instruction *one : {item.left, item.right})
        if (one)
          saved += cost_.instruction(*one) * (node.left->isLoop ? loopWeight : 1) / 2.0;
    }
  return saved;
}

// Without a profile both sides are taken to run whenever the branch does.
void Planner::weigh(Plan &plan) const {
  const auto known = branchProfile(*plan.branch);
  if (!known || plan.gain <= 0)
    return;
  if (!known->executions) {
    plan.gain = 0;
    plan.reason += "; it never ran in the profile";
    return;
  }
  double saved = 0;
  for (const NodePlan &node : plan.nodes)
    saved += savedByBoth(node);
  plan.gain -= int(std::lround((1 - known->bothShare()) * saved));
  plan.reason += formatv("; both sides run in {0}{1:f1} % of the profile's {2}",
                         known->sampled ? "at most " : "", 100 * known->bothShare(),
                         known->sampled ? "samples" : "waves");
}

// By how many branches there are more afterwards, the plan's own among them.
static int moreBranches(const Plan &plan, bool endsMeet) {
  int sum = -1;
  const Node *left = plan.left.nodes.data(), *right = plan.right.nodes.data();
  for (const NodePlan &node : plan.nodes) {
    sum += node.moreBranches + (node.left != left || node.right != right);
    left = node.left + 1;
    right = node.right + 1;
  }
  auto isEnd = [](const Node *node, const Arm &arm) {
    return node == arm.nodes.data() + arm.nodes.size();
  };
  return sum + !(endsMeet && isEnd(left, plan.left) && isEnd(right, plan.right));
}

Plan Planner::planCut(BranchInst &branch, bool cutHeads) const {
  Plan plan;
  plan.cutHeads = cutHeads;
  plan.branch = &branch;
  plan.reason = whyNotEvenLook(branch);
  if (!plan.reason.empty())
    return plan;
  plan.left = buildArm(branch.getSuccessor(0), dominators_, postDominators_, cutHeads);
  plan.right = buildArm(branch.getSuccessor(1), dominators_, postDominators_, cutHeads);
  if (oneSideLeavesTheLoop(plan)) {
    plan.reason = "one side leaves the loop";
    plan.left.nodes.clear();
    plan.right.nodes.clear();
    return plan;
  }
  plan.cost = armCost(plan.left, cost_) + armCost(plan.right, cost_) + cost_.divergentIfElse();
  plan.reason = whyNotAlign(plan);
  if (!plan.reason.empty())
    return plan;
  const bool bothOpen = plan.left.nodes.back().openEnd && plan.right.nodes.back().openEnd;
  // Otherwise a branch stays: for what one side has more, or for where they go on to.
  const bool meet = sidesMeet(plan),
             branchGoes = meet && plan.left.nodes.size() == plan.right.nodes.size();
  NodeAlignment best = alignNodes(plan.left.nodes.size(), plan.right.nodes.size(), bothOpen || meet,
                                  cost_, [&](size_t i, size_t j) {
                                    return planNode(*branch.getParent(), plan.left.nodes[i],
                                                    plan.right.nodes[j], branchGoes);
                                  });
  plan.nodes = std::move(best.pairs);
  if (plan.nodes.empty()) {
    plan.reason = whyNothingPairs(plan);
    return plan;
  }
  if (none_of(plan.nodes, [](const NodePlan &node) { return node.pairs > 0; }) &&
      moreBranches(plan, bothOpen || meet) >= 0) {
    plan.nodes.clear();
    plan.reason = "nothing on the two sides corresponds but branches, and none of them goes";
    return plan;
  }
  plan.gain = best.score + cost_.divergentIfElse();
  plan.reason = caseOf(plan);
  weigh(plan);
  return plan;
}

} // namespace meld::passes
