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
//        y = asm convergent "" (x)   <- no instruction, and y is in x's register, but may not move
//        br d, L, E
//     E: use y
//
// LLVM's machine code sinking (before 18, which asks SIInstrInfo::isSafeToSink) moves x to E. There
// EXEC has all lanes again, but scalar registers hold what the last iteration left in them: the
// mask of the lanes that left last, the last value of a uniform counter. Lanes that left earlier
// get the wrong side. InstCombine would have sunk most such values in the IR, where that is right;
// melding makes new ones after it.
//
// Taken is what the code behind the loop uses, in vector registers, if it is computed of a bit or a
// scalar that is made in the loop, however far off, or becomes several instructions with masks
// between them: divisions, calls, conversions of 64 bits, shifts of more, elements that are chosen.
// Code generation makes of `x + (y + zext c)` an addition with c for its carry, of `x * s + y` one
// instruction that reads s. That the loop needs a value, too, keeps none: `select c, a, b` is taken
// apart where the loop needs some of its bits or one of its elements. Behind the loop only what
// comes out of the statement is used: of anything else code generation may make a second copy there.
// What the loop hands on to its next iteration gets a use by such a statement alone, or it would be
// copied in each round; not so numbers of eight bits or the like, of which code generation may make
// one for the statement and another for the code behind.
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
