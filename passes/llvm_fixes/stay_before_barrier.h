// meld-stay-before-barrier: what is loaded before a barrier is loaded before it in machine code,
// too.
//
//     B: x = load p               <- used behind B only
//        barrier                  <- then another thread writes p
//        br c, T, E
//     E: use x
//
// becomes
//
//     B: x = load p
//        asm convergent "" (x)    <- no instruction, but a use that nothing may move
//        barrier
//        br c, T, E
//     E: use x
//
// LLVM's machine code sinking (15 to 21 at least) takes no store across a load, but in one block
// takes loads across s_barrier and fences, which it does not count as stores: x is loaded in E, and
// has what the other thread wrote. It does so where it finds E worth it, above all where c is
// uniform, so code that clang gets right can go wrong once scalarization makes its branches uniform
// or melding changes where values are used. Functions of modules in which nothing is changed are
// compiled as they were.
//
// Taken are loads with a barrier, a fence or another convergent statement with side effects behind
// them in their block, unless something that stays in the block needs them, directly or through
// what could move along. Not memory that is constant.
//
// To be deleted when the oldest LLVM that is supported sinks no load across a barrier
// (MachineSinking; tests/lit/stay-before-barrier, fuzz.kernels.stay_before_barrier).
//
// Terminates: one look at each block. Cost: linear; LLVM's divergence analysis where a function has
// candidates. Nothing is unsafe about it.
#pragma once

#include "passes/options.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

class StayBeforeBarrierPass : public llvm::PassInfoMixin<StayBeforeBarrierPass> {
public:
  explicit StayBeforeBarrierPass(MeldOptions options = {}) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  MeldOptions options_;
};

} // namespace meld::passes
