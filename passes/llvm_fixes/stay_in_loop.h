// meld-stay-in-loop: what a loop computes for its exit alone is kept inside the loop.
//
//     L: c = cmp i, t             <- lane mask, in scalar registers
//        x = select c, a, b       <- used behind the loop only
//        br d, L, E               <- d differs between lanes: they leave at different times
//     E: use x
//
// becomes
//
//     L: c = cmp i, t
//        x = select c, a, b
//        asm convergent "" (x)       <- no instruction, but a use that nothing may move
//        br d, L, E
//     E: use x
//
// LLVM's machine code sinking (before 18, which asks SIInstrInfo::isSafeToSink) moves x to E. There
// EXEC has all lanes again, but scalar registers hold what the last iteration left in them: the
// mask of the lanes that left last, the last value of a uniform counter. Lanes that left earlier
// get the wrong side. InstCombine would have sunk most such values in the IR, where that is right;
// melding makes new ones after it.
//
// Taken are values that the code behind the loop needs, directly, through phis, through others of
// their kind or handed on to the next iteration, if they are computed of a bit or a scalar that is
// made in the loop, however far off, or become several instructions with masks between them:
// divisions, calls, conversions of 64 bits, shifts of more; of structures each field. That the loop
// needs them, too, keeps none: code generation takes `select c, a, b` apart where the loop needs
// some of its bits or one of its elements. Whatever else hangs on such a value can still sink.
//
// To be deleted with the support of LLVM 17; passes.def leaves it out from 18 on.
//
// Irreducible cycles count as loops: code generation makes such of them.
//
// Terminates: one look at each loop. Cost: linear in the loop's size times its depth, and the phis
// behind each value; LLVM's divergence analysis where a loop has candidates. Nothing is unsafe about
// it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class StayInLoopPass : public llvm::PassInfoMixin<StayInLoopPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
