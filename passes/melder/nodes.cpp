#include "passes/melder/nodes.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include <map>

namespace meld::passes {

using namespace llvm;

static constexpr size_t maxNodeBlocks = 256;

// Blocks reachable from `entry` without passing `stop`, in reverse post-order; empty when one of
// them is not dominated by `entry` or there are too many.
static std::vector<BasicBlock *> collect(BasicBlock *entry, BasicBlock *stop,
                                         const DominatorTree &dominators) {
  std::vector<BasicBlock *> postOrder;
  SmallPtrSet<BasicBlock *, 32> seen{entry};
  std::vector<std::pair<BasicBlock *, unsigned>> stack{{entry, 0}};
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    Instruction *terminator = block->getTerminator();
    if (next == terminator->getNumSuccessors()) {
      postOrder.push_back(block);
      stack.pop_back();
      continue;
    }
    BasicBlock *successor = terminator->getSuccessor(next++);
    if (successor == stop || !seen.insert(successor).second)
      continue;
    if (!dominators.dominates(entry, successor) || seen.size() > maxNodeBlocks)
      return {};
    stack.push_back({successor, 0});
  }
  return {postOrder.rbegin(), postOrder.rend()};
}

static bool hasBackEdge(BasicBlock *block, const DominatorTree &dominators) {
  for (BasicBlock *predecessor : predecessors(block))
    if (dominators.dominates(block, predecessor))
      return true;
  return false;
}

// Single entry: edges into the node other than to its entry come from the node itself, and so do
// the edges back to the entry.
static bool isClosed(const Node &node, const DominatorTree &dominators) {
  SmallPtrSet<BasicBlock *, 32> inside(node.blocks.begin(), node.blocks.end());
  for (BasicBlock *block : node.blocks)
    for (BasicBlock *predecessor : predecessors(block)) {
      bool enters = block == node.entry && !dominators.dominates(node.entry, predecessor);
      if (!enters && !inside.contains(predecessor))
        return false;
    }
  return true;
}

CmpInst *branchCompare(BasicBlock *block) {
  auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  if (!branch || !branch->isConditional())
    return nullptr;
  auto *compare = dyn_cast<CmpInst>(branch->getCondition());
  return compare && compare->hasOneUse() && compare->getParent() == block ? compare : nullptr;
}

std::vector<Instruction *> alignedBody(const Node &node, BasicBlock *block) {
  const bool cut = block == node.entry && (node.isHead || node.isHeadless);
  const Instruction *compare = cut ? branchCompare(block) : nullptr;
  std::vector<Instruction *> body;
  for (Instruction &instruction : *block) {
    if (isa<PHINode>(instruction) || instruction.isTerminator() || isIgnorable(instruction))
      continue;
    if (cut && (&instruction == compare) != node.isHeadless)
      continue;
    body.push_back(&instruction);
  }
  return body;
}

// Cuts `node`'s head off when there is something in it.
static void pushNode(Arm &arm, Node node, bool cutHeads) {
  if (cutHeads && !node.isLoop && (node.blocks.size() > 1 || node.openEnd)) {
    Node head;
    head.entry = node.entry;
    head.blocks = {node.entry};
    head.next = node.entry;
    head.isHead = true;
    if (!alignedBody(head, head.entry).empty()) {
      arm.nodes.push_back(std::move(head));
      node.isHeadless = true;
    }
  }
  arm.nodes.push_back(std::move(node));
}

Arm buildArm(BasicBlock *entry, const DominatorTree &dominators,
             const PostDominatorTree &postDominators, bool cutHeads) {
  Arm arm;
  SmallPtrSet<BasicBlock *, 16> visited;
  BasicBlock *current = entry;
  while (current != nullptr) {
    if (!dominators.dominates(entry, current)) {
      arm.end = current;
      return arm;
    }
    if (!visited.insert(current).second)
      return arm;
    Node node;
    node.entry = current;
    node.isLoop = hasBackEdge(current, dominators);
    BasicBlock *single = current->getSingleSuccessor();
    if (!node.isLoop && single != nullptr) {
      node.blocks = {current};
      node.next = single;
    } else {
      // The first post-dominator that closes the node: a loop ends outside of it, not at its next
      // block.
      const auto *tree = postDominators.getNode(current);
      BasicBlock *stop = nullptr;
      do {
        tree = tree ? tree->getIDom() : nullptr;
        stop = tree ? tree->getBlock() : nullptr;
        node.blocks = stop ? collect(current, stop, dominators) : std::vector<BasicBlock *>();
      } while (!node.blocks.empty() && !isClosed(node, dominators));
      node.next = stop;
      if (node.blocks.empty()) {
        // No single exit. A plain block with all successors outside the arm is an open end.
        if (node.isLoop || current->getTerminator()->getNumSuccessors() < 2)
          return arm;
        for (BasicBlock *successor : successors(current))
          if (dominators.dominates(entry, successor))
            return arm;
        node.blocks = {current};
        node.next = nullptr;
        node.openEnd = true;
        pushNode(arm, std::move(node), cutHeads);
        return arm;
      }
      for (BasicBlock *block : node.blocks)
        node.hasLoop |= hasBackEdge(block, dominators);
    }
    current = node.next;
    pushNode(arm, std::move(node), cutHeads);
  }
  return arm;
}

namespace {

// How alike two blocks are: shared opcodes.
int similarity(const BasicBlock *left, const BasicBlock *right) {
  std::map<unsigned, int> counts;
  for (const Instruction &instruction : *left)
    if (!isIgnorable(instruction))
      ++counts[instruction.getOpcode()];
  int shared = 0;
  for (const Instruction &instruction : *right)
    if (!isIgnorable(instruction) && counts[instruction.getOpcode()]-- > 0)
      ++shared;
  return shared;
}

class Matcher {
public:
  Matcher(const Node &left, const Node &right) : left_(left), right_(right) {
    leftBlocks_.insert(left.blocks.begin(), left.blocks.end());
    rightBlocks_.insert(right.blocks.begin(), right.blocks.end());
  }

  NodeMatch run() {
    State state;
    if (!visit(left_.entry, right_.entry, state) || state.toRight.size() != left_.blocks.size())
      return {};
    NodeMatch match;
    for (BasicBlock *block : left_.blocks)
      match.blocks.push_back({block, state.toRight[block]});
    for (auto &[leftBlock, rightBlock] : match.blocks)
      if (state.mirrored.count(rightBlock))
        match.mirrored.push_back(rightBlock);
    return match;
  }

private:
  struct State {
    DenseMap<BasicBlock *, BasicBlock *> toRight, toLeft;
    SmallPtrSet<BasicBlock *, 8> mirrored;
  };

  bool inside(BasicBlock *l, BasicBlock *r) const {
    return leftBlocks_.count(l) && rightBlocks_.count(r);
  }

  bool visit(BasicBlock *l, BasicBlock *r, State &state) {
    bool leftIn = leftBlocks_.count(l), rightIn = rightBlocks_.count(r);
    if (leftIn != rightIn)
      return false;
    if (!leftIn) // both leave: an open end must leave to the same block, a node to its own next
      return left_.openEnd ? l == r : (l == left_.next && r == right_.next);
    auto known = state.toRight.find(l);
    if (known != state.toRight.end())
      return known->second == r;
    if (state.toLeft.count(r) || --budget_ < 0)
      return false;
    state.toRight[l] = r;
    state.toLeft[r] = l;

    Instruction *lt = l->getTerminator(), *rt = r->getTerminator();
    if (lt->getOpcode() != rt->getOpcode() || lt->getNumSuccessors() != rt->getNumSuccessors())
      return false;
    if (auto *ls = dyn_cast<SwitchInst>(lt)) {
      auto *rs = cast<SwitchInst>(rt);
      if (ls->getCondition()->getType() != rs->getCondition()->getType() ||
          !visit(ls->getDefaultDest(), rs->getDefaultDest(), state))
        return false;
      auto rc = rs->case_begin();
      for (auto lc = ls->case_begin(); lc != ls->case_end(); ++lc, ++rc)
        if (lc->getCaseValue() != rc->getCaseValue() ||
            !visit(lc->getCaseSuccessor(), rc->getCaseSuccessor(), state))
          return false;
      return true;
    }
    if (!isa<BranchInst>(lt))
      return false;
    if (lt->getNumSuccessors() == 1)
      return visit(lt->getSuccessor(0), rt->getSuccessor(0), state);

    BasicBlock *l0 = lt->getSuccessor(0), *l1 = lt->getSuccessor(1);
    BasicBlock *r0 = rt->getSuccessor(0), *r1 = rt->getSuccessor(1);
    auto alike = [&](BasicBlock *a, BasicBlock *b) { return inside(a, b) ? similarity(a, b) : 0; };
    bool mirrorFirst = alike(l0, r1) + alike(l1, r0) > alike(l0, r0) + alike(l1, r1);
    for (bool mirror : {mirrorFirst, !mirrorFirst}) {
      State attempt = state;
      if (mirror)
        attempt.mirrored.insert(r);
      if (visit(l0, mirror ? r1 : r0, attempt) && visit(l1, mirror ? r0 : r1, attempt)) {
        state = std::move(attempt);
        return true;
      }
    }
    return false;
  }

  const Node &left_;
  const Node &right_;
  SmallPtrSet<BasicBlock *, 16> leftBlocks_, rightBlocks_;
  int budget_ = 2000; // bounds the search over mirrored choices
};

} // namespace

NodeMatch matchNodes(const Node &left, const Node &right) {
  // Straight code with straight code: where it goes on does not matter.
  auto straight = [](const Node &node) { return node.isHead || (node.isBlock() && !node.openEnd); };
  if (straight(left) && straight(right)) {
    NodeMatch match;
    match.blocks.push_back({left.entry, right.entry});
    return match;
  }
  if (left.isHead || right.isHead || left.isHeadless != right.isHeadless)
    return {};
  if (left.blocks.size() != right.blocks.size() || left.isLoop != right.isLoop ||
      left.openEnd != right.openEnd)
    return {};
  return Matcher(left, right).run();
}

} // namespace meld::passes
