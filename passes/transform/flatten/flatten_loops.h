// meld-flatten-loops: a lane that is done with its inner loop begins its next item while the others
// still run theirs ("loop merge" of Speculative Reconvergence, Damani et al., CGO 2020; loop
// coalescing of unequal trip counts, von Hanxleden and Kennedy 1992).
//
//   outer:                                round:            (phis: where this lane is, and its values)
//     before                                asm ""
//     br inner                              br runs, steps, outer
//   inner:                                outer:
//     body                                  before
//     br more, inner, behind     =>         br steps
//   behind:                               steps:
//     after                                 body
//     br next, outer, exit                  br more, turn, behind
//   exit:                                 behind:
//                                           after
//                                           br next, turn, exit
//                                         turn:             (runs: came from steps)
//                                           asm ""
//                                           br round
//
// Nested, a wave pays for every item the longest inner loop of its lanes; flat, it pays the longest
// sum. Two numbers trade what a round costs for what it does:
//
//   flatten-steps=U   `body` stands U times in a round, each time under its own condition: control,
//                     and what `before` and `after` cost, are paid every U-th step; a lane that
//                     leaves early idles for what is left of the round.
//   flatten-lanes=T   lanes that have left the inner loop wait in front of `behind` (in a block
//                     `gate`) until there are T of them, or no lane is left in the inner loop:
//                     `before` and `after` are run for many lanes at once.
//
// Whether that gains anything hangs on how unequal the counts are, which no analysis knows: by its
// own name only, as a version that is measured (docs/flatten-loops.md has numbers).
//
// Each lane runs the instructions it ran before, in the same order, on the same values: results are
// equal to the bit, and memory needs no alias analysis. What that leaves to be forbidden is in
// legality.h. The two empty assemblies keep the loop flat: LoopSimplify makes a nest of a loop with
// two back edges, and jump threading of a round whose first lane is known to be at `outer`. They
// are convergent, so nothing copies or folds their blocks away, and they leave no instruction.
//
// Any shape of nest will do: exits anywhere in the inner loop, also out of both loops, a guard that
// passes the inner loop by, loops before, in and behind it, `continue` and `break` of either.
// Several inner loops in sequence, and more than two levels, are flattened pair by pair, innermost
// first: a round is the body of the next one, and a lane is in one of the inner loops, or between
// them. A round's own steps are not copied again. That all of it is legal is asked of the function
// as it came (a flat loop's marks and ballots would forbid it); a loop whose nest may not be
// flattened as a whole keeps nothing from the nests in it.
//
// Lanes that wait in several gates: each gate looks at the lanes that reach it in this round. It
// opens when none of them runs the steps in front of it, so of the lanes of a wave one gets on in
// every round.
//
// Terminates: each flattening leaves one loop fewer. Cost: linear in the nest times U, which is
// lowered where the copies would be more than `mostCopied` instructions, and to 1 when the kernel's
// nests have made `mostCopiedInAll` copies; SSA repair per value that
// lives across the loops; all that once for each pair. Would be unsafe: to let a lane wait on which
// another one waits (legality.h).
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class FlattenLoopsPass : public LoggedPass<FlattenLoopsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
