// A kernel, for launches of which certain facts hold: what they decide is decided.
//
//   k(p, n, options)                 for "argument 8 4 0x3; argument 16 4 0x0"
//     for (i = 0; i < n; ++i)          three copies
//       if (options.field != 0)        gone, and what it would have kept in registers
//         ...
//
// Runs at the early point: behind inlining, where an option that was handed through structures and
// functors is a value of the kernel, and before loops are unrolled; each time that LLVM comes by
// there, as more arguments may have become values. And at the late point, for a kernel whose
// floating point is settled there: LLVM then simplifies it once more. Nothing
// but uses of values is changed here; that sides, loops and registers go is the work of LLVM's
// passes behind it, and of ours.
//
// Facts that do not pay (worth.h) are not used, so that a version needs them not: `kept` of the
// Specialization says which ones it does. A kernel whose floating point is open to the compiler is
// settled first (transform/fp_choices.h), so that a constant cannot turn it; facts by which folding
// could give other bits than the machine are not used (exact_folding.h).
//
// Would be unsafe: a version in which a fact was used that its guard does not compare. Hence kept
// holds every fact by which a value was replaced. And `reqd_work_group_size`, which is added for
// what runs behind it, must not reach the code object: the host would refuse other launches by it.
// forgetShape() takes it away at the end of the pipeline.
//
// Terminates: one look at each instruction. Linear, but for exact_folding.h.
//
// By name, `meld-specialize`: each kernel for the facts in its attribute "meld-facts".
#pragma once

#include "passes/logged_pass.h"
#include "passes/specialize/specialization.h"

namespace meld::passes {

class SpecializePass : public LoggedPass<SpecializePass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Takes the work-group's shape away that the pass has given the kernel.
void forgetShape(llvm::Function &function);

} // namespace meld::passes
