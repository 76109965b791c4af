#include "passes/transform/plan.h"
#include "passes/transform/legality.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include <unordered_map>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr int loopWeight = 4;
constexpr size_t maxNodePairs = 1024; // more: only those near the diagonal are looked at
constexpr size_t maxNodeCells = 1 << 18;

// Plans one pair of nodes: phis, instruction alignments, and the exact gain of what was chosen.
class NodePlanner {
public:
  NodePlanner(const DivergenceInfo &divergence, const CostModel &cost, const Node &left,
              const Node &right, NodeMatch match, const SmallPtrSetImpl<const BasicBlock *> *idle)
      : idle_(idle), divergence_(divergence), cost_(cost), left_(left), right_(right),
        match_(std::move(match)) {
    for (auto [l, r] : match_.blocks) {
      leftBlocks_.insert(l);
      rightBlocks_.insert(r);
    }
    for (BasicBlock *block : match_.mirrored)
      if (auto *compare = branchCompare(block))
        inverted_.insert(compare);
  }

  NodePlan run() {
    NodePlan plan;
    plan.left = &left_;
    plan.right = &right_;
    plan.mirrored = match_.mirrored;
    for (auto [l, r] : match_.blocks) {
      BlockPlan block;
      block.left = l;
      block.right = r;
      if (idle_ && idle_->count(l))
        block.visitors = Visitors::rightOnly;
      else if (idle_ && idle_->count(r))
        block.visitors = Visitors::leftOnly;
      pairPhis(block);
      plan.blocks.push_back(std::move(block));
    }
    // First with hope (operands that look alike will be paired), then with what the first round
    // paired.
    for (bool hopeful : {true, false}) {
      hopeful_ = hopeful;
      for (BlockPlan &block : plan.blocks) {
        if (block.visitors != Visitors::both) {
          block.items = alone(block);
          continue;
        }
        block.items = align(
            alignedBody(left_, block.left), alignedBody(right_, block.right), cost_.guard(),
            [&](Instruction &instruction) { return speculation(instruction); },
            [&](Instruction &l, Instruction &r) { return score(l, r); });
      }
      paired_.clear();
      for (BlockPlan &block : plan.blocks) {
        for (auto [l, r] : block.phis)
          paired_[l] = r;
        for (const AlignedItem &item : block.items)
          if (item.kind == AlignedItem::pair)
            paired_[item.left] = item.right;
      }
    }
    evaluate(plan);
    return plan;
  }

private:
  // Threads of one side alone: its code as it is, neither guarded nor speculated.
  std::vector<AlignedItem> alone(const BlockPlan &block) const {
    std::vector<AlignedItem> items;
    for (Instruction *instruction : alignedBody(left_, block.left))
      items.push_back({AlignedItem::speculateLeft, instruction, nullptr, false});
    for (Instruction *instruction : alignedBody(right_, block.right))
      items.push_back({AlignedItem::speculateRight, nullptr, instruction, false});
    return items;
  }

  bool same(const Value *l, const Value *r) const {
    if (l == r)
      return true;
    auto found = paired_.find(l);
    if (found != paired_.end() && found->second == r)
      return true;
    if (!hopeful_)
      return false;
    auto *li = dyn_cast<Instruction>(l), *ri = dyn_cast<Instruction>(r);
    return li && ri && li->getOpcode() == ri->getOpcode() && li->getType() == ri->getType() &&
           !isa<PHINode>(li) && leftBlocks_.count(li->getParent()) &&
           rightBlocks_.count(ri->getParent());
  }

  // Waves that do not diverge here at run time would have jumped over it: charge an eighth.
  int speculation(const Instruction &instruction) const {
    return cost_.instruction(instruction) / 8;
  }

  void pairPhis(BlockPlan &plan) {
    if (left_.isHeadless && plan.left == left_.entry)
      return; // the head keeps them
    SmallPtrSet<PHINode *, 8> taken;
    for (PHINode &l : plan.left->phis()) {
      PHINode *best = nullptr;
      int bestAgreeing = -1;
      for (PHINode &r : plan.right->phis()) {
        if (taken.count(&r) || l.getType() != r.getType())
          continue;
        int agreeing = 0;
        for (unsigned i = 0; i < l.getNumIncomingValues(); ++i) {
          BasicBlock *from = l.getIncomingBlock(i);
          Value *other = nullptr;
          for (auto [bl, br] : match_.blocks)
            if (bl == from && r.getBasicBlockIndex(br) >= 0)
              other = r.getIncomingValueForBlock(br);
          if (!leftBlocks_.count(from)) // the entry edge
            for (unsigned k = 0; k < r.getNumIncomingValues(); ++k)
              if (!rightBlocks_.count(r.getIncomingBlock(k)))
                other = r.getIncomingValue(k);
          auto *li = dyn_cast<Instruction>(l.getIncomingValue(i)),
               *ri = dyn_cast_or_null<Instruction>(other);
          agreeing += 2 * (other == l.getIncomingValue(i)) + (li && ri &&
                                                              li->getOpcode() == ri->getOpcode() &&
                                                              leftBlocks_.count(li->getParent()));
        }
        if (agreeing > bestAgreeing) {
          best = &r;
          bestAgreeing = agreeing;
        }
      }
      if (best) {
        taken.insert(best);
        plan.phis.push_back({&l, best});
        paired_[&l] = best;
      }
    }
  }

  // A load that the scalar unit could do (uniform address, memory known unchanged) must stay one.
  bool losesScalarLoad(const Instruction &l, const Instruction &r) const {
    if (!isa<LoadInst>(l))
      return false;
    const Value *lp = l.getOperand(0), *rp = r.getOperand(0);
    if (same(lp, rp) ||
        lp->getType()->getPointerAddressSpace() == divergence_.gpu().localAddressSpace())
      return false;
    return divergence_.width(lp) >= Width::wave && divergence_.width(rp) >= Width::wave;
  }

  int selectCosts(const Instruction &l, const Instruction &r, bool swapped) const {
    int sum = 0;
    for (unsigned i = 0; i < l.getNumOperands(); ++i) {
      unsigned k = swapped && i < 2 ? 1 - i : i;
      if (!same(l.getOperand(i), r.getOperand(k)))
        sum += cost_.select(l.getOperand(i)->getType());
    }
    return sum;
  }

  // If the two are used in corresponding places, pairing them saves the select there.
  int useBonus(const Instruction &l, const Instruction &r) const {
    if (l.getType()->isVoidTy())
      return 0;
    unsigned leftSeen = 0;
    for (const Use &lu : l.uses()) {
      if (++leftSeen > 6)
        break;
      auto *li = cast<Instruction>(lu.getUser());
      unsigned rightSeen = 0;
      for (const Use &ru : r.uses()) {
        if (++rightSeen > 6)
          break;
        auto *ri = cast<Instruction>(ru.getUser());
        bool phis = isa<PHINode>(li) && (li == ri || same(li, ri));
        bool places = li->getOpcode() == ri->getOpcode() &&
                      lu.getOperandNo() == ru.getOperandNo() &&
                      leftBlocks_.count(li->getParent()) && rightBlocks_.count(ri->getParent()) &&
                      !isa<PHINode>(li);
        if (phis || places)
          return cost_.select(l.getType());
      }
    }
    return 0;
  }

  PairScore score(Instruction &l, Instruction &r) const {
    PairShape shape = mayPair(l, r, inverted_.count(&r));
    if (!shape || losesScalarLoad(l, r))
      return {};
    const int both = cost_.instruction(l) + cost_.instruction(r);
    int straight = shape.straight ? selectCosts(l, r, false) + cost_.merged(l, r, false) : 1 << 20;
    int swapped = shape.swapped ? selectCosts(l, r, true) + cost_.merged(l, r, true) : 1 << 20;
    bool swap = swapped < straight;
    return {true, both - std::min(straight, swapped) + useBonus(l, r), swap};
  }

  struct SelectCount {
    const CostModel &cost;
    const SmallPtrSetImpl<const BasicBlock *> &leftBlocks, &rightBlocks;
    DenseSet<std::pair<const Value *, const Value *>> hoisted, local;
    unsigned count = 0;

    int add(const Value *l, const Value *r) {
      auto inNode = [&](const Value *value, const SmallPtrSetImpl<const BasicBlock *> &blocks) {
        auto *instruction = dyn_cast<Instruction>(value);
        return instruction && blocks.count(instruction->getParent());
      };
      auto &set = inNode(l, leftBlocks) || inNode(r, rightBlocks) ? local : hoisted;
      if (!set.insert({l, r}).second)
        return 0;
      ++count;
      return cost.select(l->getType());
    }
  };

  void evaluate(NodePlan &plan) {
    SelectCount selects{cost_, leftBlocks_, rightBlocks_, {}, {}};
    int gain = 0;
    // Values of the two sides of one guard meet in a phi, which costs no select.
    DenseMap<const Value *, unsigned> guardOf;
    auto joined = [&](const Value *l, const Value *r) {
      unsigned run = guardOf.lookup(l);
      return run != 0 && run == guardOf.lookup(r);
    };
    bool sides[2] = {false, false};
    auto closeGuard = [&] {
      if (sides[0] && sides[1])
        gain -= cost_.divergentIfElse() - cost_.guard();
      sides[0] = sides[1] = false;
    };
    for (BlockPlan &block : plan.blocks) {
      selects.local.clear();
      bool guardOpen = false;
      for (const AlignedItem &item : block.items) {
        switch (item.kind) {
        case AlignedItem::pair: {
          guardOpen = false;
          closeGuard();
          ++plan.pairs;
          gain += cost_.instruction(*item.left) + cost_.instruction(*item.right) -
                  cost_.merged(*item.left, *item.right, item.swapped);
          for (unsigned i = 0; i < item.left->getNumOperands(); ++i) {
            Value *l = item.left->getOperand(i);
            Value *r = item.right->getOperand(item.swapped && i < 2 ? 1 - i : i);
            if (!same(l, r) && !joined(l, r))
              gain -= selects.add(l, r);
          }
          break;
        }
        case AlignedItem::speculateLeft:
        case AlignedItem::speculateRight:
          if (block.visitors != Visitors::both)
            break;
          ++plan.speculated;
          gain -= speculation(item.left ? *item.left : *item.right);
          break;
        case AlignedItem::guardLeft:
        case AlignedItem::guardRight:
          if (!guardOpen) {
            gain -= cost_.guard();
            ++plan.guards;
          }
          guardOpen = true;
          sides[item.right != nullptr] = true;
          guardOf[item.left ? item.left : item.right] = plan.guards;
          break;
        }
      }
      closeGuard();
      gain += terminatorGain(block, selects);
      gain -= exitCosts(block, selects);
      for (auto [l, r] : block.phis)
        for (auto [bl, br] : match_.blocks) {
          int li = l->getBasicBlockIndex(bl), ri = r->getBasicBlockIndex(br);
          if (li >= 0 && ri >= 0 && !same(l->getIncomingValue(li), r->getIncomingValue(ri)))
            gain -= selects.add(l->getIncomingValue(li), r->getIncomingValue(ri));
        }
    }
    plan.selects = selects.count;
    plan.gain = gain * (left_.isLoop ? loopWeight : 1);
  }

  int terminatorGain(const BlockPlan &block, SelectCount &selects) const {
    if (left_.isHead || right_.isHead)
      return 0;
    Instruction *l = block.left->getTerminator(), *r = block.right->getTerminator();
    if (l->getNumSuccessors() < 2)
      return 0;
    Value *lc = isa<SwitchInst>(l) ? l->getOperand(0) : cast<BranchInst>(l)->getCondition();
    Value *rc = isa<SwitchInst>(r) ? r->getOperand(0) : cast<BranchInst>(r)->getCondition();
    if (block.visitors != Visitors::both)
      return 0;
    if (isa<Constant>(lc) || isa<Constant>(rc)) // padding: there was one branch, and there is one
      return -selects.add(lc, rc);
    bool divergent =
        divergence_.isDivergentBranch(block.left) || divergence_.isDivergentBranch(block.right);
    int branch = divergent ? cost_.guard() + cost_.uniformBranch(true) : cost_.uniformBranch(true);
    int gain = branch;
    if (!same(lc, rc)) {
      gain -= selects.add(lc, rc);
      if (!divergent) // two scalar branches become one that diverges
        gain -= cost_.divergentIfElse();
    }
    if (is_contained(match_.mirrored, block.right) && !branchCompare(block.right))
      gain -= 4;
    return gain;
  }

  // Selects for the phis of the block both sides leave to.
  int exitCosts(const BlockPlan &block, SelectCount &selects) const {
    int sum = 0;
    if (left_.isHead || right_.isHead)
      return sum;
    SmallPtrSet<BasicBlock *, 4> seen;
    for (BasicBlock *successor : successors(block.left)) {
      if (leftBlocks_.count(successor) || !seen.insert(successor).second ||
          !is_contained(successors(block.right), successor))
        continue;
      for (PHINode &phi : successor->phis()) {
        Value *l = phi.getIncomingValueForBlock(block.left),
              *r = phi.getIncomingValueForBlock(block.right);
        if (!same(l, r))
          sum += selects.add(l, r);
      }
    }
    return sum;
  }

  const SmallPtrSetImpl<const BasicBlock *> *idle_;
  const DivergenceInfo &divergence_;
  const CostModel &cost_;
  const Node &left_;
  const Node &right_;
  NodeMatch match_;
  SmallPtrSet<const BasicBlock *, 16> leftBlocks_, rightBlocks_;
  SmallPtrSet<const Instruction *, 4> inverted_;
  DenseMap<const Value *, const Value *> paired_;
  bool hopeful_ = true;
};

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

NodePlan Planner::planNode(const Node &left, const Node &right) const {
  NodeMatch match = matchNodes(left, right);
  if (match.blocks.empty())
    return {};
  // Spin locks: two loops that wait for each other must not wait together.
  const bool loops = left.hasLoop || right.hasLoop;
  if (loops && !loops_)
    return {};
  for (auto [l, r] : match.blocks) {
    if (loops && (synchronises(*l) || synchronises(*r)))
      return {};
    if (obstacle(*l) || obstacle(*r))
      return {};
    if (l->size() > maxAlignedLength || r->size() > maxAlignedLength)
      return {};
  }
  NodePlan plan = NodePlanner(divergence_, cost_, left, right, std::move(match), idle_).run();
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
  plan.left = buildArm(l, dominators_, postDominators_, cutHeads);
  plan.right = buildArm(r, dominators_, postDominators_, cutHeads);
  // A side that leaves the loop of its branch runs once, after all threads have left; melded into
  // the side that stays it would run in every round, with the threads that leave in that round.
  if (const Loop *loop = divergence_.loops().getLoopFor(block))
    for (const Arm *arm : {&plan.left, &plan.right})
      for (const Node &node : arm->nodes)
        for (const BasicBlock *inside : node.blocks)
          if (!loop->contains(inside)) {
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
        pair = planNode(plan.left.nodes[i - 1], plan.right.nodes[j - 1]);
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
