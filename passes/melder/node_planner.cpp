#include "passes/melder/node_planner.h"
#include "passes/melder/legality.h"
#include "passes/melder/pair_choice.h"
#include "passes/melder/pair_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxChosen = 8192; // more pairs: all are kept

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
        const auto left = alignedBody(left_, block.left), right = alignedBody(right_, block.right);
        const PairTable table(left, right, cost_, {leftBlocks_, rightBlocks_, paired_, hopeful_});
        block.items = alignByPlace(
            left, right, cost_.guard(),
            [&](Instruction &instruction) { return speculation(instruction); },
            [&](size_t l, size_t r) {
              const PairShape shape = mayPair(*left[l], *right[r], inverted_.count(right[r]));
              if (!shape || losesScalarLoad(*left[l], *right[r]))
                return PairScore();
              return table.score(l, r, shape.straight, shape.swapped);
            });
      }
      notePairs(plan);
    }
    giveUpPairs(plan);
    evaluate(plan);
    return plan;
  }

private:
  void notePairs(const NodePlan &plan) {
    paired_.clear();
    for (const BlockPlan &block : plan.blocks) {
      for (auto [l, r] : block.phis)
        paired_[l] = r;
      for (const AlignedItem &item : block.items)
        if (item.kind == AlignedItem::pair)
          paired_[item.left] = item.right;
    }
  }

  // Takes back the pairs whose selects cost more than they save (pair_choice.h). Only those that
  // may be run by all threads: the others would need a guard, which the alignment has weighed.
  void giveUpPairs(NodePlan &plan) {
    size_t count = 0;
    for (const BlockPlan &block : plan.blocks)
      count += block.items.size();
    if (count > maxChosen)
      return;
    PairChoice choice;
    std::vector<std::pair<size_t, size_t>> where; // block and item of each loose pair
    std::vector<PairChoice::Index> index;
    DenseMap<const Value *, PairChoice::Index> loose; // by the left instruction
    std::vector<std::vector<PairChoice::Index>> pairs(plan.blocks.size());
    for (size_t b = 0; b < plan.blocks.size(); ++b)
      for (size_t i = 0; i < plan.blocks[b].items.size(); ++i) {
        const AlignedItem &item = plan.blocks[b].items[i];
        if (item.kind != AlignedItem::pair) {
          pairs[b].push_back(0);
          continue;
        }
        if (!maySpeculate(*item.left) || !maySpeculate(*item.right)) {
          pairs[b].push_back(choice.addFixedPair());
          continue;
        }
        const int gain = cost_.instruction(*item.left) + cost_.instruction(*item.right) -
                         cost_.merged(*item.left, *item.right, item.swapped) +
                         speculation(*item.left) + speculation(*item.right);
        pairs[b].push_back(choice.addPair(gain));
        loose[item.left] = pairs[b].back();
        where.push_back({b, i});
        index.push_back(pairs[b].back());
      }
    if (where.empty())
      return;

    DenseMap<std::pair<const Value *, const Value *>, PairChoice::Index> hoisted, local;
    auto selectOf = [&](const Value *l, const Value *r) -> std::optional<PairChoice::Index> {
      if (l == r)
        return std::nullopt;
      const bool same = this->same(l, r);
      auto producer = loose.find(l);
      if (same && producer == loose.end())
        return std::nullopt;
      auto &known = inNode(l, leftBlocks_) || inNode(r, rightBlocks_) ? local : hoisted;
      auto [found, fresh] = known.insert({{l, r}, 0});
      if (fresh)
        found->second = same ? choice.addSelectUnless(producer->second, cost_.select(l->getType()))
                             : choice.addSelect(cost_.select(l->getType()));
      return found->second;
    };
    auto readByKept = [&](const Value *l, const Value *r) {
      if (auto select = selectOf(l, r))
        choice.alwaysReads(*select);
    };
    for (size_t b = 0; b < plan.blocks.size(); ++b) {
      const BlockPlan &block = plan.blocks[b];
      local.clear();
      for (size_t i = 0; i < block.items.size(); ++i) {
        const AlignedItem &item = block.items[i];
        if (item.kind != AlignedItem::pair)
          continue;
        for (unsigned k = 0; k < item.left->getNumOperands(); ++k)
          if (auto select = selectOf(item.left->getOperand(k),
                                     item.right->getOperand(item.swapped && k < 2 ? 1 - k : k)))
            choice.reads(pairs[b][i], *select);
      }
      if (block.visitors == Visitors::both)
        forEachMeeting(block, readByKept);
    }
    const std::vector<bool> kept = choice.solve();
    std::vector<std::vector<bool>> apart(plan.blocks.size());
    for (size_t n = 0; n < where.size(); ++n)
      if (!kept[index[n]]) {
        apart[where[n].first].resize(plan.blocks[where[n].first].items.size());
        apart[where[n].first][where[n].second] = true;
      }
    for (size_t b = 0; b < plan.blocks.size(); ++b) {
      if (apart[b].empty())
        continue;
      std::vector<AlignedItem> items;
      for (size_t i = 0; i < apart[b].size(); ++i) {
        const AlignedItem &item = plan.blocks[b].items[i];
        if (!apart[b][i]) {
          items.push_back(item);
          continue;
        }
        items.push_back({AlignedItem::speculateLeft, item.left, nullptr, false});
        items.push_back({AlignedItem::speculateRight, nullptr, item.right, false});
      }
      plan.blocks[b].items = std::move(items);
    }
    notePairs(plan);
  }

  // The values of the two sides that meet behind the block's own code: its branch's condition, the
  // phis of what it leaves to, the phis that become one.
  template <typename Meet> void forEachMeeting(const BlockPlan &block, Meet meet) const {
    for (auto [l, r] : block.phis)
      for (auto [bl, br] : match_.blocks) {
        const int li = l->getBasicBlockIndex(bl), ri = r->getBasicBlockIndex(br);
        if (li >= 0 && ri >= 0)
          meet(l->getIncomingValue(unsigned(li)), r->getIncomingValue(unsigned(ri)));
      }
    if (left_.isHead || right_.isHead)
      return;
    const Instruction *l = block.left->getTerminator(), *r = block.right->getTerminator();
    if (l->getNumSuccessors() > 1 && r->getNumSuccessors() > 1)
      meet(decision(*l), decision(*r));
    for (BasicBlock *successor : successors(block.left))
      if (!leftBlocks_.count(successor) && is_contained(successors(block.right), successor))
        for (PHINode &phi : successor->phis())
          meet(phi.getIncomingValueForBlock(block.left), phi.getIncomingValueForBlock(block.right));
  }

  static const Value *decision(const Instruction &terminator) {
    return isa<SwitchInst>(terminator) ? terminator.getOperand(0)
                                       : cast<BranchInst>(terminator).getCondition();
  }

  static bool inNode(const Value *value, const SmallPtrSetImpl<const BasicBlock *> &blocks) {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && blocks.count(instruction->getParent());
  }

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

  struct SelectCount {
    const CostModel &cost;
    const SmallPtrSetImpl<const BasicBlock *> &leftBlocks, &rightBlocks;
    DenseSet<std::pair<const Value *, const Value *>> hoisted, local;
    unsigned count = 0;

    int add(const Value *l, const Value *r) {
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
            ++plan.moreBranches;
          }
          guardOpen = true;
          sides[item.right != nullptr] = true;
          guardOf[item.left ? item.left : item.right] = plan.guards;
          break;
        }
      }
      closeGuard();
      gain += terminatorGain(block, selects);
      plan.moreBranches += moreBranches(block);
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
    const Value *lc = decision(*l), *rc = decision(*r);
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

  // Two terminators of a pair that decide become one.
  int moreBranches(const BlockPlan &block) const {
    Instruction *l = block.left->getTerminator(), *r = block.right->getTerminator();
    if (left_.isHead || right_.isHead || l->getNumSuccessors() < 2 ||
        block.visitors != Visitors::both)
      return 0;
    const Value *lc = decision(*l), *rc = decision(*r);
    auto count = [&](const BasicBlock *side, const Value *decides) {
      return isa<Constant>(decides) ? 0 : divergence_.isDivergentBranch(side) ? 1 : 2;
    };
    const int left = count(block.left, lc), right = count(block.right, rc);
    const bool uniform = left != 1 && right != 1 && same(lc, rc);
    return (uniform ? 2 : 1) - left - right;
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

} // namespace

NodePlan planPair(const DivergenceInfo &divergence, const CostModel &cost, const Node &left,
                  const Node &right, NodeMatch match,
                  const SmallPtrSetImpl<const BasicBlock *> *idle) {
  return NodePlanner(divergence, cost, left, right, std::move(match), idle).run();
}

} // namespace meld::passes
