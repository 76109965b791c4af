// One cell of an alignment with affine gaps, and the way back through the cells: what the alignment
// of instructions (align.h) and that of nodes (node_align.h) have in common. What a step gains or
// costs, and in which order steps are tried (the first of equals stays), is theirs.
//
// A cell stands for a beginning of either sequence and holds the best score of aligning the two for
// each state that the alignment may end in, with the step that led there (Gotoh 1982).
#pragma once

#include <cstddef>
#include <cstdint>

namespace meld::passes {

/// Not reached. Sums of it and gains stay far below every score.
inline constexpr int unreached = -(1 << 28);

/// The move, and the state that it came from.
struct AlignmentStep {
  uint8_t move : 3;
  uint8_t from : 2;
  uint8_t swapped : 1; ///< for the pairs of align.h
};

template <unsigned states> struct AlignmentCell {
  static constexpr uint8_t noMove = 7;

  int score[states];
  AlignmentStep step[states];

  constexpr AlignmentCell() {
    for (unsigned state = 0; state < states; ++state) {
      score[state] = unreached;
      step[state] = {noMove, 0, 0};
    }
  }
  void improve(unsigned to, int newScore, uint8_t move, unsigned from, bool swapped = false) {
    if (newScore > score[to]) {
      score[to] = newScore;
      step[to] = {move, uint8_t(from & 3), uint8_t(swapped)};
    }
  }
};

/// From the ends of both sequences to their beginnings. `cellAt(i, j)` is the cell behind i and j
/// elements; `visit(step, i, j)` hears of each step, last first, and takes off `i` and `j` what the
/// move has consumed, one at least.
template <typename CellAt, typename Visit>
void walkBack(size_t i, size_t j, unsigned state, CellAt cellAt, Visit visit) {
  while (i > 0 || j > 0) {
    const AlignmentStep step = cellAt(i, j).step[state];
    visit(step, i, j);
    state = step.from;
  }
}

} // namespace meld::passes
