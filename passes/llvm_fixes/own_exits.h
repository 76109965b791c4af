// meld-own-exits: by which way a lane leaves an inner loop, and what that says of the loop around it, is the lane's own.
//
//     o:  ...                       <- outer loop
//     B:  e = load c[j] == 7        uniform in each round of the inner loop
//         br e, done, D             <- whoever is still there leaves both loops
//     D:  d = j < t
//         br d, B, o                <- whoever is through goes round the outer one
//
// Lanes that went to o by D, and wait there, do not go to done because others do so later. Code generation gives the inner loop one
// exit, `g = phi [true, B], [false, D]`, by which the outer one is left or gone round. As e is uniform, so is g in each round, to
// LLVM before 21, and it puts g in a scalar register. SIAnnotateControlFlow has the outer loop left by what that holds in the end,
// which is of the lanes that left last. Nothing is wrong where e differs between lanes: then g is a mask to which each round adds
// its own lanes. So melding, which makes such conditions scalar (scalarize-values, uniform-branch), makes wrong code of right code,
// and so e is handed on in a vector register here:
//
//     B:  n = asm "" (sext e)   br (n != 0), done, D
//
// So are branches that do not leave themselves, but lead to different exits.
//
// The same is wrong with any condition that is made in the inner loop, and decides behind it over the outer one:
//
//     do { c = x[j] > t;  use(c); } while (j++ < t);        ->   n = asm "" (sext c) in the loop, kept there
//     if (c) break;                                              if (n != 0) break;
//
// c's mask has the lanes of its last round alone. A lane of a vector register has what the lane put there in its own last round.
// Phis that tell the exits apart are of such numbers, too.
//
// Taken are loops in a loop whose lanes may leave them in different rounds, and have two ways out or such a condition. In the
// outermost loop a value that is used behind it is right: it is no condition of a loop, and LLVM knows that it differs. Irreducible
// cycles are not looked at.
//
// Terminates: one look at each loop; phis are made anew once. Cost: linear in the loops' sizes times their depth, and LLVM's
// divergence analysis. At run time a vector instruction or two for each round where a scalar branch was. Would be unsafe: nothing,
// each value stays what it is.
//
// To be deleted with the support of LLVM 20: 21 merges what differs in time between lanes (tests/lit/own-exits).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OwnExitsPass : public llvm::PassInfoMixin<OwnExitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
