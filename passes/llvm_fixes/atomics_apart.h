// meld-atomics-apart: the address of an atomic is handed on through an empty assembly statement.
//
//   %old = atomicrmw add ptr addrspace(1) %p, i32 1     =>     %h = asm "", "=v,0"(%p)
//                                                              %old = atomicrmw add ptr addrspace(1) %h, i32 1
//
// Where all lanes have one address, LLVM 17 and 18 let one lane do the atomic for the wave
// (AMDGPUAtomicOptimizer, on by default from 17 on). That goes wrong in two ways, and melding makes
// both more likely:
//   - 17's uniformity analysis takes a phi of two constants from the two sides of a divergent branch for uniform: the sums of
//     the lanes of both addresses go to one of them (seed 9074 of meld-fuzz-kernels);
//   - the iterative strategy, the default, leaves the blocks behind the atomic with the dominators from before it
//     (llvm/llvm-project#87605, mended in 19); code sinking then takes a block that does not dominate a use for one that does
//     (seed 35).
// What assembly leaves in a vector register is divergent to LLVM, so that it leaves the atomic
// alone. Code without changes keeps what hipcc made of it: turning the optimizer off would make
// other code of every kernel of the object.
//
// Terminates: one look at each instruction. Cost: linear; at run time an atomic of every lane
// instead of one of the wave, which the estimate sees in the machine code and weighs
// (passes/cost/estimate.cpp). Would be unsafe: nothing; a value is handed on as it is.
//
// To be deleted with the support of LLVM 18 (tests/lit/atomics-apart, fuzz.kernels.two_addresses).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class AtomicsApartPass : public llvm::PassInfoMixin<AtomicsApartPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
