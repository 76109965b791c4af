#include "passes/melder/occupancy_loss.h"
#include "passes/melder/legality.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The code that a plan makes of both sides, in order.
class Sequence {
public:
  explicit Sequence(const Plan &plan) {
    ArrayRef<Node> left = plan.left.nodes, right = plan.right.nodes;
    for (const NodePlan &node : plan.nodes) {
      addUpTo(node.left, left);
      addUpTo(node.right, right);
      for (const BlockPlan &block : node.blocks)
        addPair(block);
    }
    addUpTo(nullptr, left);
    addUpTo(nullptr, right);
  }

  std::vector<MeldedItem> items;

private:
  void addAlone(const Node &node) {
    for (BasicBlock *block : node.blocks)
      for (Instruction &instruction : *block)
        if (!isIgnorable(instruction))
          items.push_back({&instruction, nullptr});
  }

  /// What comes before a paired node has no partner; drops it and the node. Null: to the end.
  void addUpTo(const Node *paired, ArrayRef<Node> &nodes) {
    while (!nodes.empty()) {
      const Node &next = nodes.front();
      nodes = nodes.drop_front();
      if (&next == paired)
        return;
      addAlone(next);
    }
  }

  void addPair(const BlockPlan &block) {
    SmallPtrSet<const PHINode *, 8> paired;
    for (auto [left, right] : block.phis) {
      items.push_back({left, right});
      paired.insert(left);
      paired.insert(right);
    }
    for (BasicBlock *side : {block.left, block.right})
      for (PHINode &phi : side->phis())
        if (!paired.contains(&phi))
          items.push_back({&phi, nullptr});
    for (const AlignedItem &item : block.items)
      items.push_back({item.left, item.right});
  }
};

} // namespace

int OccupancyLoss::of(const Plan &plan) {
  std::vector<const BasicBlock *> arms;
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      arms.insert(arms.end(), node.blocks.begin(), node.blocks.end());
  if (!pressure_)
    pressure_.emplace(*plan.branch->getFunction(), now_.divergence, now_.cost);
  return pressurePenalty(*pressure_, arms, Sequence(plan).items, plan.left.end, plan.cost);
}

} // namespace meld::passes
