#include "passes/melder/plan.h"

namespace meld::passes {

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
