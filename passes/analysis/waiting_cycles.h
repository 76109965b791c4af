// Which cycles of control flow may go round only because they wait for another thread.
//
//   while (atomicCAS(lock, 0, 1) != 0) {}      waits: alone, the thread would go round for ever
//   for (i = 0; i < n; ++i) sum += a[i]        does not: its own counter ends it
//   do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen)
//                                              does not: nobody else writing, the second try
//                                              succeeds
//
// A cycle waits when something that decides over its exits may change by what other threads do:
//
//   1. an atomic or volatile load, an atomic update, assembly, a call that touches memory or has
//      other effects. A bound beside it (for i < 1000 && !flag) does not help: what the thread
//      finds when it gives up would be another result;
//   2. an ordinary load, if the cycle polls it: its address stays the same in the cycle, or the
//      cycle orders memory (fence, acquire, volatile, unknown call) and may so be handed new
//      values;
//   3. nothing at all: a cycle without exits never ends.
//
// Decides over the exits: what their conditions are computed from within the cycle; and where a phi
// on the way takes its value from the path (all but the loop-carried ones), every condition in the
// cycle. That way `while (!done) if (tryLock()) {..; done = true;}` waits as well.
//
// An ordinary load at an address that changes from round to round, in a cycle that orders nothing,
// is no polling: list walks, hash probes and row ends look like that. Were another thread to write
// there, it would be a data race, which C++ and LLVM leave undefined and which LLVM's own passes
// take for excluded; those that stay put would be a race just as much, but programs spin on them,
// and LLVM keeps such loads where something in the cycle may alias. Compared with a counter of the
// cycle's own
// (`j < row[i + 1]`) they are no polling, either. Memory that nobody else writes does not count:
// constant, private, `invariant.load`, and what a kernel has by a restrict pointer that it only
// reads.
//
// Terminates: each value once per cycle and way of asking. Cost: linear in the cycle's size, so the
// function's size times its nesting. Every answer errs to "waits".
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// Whether `block` is part of `cycle`; null is everywhere.
bool isInside(const llvm::BasicBlock *block, const llvm::Cycle *cycle,
              const llvm::CycleInfo &cycles);

/// Whether the cycle itself may wait; not whether something in it does, an inner cycle or a call.
bool goesRoundForOthers(const llvm::Cycle &cycle, const llvm::CycleInfo &cycles,
                        const llvm::DominatorTree &dominators, const GpuInfo &gpu);

} // namespace meld::passes
