#include "passes/transform/lost_waves.h"
#include "passes/cost/pressure.h"

namespace meld::passes {

using namespace llvm;

int lostWavesOf(const Plan &plan, const BranchAnalyses &now) {
  std::vector<const BasicBlock *> arms;
  for (const Arm *arm : {&plan.left, &plan.right})
    for (const Node &node : arm->nodes)
      arms.insert(arms.end(), node.blocks.begin(), node.blocks.end());
  std::vector<MeldedItem> sequence;
  for (const NodePlan &node : plan.nodes)
    for (const BlockPlan &block : node.blocks)
      for (const AlignedItem &item : block.items)
        sequence.push_back({item.left, item.right});
  const PressureModel pressure(*plan.branch->getFunction(), now.divergence, now.cost);
  return pressurePenalty(pressure, arms, sequence, plan.left.end, plan.cost);
}

} // namespace meld::passes
