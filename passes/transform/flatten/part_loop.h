// Makes a nest of one loop, cut at a side of a branch: iterations that do not take the side are the
// inner loop, and one that takes it is behind it. meld-delay-iterations flattens the nest again with
// lanes that wait, so that the side is run for many of them at once.
//
//   header:                           outer:                 (phis: the header's)
//     before                            br header
//     br c, side, join       =>       header:
//   side:                               before
//     work                              br c, side, join
//     br join                         join:
//   join:                               after
//     after                             br again, header, exit
//     br again, header, exit          side:
//                                       work
//                                       after   (a copy of it)
//                                       br again, outer, exit
//
// The side may have any shape (loops and branches in it, exits out of the loop), and what is behind
// it, too. Each lane runs what it ran before, in the same order: nothing but the way back of the
// iterations with the side is new.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// A side of a branch in a loop: what runs in the iterations that take it only, and what it shares
/// with the others from where they meet again.
struct LoopSide {
  llvm::BasicBlock *branch = nullptr;
  unsigned successor = 0;                          ///< of the branch: the side's first block
  llvm::SmallVector<llvm::BasicBlock *, 8> own;    ///< in the loop's order of blocks
  llvm::SmallVector<llvm::BasicBlock *, 8> shared; ///< reached with and without the side
};

/// The side of `branch`, a block of `loop` and of no loop in it. Null where it has no block of its
/// own, or where an iteration cannot go round both with and without it. Changes nothing.
std::optional<LoopSide> sideOf(const llvm::Loop &loop, llvm::BasicBlock &branch,
                               unsigned successor);

/// Of a loop in simplified form whose values leave it by phis. Returns the outer loop's header; the
/// inner loop keeps the header. Dominators and loops are out of date afterwards.
llvm::BasicBlock *partLoop(llvm::Function &function, const llvm::Loop &loop, const LoopSide &side);

} // namespace meld::passes
