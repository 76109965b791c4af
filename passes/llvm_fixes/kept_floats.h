// meld-kept-floats: a float that some lanes keep as it is stays out of the arithmetic of the others.
//
//   %s = fadd float %p, %q                    %s = fadd float %p, %q
//   %r = select i1 %c, float %s, float %p =>  %o = asm "", "=v,0"(%s)
//                                             %r = select i1 %c, float %o, float %p
//
// A melding selects between what one side computes from p and the p that the other side hands on.
// LLVM before 19 takes the select into the operand (InstCombine, foldSelectIntoOp), as `fadd %p,
// (select %c, %q, -0.0)`: then the lanes of the other side compute, too, and arithmetic hands on
// neither a signalling NaN, which it makes a quiet one, nor, where the program flushes them, a
// denormal number. A word that is no number at all, as in a union, may be either. The program
// itself has a branch there, and its lanes no arithmetic.
//
// Sums, differences, products and quotients, of scalars and vectors, also where both sides make
// words of them or negate them before the choice: LLVM chooses first then. It runs behind the
// melders and the SimplifyCFG that follows them, before InstCombine sees what they made. Choices
// that the program itself had are folded by then, as they are without us.
//
// Terminates: one look at each select, and at a few values above it. Cost: linear; at run time a
// move where the result has other users. Would be unsafe: nothing; a value is handed on as it is.
//
// Seen with LLVM 15 and 17 (llvm-project, pull request 83200, in LLVM 19). To be deleted when that
// is the oldest that is supported.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class KeptFloatsPass : public llvm::PassInfoMixin<KeptFloatsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
