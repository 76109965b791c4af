// meld-scalarize: what a wave has in common is done once, by the scalar unit. The family, and the
// order in which it runs at the late point of the pipeline, after melding.
//
//   converged-loops       loops without EXEC masks for as long as a wave agrees
//                         (converged_loops.h); only by its own name
//   dynamic-convergence   a copy of guarded code for waves that agree (dynamic_convergence.h); only
//                         by its own name
//   scalarize-values      what is proven wave-uniform and LLVM calls divergent (uniform_values.h)
//   scalarize-loads       loads of memory that nothing has written (constant_loads.h)
//   affine-address        scalar base and lane offset (affine_address.h)
//   multiply-add-address  scalar base and an index that may be too large for that (multiply_add.h)
//
// Values come first: they make addresses uniform that the loads then use. Each runs on its own as
// meld-<name> and is left out by `no-<name>`; `no-scalarize` leaves out all. passes.def has the list.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class ScalarizePass : public LoggedPass<ScalarizePass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
