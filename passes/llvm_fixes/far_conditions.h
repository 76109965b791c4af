// meld-far-conditions: the condition of a uniform branch that is made in another block, or may be
// moved there, is handed on as a number, and read from the first lane at the branch.
//
//     P: c = icmp ugt x, 1              P: c = icmp ugt x, 1
//     B: br c, T, E   <- in a loop          n = asm "" (sext c)
//        ...                     =>     B: s = readfirstlane n
//        br B                              br (icmp ne s, 0), T, E
//
// Where such a branch goes to its other side, LLVM makes `v_cndmask m, 0, 1, c` and `v_cmp_ne 1, m`
// of its negation, and moves the first out of loops to P. SIOptimizeExecMaskingPreRA then makes
// `s_andn2 vcc, exec, c` of both. LLVM 15 says of c that it lives from P to B in the order of the
// blocks, which is wrong where B stands before P: the register of c is used for something else on
// the way, in the worst case for the negation of c itself, and the next round goes the other way
// (random kernel 10012063). Where the comparison is moved, too, nothing is folded; whether it is
// depends on how many registers there are.
//
// Taken are conditions that do not change in the innermost cycle of a branch (code_motion.h),
// whether made outside or in the branch's own block, as code generation has its own code motion;
// those of several branches, and those that are made a number elsewhere, as LLVM may use one m in
// place of another. What is read in B is convergent, so that no loop lets go of it. LLVM may take
// one reading for another that dominates it, which makes a far condition of their comparison (not
// mended: handing each on by an assembly statement made wrong code of random kernel 10027412). A
// switch over one bit becomes a branch in code generation, and counts as one.
//
// The number is -1 and not 1: that is an m, and LLVM would take it for the one of a branch on an
// equal comparison.
//
// In functions with an irreducible cycle nothing is uniform to LLVM 15's analysis until code
// generation has made the cycle reducible; there our own analysis answers alone.
//
// Terminates: one look at each branch, and at what its condition is made of. Cost: cycles; LLVM's
// divergence analysis where a function has candidates. At run time a reading and a scalar
// comparison at the branch instead of `s_and vcc, exec`, and a vector instruction in P. Would be
// unsafe: a condition that differs between lanes, so only branches that code generation and our
// analysis call uniform, at the branch, too (behind a loop that lanes leave in different rounds it
// may differ there); one that is anything in the first lane, as a frozen phi of what only other
// lanes have, so only where our analysis says that the first lane knows, or nothing is frozen; and
// to read in P, where lanes may be on that have no value and never come to B.
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
