// meld-scalar-operands: what an assembly statement takes in scalar registers is read from the first lane, where it no longer is in one.
//
//     A:  u = load s                B:  ...
//              \                       /
//          j:  x = phi [u, A], [freeze poison, B]
//              asm "s_sendmsg ...", "s"(x)                           read in the lanes of A alone
//
//     =>       h = asm "", "=v,0"(x)         r = readfirstlane(h)         asm "s_sendmsg ...", "s"(r)
//
// Other passes here make vector values of what is uniform where LLVM would go wrong with it as a scalar: phis that some lanes have no
// value for (meld-own-lanes), conditions (meld-keep-joins, meld-own-lanes). Code generation reads them from the first lane where an
// instruction needs a scalar register, but not where an assembly statement does: the code does not compile ("invalid operand for
// instruction", "illegal SGPR to VGPR copy"). The same is true of "inreg" arguments of graphics functions (amdgpu_gfx).
//
// The program has such an operand in a scalar register, so it is the same in all lanes that are on there. A reading is convergent, stands
// where the statement does, and branches around a statement or a reading stay when no lane is on. Where code generation has the
// operand in scalar registers nothing is added.
//
// The empty statement keeps the reading apart from the program's own. To LLVM's GVN (before 17) a reading is a function of its operand alone,
// whichever lanes are on.
//
// Left alone: what has more than 64 bits and no whole words, vectors of pointers, pointers that are no numbers.
//
// Terminates: one look at each statement. Cost: linear, and a divergence analysis where a statement has such an operand that is no constant
// or argument. Would be unsafe: an operand that may also come in vector registers ("rv"), which may differ from lane to lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class ScalarOperandsPass : public llvm::PassInfoMixin<ScalarOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
