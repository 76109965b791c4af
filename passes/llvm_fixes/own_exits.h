// meld-own-exits: by which way a lane leaves an inner loop, and what that says of the loop around
// it, is the lane's own.
//
//     o:  ...                       <- outer loop
//     B:  e = load c[j] == 7        the same for all who are there
//         br e, done, D             <- they leave both loops
//     D:  d = j < t
//         br d, B, o                <- whoever is through goes round the outer one
//
// Lanes that went to o by D, and wait there, do not go to done because others do so later. Code
// generation gives the inner loop one exit, `g = phi [true, B], [false, D]`, by which the outer one
// is left or gone round. SIAnnotateControlFlow then puts the outer loop's break where g is made,
// and StructurizeCFG has made that in the inner loop: a mask that each round writes anew, with the
// lanes of that round or with constants for all. Read behind the loop it is of the lanes that left
// last. Whether e is uniform, as melding makes many conditions (scalarize-values, uniform-branch),
// or not: some forms come out right, by chance, and others do not.
//
// So the loops are given their shape here, by LLVM's own passes that code generation would run
// (LoopSimplify, LowerSwitch, UnifyLoopExits), and g is carried out of the inner loop as a number
// in a vector register, where each lane has what it put there:
//
//     B:  n1 = asm "" (-1)    D:  n2 = asm "" (0)       guard:  n = phi [n1, B], [n2, D]
//                                                               br (n != 0), done, o
//
// The break now hangs on a comparison behind the inner loop. The same is wrong with any condition
// that is made in the inner loop, and decides behind it over the outer one:
//
//     do { c = x[j] > t;  use(c); } while (j++ < t);        ->   n = asm "" (sext c) in the loop, kept there
//     if (c) break;                                              if (n != 0) break;
//
// What GVN would find to be the same in code generation is made so first (EarlyCSE), and where the
// loop around reads n and a loop around that does, too, they compare it with different numbers (n >
// 0 and n > 1, unsigned): else GVN would read it once, in the inner one.
//
// Taken are loops in a loop whose lanes may leave them in different rounds. In the outermost loop a
// value that is used behind it is right: it is no condition of a loop, and LLVM knows that it
// differs. A loop with several ways round may be two loops to LoopSimplify, so that is asked first.
// Not taken: functions with an irreducible cycle, with invokes or indirect branches.
//
// Not seen: a condition that is joined with itself frozen, `e & freeze e`, where no pass has made
// one of both (LLVM 15 takes the lanes that are on out of its mask: si-lower-control-flow).
//
// Terminates: one look at each loop; phis are made anew once. Cost: a pass of LLVM, and three more
// where a loop has two ways out, else linear in the loops' sizes times their depth. At run time a
// move for each way out, and a comparison for each round of the outer loop. Would be unsafe:
// nothing, each value stays what it is.
//
// To be deleted with the support of LLVM 20: 21 merges what differs in time between lanes
// (tests/lit/own-exits).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OwnExitsPass : public llvm::PassInfoMixin<OwnExitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
