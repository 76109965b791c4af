// meld-far-conditions: the condition of a uniform branch that is made in another block is handed on as a number, and read from
// the first lane at the branch.
//
//     P: c = icmp ugt x, 1              P: c = icmp ugt x, 1
//     B: br c, T, E   <- in a loop          n = asm "" (zext c)
//        ...                     =>     B: d = icmp ne (readfirstlane n), 0
//        br B                              br d, T, E
//
// Where such a branch goes to its other side, LLVM makes `v_cndmask m, 0, 1, c` and `v_cmp_ne 1, m` of its negation, and moves the
// first out of loops to P. SIOptimizeExecMaskingPreRA then makes `s_andn2 vcc, exec, c` of both. LLVM 15 says of c that it lives
// from P to B in the order of the blocks, which is wrong where B stands before P: the register of c is used for something else on
// the way, in the worst case for the negation of c itself, and the next round goes the other way (random kernel 10012063). Where
// the comparison is moved, too, nothing is folded; whether it is depends on how many registers there are.
//
// Taken are conditions from outside of the innermost cycle of a branch, and those of several branches, as LLVM may use the first
// one's m in the second. What is read in B is convergent, so that no loop lets go of it: the comparison would be a far condition
// otherwise.
//
// Not seen, each with the same fault in code of LLVM 15 (found by an attack, not mended yet): a condition that is made in the
// branch's own block and does not change in its loop, which code generation moves out itself, bare or below a freeze, an `and` with
// another such condition, or a phi; `switch i1`; one branch in the loop of P where c is made a number in P, too; and functions with
// an irreducible cycle, where nothing is uniform to LLVM 15's analysis until code generation has made the cycle reducible.
//
// Terminates: one look at each branch. Cost: cycles; LLVM's divergence analysis where a function has candidates. At run time a
// reading and a scalar comparison at the branch instead of `s_and vcc, exec`, and a vector instruction in P.
// Would be unsafe: a condition that differs between lanes, so only branches that code generation calls uniform, at the branch, too
// (behind a loop that lanes leave in different rounds it may differ there); and to read in P, where lanes may be on that have no
// value and never come to B.
//
// LLVM 17 computes anew where c lives. To be deleted when that is the oldest LLVM that is supported
// (tests/lit/far-conditions, fuzz.kernels.far_conditions).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class FarConditionsPass : public llvm::PassInfoMixin<FarConditionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
