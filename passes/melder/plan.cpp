#include "passes/melder/plan.h"
#include "passes/analysis/wave_state.h"
#include "passes/melder/legality.h"
#include "passes/melder/node_planner.h"
#include "llvm/IR/CFG.h"
#include <unordered_map>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxNodePairs = 1024; // more: only those near the diagonal are looked at
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

NodePlan Planner::planNode(const BasicBlock &head, const Node &left, const Node &right) const {
  NodeMatch match = matchNodes(left, right);
  if (match.blocks.empty())
    return {};
  const bool loops = left.hasLoop || right.hasLoop;
  if (loops && !loops_)
    return {};
  for (auto [l, r] : match.blocks) {
    if (loops && (synchronises(*l) || synchronises(*r)))
      return {};
    if (progress_.mayWait(*l, head) || progress_.mayWait(*r, head))
      return {}; // the other side's threads would wait in it, too
    if (obstacle(*l) || obstacle(*r))
      return {};
    if (l->size() > maxAlignedLength || r->size() > maxAlignedLength)
      return {};
  }
  NodePlan plan = planPair(divergence_, cost_, left, right, std::move(match), idle_);
  // Running both sides' code in turn without a pair in it gains nothing but the branch.
  bool branches = left.blocks.size() > 1 || left.openEnd;
  if (plan.pairs == 0 && !branches)
    return {};
  return plan;
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

Plan Planner::planCut(BranchInst &branch, bool cutHeads) const {
  Plan plan;
  plan.cutHeads = cutHeads;
  plan.branch = &branch;
  BasicBlock *block = branch.getParent(), *l = branch.getSuccessor(0), *r = branch.getSuccessor(1);
  if (l == r || isa<Constant>(branch.getCondition())) {
    plan.reason = "both sides are the same block";
    return plan;
  }
  // A side may begin with a loop: then the other edges into its first block come from that loop.
  auto ownSide = [&](BasicBlock *side) {
    for (BasicBlock *predecessor : predecessors(side))
      if (predecessor != block && (!dominators_.isReachableFromEntry(predecessor) ||
                                   !dominators_.dominates(side, predecessor)))
        return false;
    return side != block;
  };
  if (!ownSide(l) || !ownSide(r)) {
    plan.reason = "one side is empty or shared";
    return plan;
  }
  // Melding runs the sides' code by turns, so neither may change what the other hangs on.
  const auto *here = postDominators_.getNode(block);
  const auto *behind = here ? here->getIDom() : nullptr;
  if (!modeChanges_)
    modeChanges_ = changesMode(*block->getParent());
  if (const char *why =
          stateForbids(*block, behind ? behind->getBlock() : nullptr, *modeChanges_)) {
    plan.reason = std::string("a side ") + why;
    return plan;
  }
  if (progress_.keepsOrder(*block)) {
    plan.reason = waitsReason;
    return plan;
  }
  plan.left = buildArm(l, dominators_, postDominators_, cutHeads);
  plan.right = buildArm(r, dominators_, postDominators_, cutHeads);
  // A side that leaves the loop of its branch runs once, after all threads have left; melded into
  // the side that stays it would run in every round, with the threads that leave in that round.
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      for (const BasicBlock *inside : node.blocks)
        if (progress_.isBehindCycleOf(*block, *inside)) {
          plan.reason = "one side leaves the loop";
          plan.left.nodes.clear();
          plan.right.nodes.clear();
          return plan;
        }
  plan.cost = armCost(plan.left, cost_) + armCost(plan.right, cost_) + cost_.divergentIfElse();
  const size_t n = plan.left.nodes.size(), m = plan.right.nodes.size();
  const bool meet = plan.left.end && plan.left.end == plan.right.end;
  if (scope_ == MeldScope::diamonds &&
      (n != 1 || m != 1 || !meet || !plan.left.nodes[0].isBlock() ||
       !plan.right.nodes[0].isBlock())) {
    plan.reason = "not a diamond";
    return plan;
  }
  if (n == 0 || m == 0) {
    plan.reason = "a side has no single-entry single-exit part";
    return plan;
  }
  if (n * m > maxNodeCells) {
    plan.reason = "too many parts to align";
    return plan;
  }

  // Affine alignment of the two node sequences; a run of unpaired nodes costs a guard.
  // States: 0 after a pair; 1, 2, 3 in a run that has left nodes, right nodes, both.
  constexpr int never = -(1 << 28);
  struct Cell {
    int score[4] = {never, never, never, never};
    uint8_t move[4] = {0, 0, 0, 0}; // 1 pair, 2 skip left, 3 skip right
    uint8_t from[4] = {0, 0, 0, 0};
  };
  const int branchCost[4] = {0, cost_.guard(), cost_.guard(), cost_.divergentIfElse()};
  std::unordered_map<size_t, NodePlan> pairs;
  std::vector<Cell> cells((n + 1) * (m + 1));
  auto at = [&](size_t i, size_t j) -> Cell & { return cells[i * (m + 1) + j]; };
  // Counterparts stand at about the same place of their sequences; a band of at least 17 keeps the
  // work linear in their length.
  const size_t halfBand = std::max<size_t>(8, maxNodePairs / (2 * n));
  auto isNear = [&](size_t i, size_t j) {
    const size_t centre = i * m / n;
    return n * m <= maxNodePairs || (centre <= j + halfBand && j <= centre + halfBand);
  };
  at(0, 0).score[0] = 0;
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; j <= m; ++j) {
      Cell &cell = at(i, j);
      auto improve = [&](int to, int score, uint8_t move, uint8_t from) {
        if (score > cell.score[to]) {
          cell.score[to] = score;
          cell.move[to] = move;
          cell.from[to] = from;
        }
      };
      for (uint8_t from : {0, 1, 2, 3}) {
        if (i > 0)
          improve(from | 1, at(i - 1, j).score[from] - (branchCost[from | 1] - branchCost[from]), 2,
                  from);
        if (j > 0)
          improve(from | 2, at(i, j - 1).score[from] - (branchCost[from | 2] - branchCost[from]), 3,
                  from);
      }
      if (i > 0 && j > 0 && isNear(i, j)) {
        NodePlan &pair = pairs[(i - 1) * m + j - 1];
        pair = planNode(*block, plan.left.nodes[i - 1], plan.right.nodes[j - 1]);
        if (!pair.blocks.empty())
          for (uint8_t from : {0, 1, 2, 3})
            improve(0, at(i - 1, j - 1).score[from] + pair.gain, 1, from);
      }
    }
  const Node &lastLeft = plan.left.nodes.back(), &lastRight = plan.right.nodes.back();
  bool endsMeet = (lastLeft.openEnd && lastRight.openEnd) || meet;
  Cell &final = at(n, m);
  // Ends that do not meet keep a branch at the end.
  int closed = final.score[0] - (endsMeet ? 0 : cost_.guard());
  uint8_t state = 0;
  int best = closed;
  for (uint8_t open : {1, 2, 3})
    if (final.score[open] > best) {
      best = final.score[open];
      state = open;
    }
  for (size_t i = n, j = m; i > 0 || j > 0;) {
    Cell &cell = at(i, j);
    uint8_t move = cell.move[state];
    uint8_t from = cell.from[state];
    if (move == 1)
      plan.nodes.insert(plan.nodes.begin(), std::move(pairs[(i - 1) * m + j - 1]));
    i -= move != 3;
    j -= move != 2;
    state = from;
  }
  if (plan.nodes.empty()) {
    plan.reason = "nothing on the two sides corresponds";
    for (const Arm *arm : {&plan.left, &plan.right})
      for (const Node &node : arm->nodes)
        for (BasicBlock *inner : node.blocks)
          if (auto why = obstacle(*inner)) {
            plan.reason = *why;
            return plan;
          }
    return plan;
  }
  plan.gain = best + cost_.divergentIfElse();
  const NodePlan &last = plan.nodes.back();
  if (last.left->openEnd)
    plan.reason = "shared successors";
  else if (n == 1 && m == 1 && last.left->isBlock())
    plan.reason = "diamond";
  else
    plan.reason = last.left->isLoop ? "loops" : "regions";
  return plan;
}

std::string Plan::summary() const {
  unsigned blocks = 0, pairs = 0, guards = 0, speculated = 0, selects = 0;
  for (const NodePlan &node : nodes) {
    blocks += unsigned(node.blocks.size());
    pairs += node.pairs;
    guards += node.guards;
    speculated += node.speculated;
    selects += node.selects;
  }
  return "blocks " + std::to_string(blocks) + ", paired " + std::to_string(pairs) +
         ", guarded runs " + std::to_string(guards) + ", speculated " + std::to_string(speculated) +
         ", selects " + std::to_string(selects);
}

} // namespace meld::passes
