// meld-mark-scalar-operands and meld-scalar-operands: what has to be in scalar registers is read
// from the first lane, where it was in some and no longer is.
//
//     A:  u = load s                B:  ...
//              \                       /
//          j:  x = phi [u, A], [freeze poison, B]
//              asm "s_sendmsg ...", "s"(x)                           read in the lanes of A alone
//
//     =>       h = asm "", "=v,0"(x)         r = readfirstlane(h)         asm "s_sendmsg ...", "s"(r)
//
// Other passes here make vector values of what is uniform where LLVM would go wrong with it as a
// scalar: phis that some lanes have no value for (meld-own-lanes), conditions (meld-keep-joins,
// meld-own-lanes). Code generation reads them from the first lane where most instructions need a
// scalar register, but not for the operands of scalar_uses.h: the code does not compile ("invalid
// operand for instruction", "illegal VGPR to SGPR copy").
//
// Which operands are scalars is asked in front of these passes, and noted at the instruction: an
// operand that is divergent to code generation then is one of the lanes' own, and would be read
// wrongly. `asm("v_mov_b32 %0, %1" : "=v"(y) : "s"(x))` gets a vector register for an x of the
// lanes' own, and is right. LLVM drops notes that it does not know where it makes one instruction
// of two, so that what two sides do with a scalar each is not taken for one scalar.
//
// What was a scalar is the same in all lanes that are on there and have a value. A reading is
// convergent, stands where the statement does, and branches around a statement or a reading stay
// when no lane is on. Where code generation still has the operand in scalar registers nothing is
// added. Lanes that run a statement without a value that others have (C++: read a variable that
// they have not written) may be the first; then all get theirs.
//
// The empty statement keeps the reading apart from the program's own. To LLVM's GVN (before 17) a
// reading is a function of its operand alone, whichever lanes are on.
//
// Left alone: what has more than 64 bits and no whole words, vectors of pointers, pointers that are
// no numbers, structures. Such code does not compile; libmeld loads the original.
//
// Terminates: one look at each statement. Cost: linear, and a divergence analysis where there is
// such an operand. Would be unsafe: to read what is not noted.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class MarkScalarOperandsPass : public llvm::PassInfoMixin<MarkScalarOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

class ScalarOperandsPass : public llvm::PassInfoMixin<ScalarOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
