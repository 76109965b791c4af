#include "passes/melder/align.h"
#include "passes/melder/alignment_cell.h"
#include "passes/melder/legality.h"
#include <algorithm>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr int unsafe = 1 << 24;

enum State : uint8_t { normal, inLeft, inRight };

using Cell = AlignmentCell<3>;

// The cells looked at. Short sequences: all. Long ones: a band around the diagonal, so that the
// cost grows with the length and not its square; pairs further apart than half a band are not
// found.
class Band {
public:
  Band(size_t n, size_t m) : n_(n), m_(m) {
    half_ = std::max<size_t>(96, n == 0 ? m : 2 * (m / n + 1));
    width_ = std::min(m + 1, 2 * half_ + 1);
  }
  size_t width() const { return width_; }
  size_t low(size_t i) const {
    size_t centre = n_ == 0 ? 0 : i * m_ / n_;
    size_t low = centre > half_ ? centre - half_ : 0;
    return std::min(low, m_ + 1 - width_);
  }

private:
  size_t n_, m_, half_, width_;
};

// The best of a cell's scores, the first of equals.
State bestOf(const Cell &cell) {
  State best = normal;
  for (State state : {inLeft, inRight})
    if (cell.score[state] > cell.score[best])
      best = state;
  return best;
}

// Extends `cell` by one unpaired instruction of the left (or right) that stands in `previous`.
template <bool isLeft> void gap(Cell &cell, const Cell &previous, int speculation, int guardCost) {
  constexpr auto speculate = isLeft ? AlignedItem::speculateLeft : AlignedItem::speculateRight;
  constexpr auto guard = isLeft ? AlignedItem::guardLeft : AlignedItem::guardRight;
  constexpr State own = isLeft ? inLeft : inRight, other = isLeft ? inRight : inLeft;
  const State best = bestOf(previous);
  if (previous.score[best] <= unreached)
    return;
  if (speculation < unsafe)
    cell.improve(normal, previous.score[best] - speculation, speculate, best);
  int cost[3];
  cost[normal] = guardCost;
  cost[own] = 0;
  cost[other] = guardCost / 2; // the other side's guard already open: its branch gets an else
  for (State from : {normal, inLeft, inRight})
    if (previous.score[from] > unreached)
      cell.improve(own, previous.score[from] - cost[from], guard, from);
}

} // namespace

std::vector<AlignedItem> align(ArrayRef<Instruction *> left, ArrayRef<Instruction *> right,
                               int guardCost, const SpeculationCost &speculation,
                               const PairScorer &scorer) {
  return alignByPlace(left, right, guardCost, speculation,
                      [&](size_t i, size_t j) { return scorer(*left[i], *right[j]); });
}

std::vector<AlignedItem> alignByPlace(ArrayRef<Instruction *> left, ArrayRef<Instruction *> right,
                                      int guardCost, const SpeculationCost &speculation,
                                      function_ref<PairScore(size_t, size_t)> scorer) {
  const size_t n = left.size(), m = right.size();
  const Band band(n, m);
  const size_t width = band.width();
  std::vector<Cell> cells((n + 1) * width);
  static const Cell outside;
  auto at = [&](size_t i, size_t j) -> Cell & { return cells[i * width + j - band.low(i)]; };

  std::vector<int> leftSpeculation(n), rightSpeculation(m);
  for (size_t i = 0; i < n; ++i)
    leftSpeculation[i] = maySpeculate(*left[i]) ? speculation(*left[i]) : unsafe;
  for (size_t j = 0; j < m; ++j)
    rightSpeculation[j] = maySpeculate(*right[j]) ? speculation(*right[j]) : unsafe;

  std::vector<unsigned> leftOpcode(n), rightOpcode(m);
  for (size_t i = 0; i < n; ++i)
    leftOpcode[i] = left[i]->getOpcode();
  for (size_t j = 0; j < m; ++j)
    rightOpcode[j] = right[j]->getOpcode();

  at(0, 0).score[normal] = 0;
  for (size_t i = 0; i <= n; ++i) {
    // Outside of the band there is nothing, to the left of a row nor above it.
    const size_t low = band.low(i), lowAbove = i > 0 ? band.low(i - 1) : 0;
    Cell *row = &cells[i * width];
    auto above = [&](size_t j) -> const Cell & {
      return j >= lowAbove && j < lowAbove + width ? *(row - width + (j - lowAbove)) : outside;
    };
    for (size_t j = low; j < low + width; ++j) {
      Cell &cell = row[j - low];
      if (i > 0 && j > 0 && leftOpcode[i - 1] == rightOpcode[j - 1]) {
        const Cell &before = above(j - 1);
        const State from = bestOf(before);
        if (before.score[from] > unreached)
          if (const PairScore pair = scorer(i - 1, j - 1); pair.possible)
            cell.improve(normal, before.score[from] + pair.gain, AlignedItem::pair, from,
                         pair.swapped);
      }
      if (i > 0)
        gap<true>(cell, above(j), leftSpeculation[i - 1], guardCost);
      if (j > 0)
        gap<false>(cell, j > low ? row[j - 1 - low] : outside, rightSpeculation[j - 1], guardCost);
    }
  }

  State state = normal;
  for (State candidate : {inLeft, inRight})
    if (at(n, m).score[candidate] > at(n, m).score[state])
      state = candidate;

  std::vector<AlignedItem> items;
  walkBack(n, m, state, at, [&](AlignmentStep step, size_t &i, size_t &j) {
    AlignedItem item;
    item.kind = AlignedItem::Kind(step.move);
    item.swapped = step.swapped;
    if (item.kind == AlignedItem::pair || item.kind == AlignedItem::speculateLeft ||
        item.kind == AlignedItem::guardLeft)
      item.left = left[--i];
    if (item.kind == AlignedItem::pair || item.kind == AlignedItem::speculateRight ||
        item.kind == AlignedItem::guardRight)
      item.right = right[--j];
    items.push_back(item);
  });
  std::reverse(items.begin(), items.end());
  return items;
}

} // namespace meld::passes
