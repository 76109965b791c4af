// meld-dynamic-convergence: a second copy of guarded code for waves that all pass the guard (Lee et
// al., CGO'13, "dynamic convergence preservation", in software).
//
//   if (x == u) {            u the same in all lanes        mask = ballot(x == u)
//     .. table[x] ..                                        if (mask == EXEC && mask != 0) {
//   }                                                =>       .. table[u] ..   x is u: scalar
//                                                           } else if (x == u) {
//                                                             .. table[x] ..
//                                                           }
//
// What the copy gains is that x is the scalar u in it: what hangs on x alone goes to the scalar
// unit, addresses of loads before all. A guard that says nothing about a value gains nothing: code
// that no lane runs is skipped by code generation anyway, and EXEC costs two scalar instructions.
// So only comparisons for equality with something scalar, where the guarded code has enough work on
// x to pay for the ballot, by the weights of the other passes. How often a wave agrees is not
// known; so the pass runs only when it is asked for by its name.
//
// The copy is run by exactly the lanes that would have run the original, none missing, so anything
// that looks at other lanes sees the same; but operations that must not be doubled, convergent ones
// (barriers among them) and calls are left alone. With EXEC empty the copy is not entered: a scalar
// load would be done all the same. The guarded code is all that its first block dominates; what it
// computes leaves it through phis, which get one more edge for each way out. Waves that part take
// the old branch, so lanes that wait for each other find the order that they had.
//
// Terminates: one look at each branch of the function as it was. Costs a copy of at most
// `largestRegion` instructions per guard, and four scalar instructions where waves disagree.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class DynamicConvergencePass : public LoggedPass<DynamicConvergencePass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
