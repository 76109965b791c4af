// meld-delay-iterations: where one side of a branch in a loop is dear and seldom taken, lanes that
// want it wait until there are enough of them, or until no other lane of the wave can go on
// (iteration delaying: Han and Abdelrahman, "Reducing Branch Divergence in GPU Programs", GPGPU-4,
// 2011). A hit in a walk through a tree, a collision, the refill of a lane.
//
//   loop:                             round of a wave before:  step  side (of 2 lanes)
//     step                                                     step  side (of 3 lanes)
//     br hit, side, next                                       ...
//   side:                             with T=32:               step
//     much                                                     step
//     br next                                                  ...
//   next:                                                      step  side (of 32 lanes)
//     br again, loop, exit
//
// The loop is parted into a nest, iterations without the side within, and the side with what is
// behind it around them (part_loop.h); the nest is flattened with lanes that wait
// (flatten_loops.h, codegen.h): flatten-lanes=T, and flatten-steps=U iterations without the side in
// a round. So it is right for the same reasons, and forbidden by the same rules (legality.h): each
// lane runs what it ran, in its own order; a loop that may wait for another thread stays.
//
// Chosen is, for each loop, the dearest side with blocks of its own that lanes take apart, if it
// costs at least half of what an iteration without it does, and four times what the other side has
// for itself; loops in a side count eight times. How seldom it is taken nobody knows: by its own
// name only, as a version that is measured.
//
// Terminates: a loop is parted once, and none that contains a parted one. Cost: two searches of the
// loop for each of its branches; a copy of what is behind the side, and U-1 of an iteration without
// it, as many as the limits of flatten_loops.h allow.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class DelayIterationsPass : public LoggedPass<DelayIterationsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
