#include "passes/melder/similarity.h"
#include "passes/melder/align.h"
#include "passes/melder/legality.h"

namespace meld::passes {

using namespace llvm;

int similarity(const std::vector<Instruction *> &left, const std::vector<Instruction *> &right,
               const CostModel &cost) {
  int sum = 0;
  for (const AlignedItem &item : align(
           left, right, cost.guard(),
           [&](Instruction &instruction) { return cost.instruction(instruction) / 8; },
           [&](Instruction &l, Instruction &r) {
             const PairShape shape = mayPair(l, r);
             return PairScore{bool(shape), std::min(cost.instruction(l), cost.instruction(r)),
                              !shape.straight};
           }))
    if (item.kind == AlignedItem::pair)
      sum += std::min(cost.instruction(*item.left), cost.instruction(*item.right));
  return sum;
}

} // namespace meld::passes
