#include "passes/transform/lost_waves.h"
#include "passes/transform/legality.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The code that a plan makes of both sides, in order.
class Sequence {
public:
  explicit Sequence(const Plan &plan) {
    auto left = plan.left.nodes.begin(), right = plan.right.nodes.begin();
    for (const NodePlan &node : plan.nodes) {
      for (; left != plan.left.nodes.end() && &*left != node.left; ++left)
        addAlone(*left);
      for (; right != plan.right.nodes.end() && &*right != node.right; ++right)
        addAlone(*right);
      ++left, ++right;
      for (const BlockPlan &block : node.blocks)
        addPair(block);
    }
    for (; left != plan.left.nodes.end(); ++left)
      addAlone(*left);
    for (; right != plan.right.nodes.end(); ++right)
      addAlone(*right);
  }

  std::vector<MeldedItem> items;

private:
  void addAlone(const Node &node) {
    for (BasicBlock *block : node.blocks)
      for (Instruction &instruction : *block)
        if (!isIgnorable(instruction))
          items.push_back({&instruction, nullptr});
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

int LostWaves::of(const Plan &plan) {
  std::vector<const BasicBlock *> arms;
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      arms.insert(arms.end(), node.blocks.begin(), node.blocks.end());
  if (!pressure_)
    pressure_.emplace(*plan.branch->getFunction(), now_.divergence, now_.cost);
  return pressurePenalty(*pressure_, arms, Sequence(plan).items, plan.left.end, plan.cost);
}

} // namespace meld::passes
