// meld-switch: a switch that diverges within a wave, taken apart so that the melder can join cases
// that look alike.
//
//     S: switch x                   S: switch x          cases that look like no other
//     |   |   |   |                 |       |            stay where they are
//     A   B   C   Z       =>        H0      Z
//     |   |   |   |                 | |
//     +---+-J-+---+                 A H1                 H0: x is one of A's values
//                                     | |                H1: x is one of B's values
//                                     B C                (C, or the default: what is left)
//
// The chain is melded from its end: B with C, then A with what became of them, until all cases are
// one body, each difference a select. An else-if chain over one value comes here too: LLVM's
// clean-up makes a switch of it before the melder sees it.
//
// A case that falls through into the next gets a copy of it, so that each case has one entry; the
// two copies are melded like any other pair. Values of a case need not be neighbours: runs of them
// are tested with one subtraction and compare each.
//
// Everything is done on a copy of the function. The copy is kept only when something was melded and
// the whole costs less than before (cost_model.h, all cases executed, as in a wave that diverges);
// else the function is not touched at all.
//
// Terminates: each kept copy costs less than what it replaces, and there is a ceiling. Cost:
// alignments of each case with the first of each group of alike ones, a copy of the function and
// the melder's own; not twice for a switch that comes by unchanged, nor in a function that its
// callers are about to have inlined. Would be unsafe: a case with convergent operations (other
// threads would join them), so such cases stay in the switch; a wave-uniform switch loses its one
// jump, so it is not looked at. Where threads may wait in one case for those of another, the switch
// stays (analysis/forward_progress.h): without some of its cases it is lowered to another order of
// the rest. A case with atomic or volatile accesses gets no copy: those who fall through come to it
// together with the others, in front of whom they have been.
#pragma once

#include "passes/logged_pass.h"
#include "llvm/ADT/DenseMap.h"

namespace meld::passes {

/// Switches that were tried and left, with the reason, by the fingerprint of what they decide over:
/// a trial is dear, and one that comes by unchanged would end the same way.
using LeftSwitches = llvm::DenseMap<uint64_t, std::string>;

class MeldSwitchPass : public LoggedPass<MeldSwitchPass> {
public:
  /// `left`: from earlier visits to the same functions, with the same options; null: none.
  MeldSwitchPass(MeldOptions options, DecisionLog *log, Point point = Point::byName,
                 LeftSwitches *left = nullptr)
      : LoggedPass(std::move(options), log, point), left_(left) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  LeftSwitches *left_;
};

} // namespace meld::passes
