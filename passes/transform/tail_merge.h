// meld-tail-merge: what several sides do last, alike, is done once where they meet.
//
//     A        B        C                 A'       B'       C'
//     x = a+1  y = b+1  z = c+1           |        |        |
//     st x, p  st y, q  st z, p    =>     +--------T--------+    v = phi [a, A'], [b, B'], [c, C']
//     +--------J--------+                          J             w = phi [p, A'], [q, B'], [p, C']
//                                                                st v+1, w
//
// Any number of sides; those that end alike, all or some of them, of a branch or switch that
// diverges within a wave. What differs comes by phi, so that no condition need be known: this finds
// tails of sides that have nothing else in common, of arms that cannot be melded (a barrier above,
// a loop), and of unstructured meetings. It comes after meld-cfm, which joins whole sides at the
// cost of selects; a tail merged first would cut those up.
//
// Terminates: each step takes at least one instruction off at least two blocks and adds it once.
// Cost: linear in the tails, one dominator tree per step. Would be unsafe: reordering, but a tail
// keeps its order and all that stands above stays above; a convergent operation, whose set of
// threads would grow, ends the tail; so does a value used elsewhere, an operand that must be
// constant, and a load that the scalar unit could do. A tail comes behind all sides, so where
// threads wait on one of the ways to J it stays where it is (analysis/forward_progress.h).
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class MeldTailMergePass : public LoggedPass<MeldTailMergePass> {
public:
  using LoggedPass::LoggedPass;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
