// The surgery behind meld-converged-loops: copies of code for waves that agree.
//
//   from:                            from:
//     br c, first, around              br ballot(!c) == 0, first.together, from.ask
//                                    from.ask:
//                             =>       br ballot(c) == 0, around, from.apart
//                                    from.apart:
//                                      br c, first, around
//
// A lane goes where its own condition says, whoever is asked with it. What a copy and the original
// both compute reaches later uses through phis.
//
// Thread rule: none of its own; all analyses of the function are stale afterwards.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// A branch that lanes take differently: some stay in the code that is copied, others leave it.
struct WayOut {
  llvm::BranchInst *branch = nullptr;
  llvm::BasicBlock *inside = nullptr, *outside = nullptr;
  bool staysIfTrue() const { return branch->getSuccessor(0) == inside; }
};

/// Copies what `guard.inside` dominates (`region`, it first) for waves that all pass the guard.
void copyGuarded(const WayOut &guard, llvm::ArrayRef<llvm::BasicBlock *> region, unsigned waveSize);

/// Copies a loop in simplified and LCSSA form for waves that all stay in it. The ways out are all
/// those that lanes take differently; each dominates the latch. The old loop is entered behind a
/// way out alone; what an iteration has left there is copied, too, so that it is entered by its
/// header.
void copyLoop(llvm::Loop &loop, llvm::ArrayRef<WayOut> waysOut, unsigned waveSize);

/// Whether lanes leave such copies here (`from.apart`): it has been asked already who stays.
bool isParting(const llvm::BasicBlock &block);

} // namespace meld::passes
