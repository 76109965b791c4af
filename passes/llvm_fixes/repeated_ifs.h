// meld-repeated-ifs: two ifs in a row whose bodies may turn out the same get them on one side.
//
//     D: br c, M, A               D: br c, M, A
//     |    |                      |    |
//     |    A: store x             |    A: store x
//     +-M--+                 =>   +-M--+
//     br c2, B, J                 br not c2, J, B
//     |    |                      |    |
//     |    B: store x             |    B: store x
//     +-J--+                      +-J--+
//
// Code that stayed behind on both sides of a melding stands in ifs like these. LLVM's FlattenCFG,
// in the AMDGPU back end, makes one if of two such ifs; when the bodies are on different sides it
// inverts the second condition, and where that takes an instruction of its own (anything but a
// compare with one use) it forgets the combined condition: D then branches on `not c2` alone and
// A's store is lost (LLVM 15, FlattenCFGOpt::MergeIfRegion). On one side there is nothing to
// invert, and its merging is right.
//
// Seen with LLVM 15; run with every version, since it costs nothing. To be deleted when the oldest
// LLVM that is supported has a MergeIfRegion that keeps the combined condition
// (tests/lit/repeated-ifs says so).
//
// Terminates: one look at each block. Cost: linear. Nothing is unsafe about it: a branch on a
// condition becomes the branch on its opposite with the sides exchanged. It has to run after the
// last pass that may turn `br not c` back, so at the late point.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class RepeatedIfsPass : public llvm::PassInfoMixin<RepeatedIfsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
