#include "passes/melder/node_align.h"
#include "passes/melder/alignment_cell.h"
#include <algorithm>
#include <unordered_map>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxNodePairs = 1024; // more: only those near the diagonal are looked at

enum Move : uint8_t { pairBoth, skipLeft, skipRight };
using Cell = AlignmentCell<4>;

// At least 17 places wide.
class Diagonal {
public:
  Diagonal(size_t n, size_t m) : n_(n), m_(m), half_(std::max<size_t>(8, maxNodePairs / (2 * n))) {}
  bool isNear(size_t i, size_t j) const {
    const size_t centre = i * m_ / n_;
    return n_ * m_ <= maxNodePairs || (centre <= j + half_ && j <= centre + half_);
  }

private:
  size_t n_, m_, half_;
};

} // namespace

NodeAlignment alignNodes(size_t n, size_t m, bool endsMeet, const CostModel &cost,
                         function_ref<NodePlan(size_t, size_t)> planPair) {
  const int branchCost[4] = {0, cost.guard(), cost.guard(), cost.divergentIfElse()};
  const Diagonal diagonal(n, m);
  std::unordered_map<size_t, NodePlan> pairs;
  std::vector<Cell> cells((n + 1) * (m + 1));
  auto at = [&](size_t i, size_t j) -> Cell & { return cells[i * (m + 1) + j]; };
  at(0, 0).score[0] = 0;
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; j <= m; ++j) {
      Cell &cell = at(i, j);
      auto skip = [&](const Cell &before, unsigned from, unsigned side, Move move) {
        const unsigned to = from | side;
        cell.improve(to, before.score[from] - (branchCost[to] - branchCost[from]), move, from);
      };
      for (unsigned from : {0, 1, 2, 3}) {
        if (i > 0)
          skip(at(i - 1, j), from, 1, skipLeft);
        if (j > 0)
          skip(at(i, j - 1), from, 2, skipRight);
      }
      if (i == 0 || j == 0 || !diagonal.isNear(i, j))
        continue;
      const NodePlan &pair = pairs[(i - 1) * m + j - 1] = planPair(i - 1, j - 1);
      if (!pair.blocks.empty())
        for (unsigned from : {0, 1, 2, 3})
          cell.improve(0, at(i - 1, j - 1).score[from] + pair.gain, pairBoth, from);
    }

  // Ends that do not meet keep a branch at the end.
  NodeAlignment best;
  const Cell &last = at(n, m);
  best.score = last.score[0] - (endsMeet ? 0 : cost.guard());
  unsigned state = 0;
  for (unsigned open : {1, 2, 3})
    if (last.score[open] > best.score) {
      best.score = last.score[open];
      state = open;
    }
  walkBack(n, m, state, at, [&](AlignmentStep step, size_t &i, size_t &j) {
    if (step.move == pairBoth)
      best.pairs.push_back(std::move(pairs[(i - 1) * m + j - 1]));
    i -= step.move != skipRight;
    j -= step.move != skipLeft;
  });
  std::reverse(best.pairs.begin(), best.pairs.end());
  return best;
}

} // namespace meld::passes
