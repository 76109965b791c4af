#include "passes/melder/codegen.h"
#include "passes/compat.h"
#include "passes/melder/legality.h"
#include "passes/melder/merge_instruction.h"
#include "passes/melder/metadata_rules.h"
#include "passes/melder/scope_markers.h"
#include "passes/melder/ssa_repair.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace meld::passes {

using namespace llvm;

namespace {

// Melds one pair of nodes whose entries have one edge from outside each and whose tails leave by
// one jump (or form an open end).
class NodeMelder {
public:
  NodeMelder(NodePlan &plan, Value *condition, Function &function)
      : plan_(plan), condition_(condition), function_(function) {}

  std::vector<BasicBlock *> run() {
    findTails();
    mirror();
    makeBlocks();
    for (BlockPlan &block : plan_.blocks)
      emit(block);
    fillPhis();
    enter();
    replaceAndErase();
    return created_;
  }

private:
  enum Side { left, right };
  using ValueMap = MapVector<Value *, Value *>;

  BasicBlock *make(const Twine &name) {
    auto *block = BasicBlock::Create(function_.getContext(), name, &function_, plan_.left->entry);
    created_.push_back(block);
    isNew_.insert(block);
    return block;
  }

  void findTails() {
    for (BlockPlan &block : plan_.blocks) {
      leftBlocks_.insert(block.left);
      rightBlocks_.insert(block.right);
      partner_[block.left] = block.right;
    }
    auto outside = [](BasicBlock *entry, const SmallPtrSetImpl<BasicBlock *> &inside) {
      BasicBlock *found = nullptr;
      for (BasicBlock *predecessor : predecessors(entry))
        if (!inside.count(predecessor))
          found = predecessor;
      return found;
    };
    leftFrom_ = outside(plan_.left->entry, leftBlocks_);
    rightFrom_ = outside(plan_.right->entry, rightBlocks_);
  }

  // Right blocks whose successors stand the other way round: exchange them, and invert the
  // condition, in the compare itself when the branch is its only user.
  void mirror() {
    for (BasicBlock *block : plan_.mirrored) {
      auto *branch = cast<BranchInst>(block->getTerminator());
      branch->swapSuccessors();
      auto *compare = dyn_cast<CmpInst>(branch->getCondition());
      if (compare && compare->hasOneUse() && compare->getParent() == block)
        compare->setPredicate(compare->getInversePredicate());
      else
        negate_.insert(block);
    }
  }

  void makeBlocks() {
    entry_ = make("meld.entry");
    for (BlockPlan &block : plan_.blocks) {
      head_[block.left] = make("meld");
      for (auto [l, r] : block.phis) {
        PHINode *phi =
            PHINode::Create(l->getType(), l->getNumIncomingValues(), "meld", head_[block.left]);
        phi->setDebugLoc(DILocation::getMergedLocation(l->getDebugLoc(), r->getDebugLoc()));
        if (isa<FPMathOperator>(phi)) {
          phi->copyIRFlags(l);
          phi->andIRFlags(r);
        }
        values_[left][l] = phi;
        values_[right][r] = phi;
      }
      keepPhis(block.left, block.left, left);
      keepPhis(block.right, block.left, right);
    }
    // The terminator goes in now, so that selects of values from above have a place.
    BranchInst::Create(head_[plan_.left->entry], entry_);
  }

  void keepPhis(BasicBlock *from, BasicBlock *leftBlock, Side side) {
    for (PHINode &phi : from->phis())
      if (!values_[side].count(&phi)) {
        auto *kept =
            PHINode::Create(phi.getType(), phi.getNumIncomingValues(), "meld", head_[leftBlock]);
        kept->setDebugLoc(phi.getDebugLoc());
        values_[side][&phi] = kept;
      }
  }

  Value *mapped(Value *value, Side side) const {
    auto found = values_[side].find(value);
    return found == values_[side].end() ? value : found->second;
  }

  bool isNewValue(Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && instruction->getParent() != entry_ &&
           isNew_.count(instruction->getParent());
  }

  // The value that left threads know as `l` and right threads as `r`; a select goes before `at` or,
  // when both come from above, into the entry block.
  Value *merge(Value *l, Value *r, Instruction *before, BasicBlock *atEnd) {
    Value *lv = mapped(l, left), *rv = mapped(r, right);
    return mergeMapped(lv, rv, before, atEnd);
  }

  Value *mergeMapped(Value *lv, Value *rv, Instruction *before, BasicBlock *atEnd) {
    if (lv == rv)
      return lv;
    if (Value *joined = joinGuarded(lv, rv))
      return joined;
    bool hoist = !isNewValue(lv) && !isNewValue(rv);
    auto &cache = hoist ? hoisted_ : local_;
    auto [found, fresh] = cache.insert({{lv, rv}, nullptr});
    if (!fresh)
      return found->second;
    SelectInst *select;
    if (hoist)
      select =
          SelectInst::Create(condition_, lv, rv, "meld", compat::before(entry_->getTerminator()));
    else if (before)
      select = SelectInst::Create(condition_, lv, rv, "meld", compat::before(before));
    else
      select = SelectInst::Create(condition_, lv, rv, "meld", atEnd);
    cache[{lv, rv}] = select;
    return select;
  }

  // Values of the two sides of one guard need no select: the guard's join knows which side was
  // taken.
  Value *joinGuarded(Value *lv, Value *rv) {
    auto l = guardPhis_.find(lv), r = guardPhis_.find(rv);
    if (l == guardPhis_.end() || r == guardPhis_.end() || l->second.side != left ||
        r->second.side != right)
      return nullptr;
    auto *lp = cast<PHINode>(lv);
    auto *rp = cast<PHINode>(rv);
    if (lp->getParent() != rp->getParent())
      return nullptr;
    Value *&joined = joined_[{lv, rv}];
    if (!joined) {
      auto *phi = PHINode::Create(lp->getType(), 2, "meld", compat::before(lp));
      for (unsigned i = 0; i < lp->getNumIncomingValues(); ++i) {
        BasicBlock *from = lp->getIncomingBlock(i);
        Value *value = lp->getIncomingValue(i);
        if (isa<PoisonValue>(value))
          value = rp->getIncomingValueForBlock(from);
        phi->addIncoming(value, from);
      }
      joined = phi;
    }
    return joined;
  }

  // --- one block
  // -------------------------------------------------------------------------------------

  Instruction *copy(Instruction *original, Side side, BasicBlock *to) {
    Instruction *clone = original->clone();
    for (Use &operand : clone->operands())
      operand.set(mapped(operand.get(), side));
    clone->setName(original->getName());
    compat::append(clone, to);
    values_[side][original] = clone;
    return clone;
  }

  struct Guard {
    BasicBlock *block[2] = {nullptr, nullptr};
    std::vector<Instruction *> originals[2];
    bool open() const { return block[left] || block[right]; }
  };

  void guarded(Guard &guard, Instruction *original, Side side) {
    if (!guard.block[side])
      guard.block[side] = make(side == left ? "meld.left" : "meld.right");
    copy(original, side, guard.block[side]);
    guard.originals[side].push_back(original);
  }

  void close(Guard &guard, BasicBlock *&current) {
    if (!guard.open())
      return;
    BasicBlock *join = make("meld.join");
    BasicBlock *to[2];
    for (Side side : {left, right}) {
      to[side] = guard.block[side] ? guard.block[side] : join;
      if (guard.block[side])
        BranchInst::Create(join, guard.block[side]);
    }
    BranchInst::Create(to[left], to[right], condition_, current);
    for (Side side : {left, right})
      for (Instruction *original : guard.originals[side]) {
        if (original->getType()->isVoidTy())
          continue;
        auto *clone = cast<Instruction>(values_[side][original]);
        Side other = side == left ? right : left;
        PHINode *phi = PHINode::Create(clone->getType(), 2, "meld", join);
        phi->addIncoming(clone, guard.block[side]);
        phi->addIncoming(PoisonValue::get(clone->getType()),
                         guard.block[other] ? guard.block[other] : current);
        values_[side][original] = phi;
        guardPhis_[phi] = {side};
      }
    current = join;
    guard = {};
  }

  void pair(const AlignedItem &item, BasicBlock *to) {
    Instruction *clone = item.left->clone();
    for (unsigned i = 0; i < clone->getNumOperands(); ++i) {
      Value *l = item.left->getOperand(i);
      Value *r = item.right->getOperand(item.swapped && i < 2 ? 1 - i : i);
      clone->setOperand(i, merge(l, r, nullptr, to));
    }
    intersectInto(*clone, *item.left, *item.right, item.swapped);
    clone->setName(item.left->getName());
    compat::append(clone, to);
    values_[left][item.left] = clone;
    values_[right][item.right] = clone;
  }

  // Scope markers of one side, up to where it has come. Declarations of scopes may stand before
  // what is guarded, and SimplifyCFG likes guarded code without them; lifetimes may not.
  struct MarkerCursor {
    BasicBlock::iterator at;
    SmallPtrSet<Value *, 4> *declared; ///< lists of scopes, in the block that is made
  };

  void carryMarkers(MarkerCursor &cursor, const Instruction *upTo, Side side, const Guard &guard,
                    BasicBlock *current) {
    for (; &*cursor.at != upTo; ++cursor.at) {
      Instruction &marker = *cursor.at;
      if (!isScopeMarker(marker))
        continue;
      if (marker.isLifetimeStartOrEnd())
        copy(&marker, side, guard.block[side] ? guard.block[side] : current);
      else if (cursor.declared->insert(marker.getOperand(0)).second)
        copy(&marker, side, current);
    }
  }

  void emit(BlockPlan &plan) {
    BasicBlock *current = head_[plan.left];
    local_.clear();
    Guard guard;
    SmallPtrSet<Value *, 4> declared;
    MarkerCursor leftCursor{plan.left->begin(), &declared},
        rightCursor{plan.right->begin(), &declared};
    auto carryUpTo = [&](const Instruction *l, const Instruction *r) {
      if (l)
        carryMarkers(leftCursor, l, left, guard, current);
      if (r)
        carryMarkers(rightCursor, r, right, guard, current);
    };
    for (const AlignedItem &item : plan.items) {
      carryUpTo(item.left, item.right);
      switch (item.kind) {
      case AlignedItem::pair:
        close(guard, current);
        pair(item, current);
        break;
      case AlignedItem::guardLeft:
        guarded(guard, item.left, left);
        break;
      case AlignedItem::guardRight:
        guarded(guard, item.right, right);
        break;
      case AlignedItem::speculateLeft:
      case AlignedItem::speculateRight: {
        Side side = item.kind == AlignedItem::speculateLeft ? left : right;
        Instruction *original = side == left ? item.left : item.right;
        // Behind an open guard it may need that guard's values, and costs nothing there.
        if (guard.open())
          guarded(guard, original, side);
        else if (Instruction *clone = copy(original, side, current);
                 plan.visitors == Visitors::both)
          compat::dropPromises(*clone);
        break;
      }
      }
    }
    carryUpTo(plan.left->getTerminator(), plan.right->getTerminator());
    close(guard, current);
    tail_[plan.left] = current;
    terminate(plan, current);
  }

  // --- control flow
  // ----------------------------------------------------------------------------------

  void terminate(BlockPlan &plan, BasicBlock *current) {
    Instruction *l = plan.left->getTerminator(), *r = plan.right->getTerminator();
    bool isTail = !plan_.left->openEnd && l->getNumSuccessors() == 1 &&
                  !leftBlocks_.count(l->getSuccessor(0));
    if (isTail) {
      leave(l->getSuccessor(0), r->getSuccessor(0), plan, current, l, r);
      return;
    }
    Instruction *clone = l->clone();
    shareMetadata(*clone, *l, *r);
    clone->setDebugLoc(DILocation::getMergedLocation(l->getDebugLoc(), r->getDebugLoc()));
    if (l->getNumSuccessors() > 1) {
      Value *rc = mapped(decision(*r), right);
      if (negate_.count(plan.right))
        rc = BinaryOperator::CreateNot(rc, "meld.not", current);
      Value *merged = plan.visitors == Visitors::rightOnly ? rc
                      : plan.visitors == Visitors::leftOnly
                          ? mapped(decision(*l), left)
                          : mergeMapped(mapped(decision(*l), left), rc, nullptr, current);
      if (auto *conditional = dyn_cast<BranchInst>(clone))
        conditional->setCondition(merged);
      else
        cast<SwitchInst>(clone)->setCondition(merged);
    }
    if (plan_.left->openEnd)
      mergeExitPhis(plan, current);
    compat::append(clone, current);
    for (unsigned i = 0; i < clone->getNumSuccessors(); ++i)
      if (auto found = head_.find(clone->getSuccessor(i)); found != head_.end())
        clone->setSuccessor(i, found->second);
  }

  static Value *decision(const Instruction &terminator) {
    if (auto *branch = dyn_cast<BranchInst>(&terminator))
      return branch->getCondition();
    return cast<SwitchInst>(terminator).getCondition();
  }

  void mergeExitPhis(BlockPlan &plan, BasicBlock *current) {
    SmallPtrSet<BasicBlock *, 4> seen;
    for (BasicBlock *successor : successors(plan.left)) {
      if (!seen.insert(successor).second)
        continue;
      auto edges = unsigned(count(successors(plan.left), successor));
      for (PHINode &phi : successor->phis()) {
        Value *value = merge(phi.getIncomingValueForBlock(plan.left),
                             phi.getIncomingValueForBlock(plan.right), nullptr, current);
        for (BasicBlock *gone : {plan.left, plan.right})
          while (phi.getBasicBlockIndex(gone) >= 0)
            phi.removeIncomingValue(gone, /*DeletePHIIfEmpty=*/false);
        for (unsigned i = 0; i < edges; ++i)
          phi.addIncoming(value, current);
      }
    }
  }

  void leave(BasicBlock *leftNext, BasicBlock *rightNext, BlockPlan &plan, BasicBlock *current,
             Instruction *l, Instruction *r) {
    BranchInst *branch;
    if (leftNext == rightNext) {
      mergeExitPhis(plan, current);
      branch = BranchInst::Create(leftNext, current);
      shareMetadata(*branch, *l, *r); // it may be the way back of a loop around
    } else {
      branch = BranchInst::Create(leftNext, rightNext, condition_, current);
      for (auto [next, old, side] :
           {std::tuple{leftNext, plan.left, left}, std::tuple{rightNext, plan.right, right}})
        for (PHINode &phi : next->phis()) {
          int at = phi.getBasicBlockIndex(old);
          phi.setIncomingValue(unsigned(at), mapped(phi.getIncomingValue(unsigned(at)), side));
          phi.setIncomingBlock(unsigned(at), current);
        }
    }
    branch->setDebugLoc(DILocation::getMergedLocation(l->getDebugLoc(), r->getDebugLoc()));
  }

  // Phis wait until every block has its values.
  void fillPhis() {
    for (BlockPlan &plan : plan_.blocks) {
      SmallPtrSet<PHINode *, 8> pairedRight;
      for (auto [l, r] : plan.phis)
        pairedRight.insert(r);
      for (PHINode &l : plan.left->phis()) {
        PHINode *r = nullptr;
        for (auto [pl, pr] : plan.phis)
          if (pl == &l)
            r = pr;
        fill(cast<PHINode>(values_[left][&l]), &l, r);
      }
      for (PHINode &r : plan.right->phis())
        if (!pairedRight.count(&r))
          fillRight(cast<PHINode>(values_[right][&r]), r);
    }
  }

  void fill(PHINode *phi, PHINode *l, PHINode *r) {
    for (unsigned i = 0; i < l->getNumIncomingValues(); ++i) {
      BasicBlock *from = l->getIncomingBlock(i);
      Value *lv = l->getIncomingValue(i);
      if (!leftBlocks_.count(from)) {
        phi->addIncoming(r ? enterValue(lv, r->getIncomingValueForBlock(rightFrom_)) : lv, entry_);
        continue;
      }
      Value *value = mapped(lv, left);
      if (r) {
        // A cache per edge: the select must stand at the end of this very block.
        local_.clear();
        value = mergeMapped(value, mapped(r->getIncomingValueForBlock(partner_[from]), right),
                            tail_[from]->getTerminator(), nullptr);
      }
      phi->addIncoming(value, tail_[from]);
    }
  }

  void fillRight(PHINode *phi, PHINode &r) {
    for (unsigned i = 0; i < r.getNumIncomingValues(); ++i) {
      BasicBlock *from = r.getIncomingBlock(i);
      if (!rightBlocks_.count(from)) {
        phi->addIncoming(r.getIncomingValue(i), entry_);
        continue;
      }
      for (BlockPlan &plan : plan_.blocks)
        if (plan.right == from)
          phi->addIncoming(mapped(r.getIncomingValue(i), right), tail_[plan.left]);
    }
  }

  // A value on the two edges into the entry.
  Value *enterValue(Value *l, Value *r) {
    if (l == r)
      return l;
    if (leftFrom_ == rightFrom_)
      return mergeMapped(l, r, nullptr, nullptr);
    PHINode *phi = PHINode::Create(l->getType(), 2, "meld", compat::before(&entry_->front()));
    phi->addIncoming(l, leftFrom_);
    phi->addIncoming(r, rightFrom_);
    return phi;
  }

  void enter() {
    if (leftFrom_ == rightFrom_) {
      Instruction *old = leftFrom_->getTerminator();
      BranchInst *jump = BranchInst::Create(entry_, compat::before(old));
      jump->setDebugLoc(old->getDebugLoc());
      old->eraseFromParent();
      return;
    }
    leftFrom_->getTerminator()->replaceSuccessorWith(plan_.left->entry, entry_);
    rightFrom_->getTerminator()->replaceSuccessorWith(plan_.right->entry, entry_);
  }

  void replaceAndErase() {
    for (Side side : {left, right})
      for (auto &[original, now] : values_[side])
        if (!original->getType()->isVoidTy())
          original->replaceAllUsesWith(now);
    std::vector<BasicBlock *> gone;
    for (BlockPlan &plan : plan_.blocks) {
      gone.push_back(plan.left);
      gone.push_back(plan.right);
    }
    for (BasicBlock *block : gone)
      block->dropAllReferences();
    for (BasicBlock *block : gone)
      block->eraseFromParent();
  }

  NodePlan &plan_;
  Value *condition_;
  Function &function_;
  BasicBlock *leftFrom_ = nullptr, *rightFrom_ = nullptr, *entry_ = nullptr;
  SmallPtrSet<BasicBlock *, 16> leftBlocks_, rightBlocks_, isNew_, negate_;
  DenseMap<BasicBlock *, BasicBlock *> partner_, head_, tail_;
  ValueMap values_[2];
  DenseMap<std::pair<Value *, Value *>, Value *> hoisted_, local_, joined_;
  struct GuardPhi {
    Side side;
  };
  DenseMap<Value *, GuardPhi> guardPhis_;
  std::vector<BasicBlock *> created_;
};

// A node of several blocks gets a tail: one new block through which it leaves.
BasicBlock *makeTail(Node &node) {
  SmallPtrSet<BasicBlock *, 16> inside(node.blocks.begin(), node.blocks.end());
  SmallVector<BasicBlock *, 8> exits;
  for (BasicBlock *predecessor : predecessors(node.next))
    if (inside.count(predecessor) && !is_contained(exits, predecessor))
      exits.push_back(predecessor);
  BasicBlock *tail = SplitBlockPredecessors(node.next, exits, ".meld");
  node.blocks.push_back(tail);
  return tail;
}

// Splits the head block of each cut region in two; the plan's pointers to the lower part follow.
void cutHeads(Plan &plan) {
  DenseMap<BasicBlock *, BasicBlock *> lower;
  for (Arm *arm : {&plan.left, &plan.right})
    for (Node &node : arm->nodes) {
      if (!node.isHeadless)
        continue;
      Instruction *at = node.entry->getTerminator();
      if (CmpInst *compare = branchCompare(node.entry)) {
        compat::moveBefore(compare, at);
        at = compare;
      }
      BasicBlock *below = node.entry->splitBasicBlock(at, node.entry->getName() + ".cut");
      lower[node.entry] = below;
      node.blocks.front() = below;
      node.entry = below;
    }
  for (Arm *arm : {&plan.left, &plan.right})
    for (Node &node : arm->nodes)
      if (node.isHead)
        node.next = lower[node.entry];
  for (NodePlan &node : plan.nodes) {
    if (!node.left->isHeadless)
      continue;
    for (BlockPlan &block : node.blocks) {
      if (BasicBlock *below = lower.lookup(block.left))
        block.left = below;
      if (BasicBlock *below = lower.lookup(block.right))
        block.right = below;
    }
    for (BasicBlock *&block : node.mirrored)
      if (BasicBlock *below = lower.lookup(block))
        block = below;
  }
}

// Phis of two tails belong together when they feed the same phi behind.
void pairTailPhis(BlockPlan &plan) {
  BasicBlock *next = plan.left->getSingleSuccessor();
  if (next != plan.right->getSingleSuccessor())
    return;
  SmallPtrSet<PHINode *, 8> taken;
  for (PHINode &phi : next->phis()) {
    auto *l = dyn_cast<PHINode>(phi.getIncomingValueForBlock(plan.left));
    auto *r = dyn_cast<PHINode>(phi.getIncomingValueForBlock(plan.right));
    if (l && r && l->getParent() == plan.left && r->getParent() == plan.right &&
        taken.insert(l).second && taken.insert(r).second)
      plan.phis.push_back({l, r});
  }
}

SideMarkers lifetimesOf(const Plan &plan, bool isLeft) {
  SideMarkers side;
  side.entry = (isLeft ? plan.left : plan.right).nodes.front().entry;
  for (const NodePlan &node : plan.nodes)
    for (const BlockPlan &block : node.blocks)
      for (Instruction &instruction : *(isLeft ? block.left : block.right))
        if (instruction.isLifetimeStartOrEnd())
          side.lifetimes.push_back(&instruction);
  return side;
}

} // namespace

void carryOut(Plan &plan) {
  BasicBlock *above = plan.branch->getParent();
  Function &function = *above->getParent();
  Value *condition = plan.branch->getCondition();

  settleLifetimes(lifetimesOf(plan, true), lifetimesOf(plan, false));
  if (plan.cutHeads)
    cutHeads(plan);
  // Tails for every node up to the last melded one, so that each entry has a single edge from
  // outside.
  DenseMap<const Node *, BasicBlock *> tails;
  for (Arm *arm : {&plan.left, &plan.right}) {
    const Node *last = arm == &plan.left ? plan.nodes.back().left : plan.nodes.back().right;
    for (Node &node : arm->nodes) {
      if (!node.isBlock() && !node.openEnd)
        tails[&node] = makeTail(node);
      if (&node == last)
        break;
    }
  }
  SmallPtrSet<const Node *, 8> melded;
  std::vector<BasicBlock *> touched;
  for (NodePlan &node : plan.nodes) {
    if (BasicBlock *tail = tails.lookup(node.left)) {
      BlockPlan block;
      block.left = tail;
      block.right = tails.lookup(node.right);
      pairTailPhis(block);
      node.blocks.push_back(std::move(block));
    }
    melded.insert(node.left);
    melded.insert(node.right);
    std::vector<BasicBlock *> created = NodeMelder(node, condition, function).run();
    touched.insert(touched.end(), created.begin(), created.end());
  }
  for (Arm *arm : {&plan.left, &plan.right})
    for (Node &node : arm->nodes)
      if (!melded.count(&node))
        touched.insert(touched.end(), node.blocks.begin(), node.blocks.end());

  DominatorTree dominators(function);
  repairSsa(touched, above, dominators);
  foldShieldedPhis(touched);
  for (BasicBlock *block : touched)
    MergeBlockIntoPredecessor(block);
  forgetUniformNotes(function);
}

} // namespace meld::passes
