// Makes the program of a finding smaller while the finding stays.
//
// Delta debugging on the tree of pieces (Zeller, Hildebrandt, TSE 2002; Regehr et al., PLDI 2012):
// a piece goes with all below it, or leaves its kids in its place, or its hole becomes a constant;
// larger pieces first, until nothing more can go. Every step makes the program smaller or a hole
// simpler, so it ends; it costs one compilation and run for each try, some hundred in all.
#pragma once

#include "tests/fuzz/source/piece.h"

#include <functional>

namespace meld::fuzz::source {

/// `stays` is asked about smaller programs and says whether they still show the finding.
Piece reduce(const Piece &program, const std::function<bool(const Piece &)> &stays);

} // namespace meld::fuzz::source
