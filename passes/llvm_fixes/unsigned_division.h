// meld-unsigned-division: an operand of a division that LLVM would make too short is handed on
// through an empty assembly statement: of an unsigned one a negative number of few bits, of a
// signed one what -1 may divide.
//
//   %a = sext i8 %x to i32                  %a = sext i8 %x to i32     from -128 to 127: 25 equal bits in front
//   %q = urem i32 %a, %b           =>       %h = asm "", "=v,0"(%a)
//                                           %q = urem i32 %h, %b
//
// AMDGPUCodeGenPrepare divides numbers of up to 24 bits as floats, and 64-bit ones of up to 32 bits
// as such. It asks how many bits at the front are equal (ComputeNumSignBits), for unsigned
// divisions, too: but as an unsigned number -1 has 32 bits, not one. The result is cut to the few
// bits. How much is known of an operand can change in any pass: what we meld had selects of such
// values where a loaded value was.
//
// Where a number of few bits is known not to be negative its equal bits are zeros, and nothing is
// changed; nor where no operand has few bits. That one of them has is enough: of the other code
// generation may know more than is known here, as the range of the thread's index, which it takes
// from the workgroup's size (random kernel 12007060); where it does not, the division has 32 bits
// either way. 32-bit divisions by a constant are multiplications (but not in functions of least
// size); 64-bit ones are made smaller as any other. Vectors are divided element by element, so each
// element is handed on.
//
// And LLVM 15 and 17 divide numbers of 64 bits of which 32 are enough, signed or not, as floats,
// whether or not 24 are enough: of the operands, which still have 64 bits, they ask for nine equal
// bits in front again (expandDivRem32): (long)a / (long)b of two ints a and b is wrong where a is
// 16777217 and b is 1. InstCombine makes most unsigned ones shorter before; the signed ones stay.
// Plain code is hit, too; melding changes what is known of an operand.
//
// A signed quotient may have a bit more than what is divided: -128 / -1 is 128, which LLVM (15 to
// 22) cuts to 8 bits, -128. Where the divisor may be -1 the dividend is handed on and kept to one
// bit more, so that it stays a division of floats:
//
//   %a = sext i8 %x to i32                  %h = asm "", "=v,0"(%a)
//   %d = select i1 %c, i32 -4, i32 -1       %k = ashr (shl %h, 23), 23      9 bits
//   %q = sdiv i32 %a, %d           =>       %q = sdiv i32 %k, %d
//
// Code that was not melded has two divisions by constants there, one of which is a negation.
// Remainders are right: a quotient that is too large is taken before it is cut. In a function that
// assumes something (llvm.assume) of what is divided nothing here may be asked of values alone, so
// all divisions by what is no constant are hidden.
//
// Terminates: one look at each division. Cost: known bits of the operands; at run time a division
// of 32 bits instead of 24, or of 64, which would be wrong; an instruction for a signed one. Would
// be unsafe: nothing; a value is handed on as it is.
//
// Seen with LLVM 15, 17 and 19 (64 bits: 15 and 17); 21 asks for known zeros
// (AMDGPUCodeGenPrepare::getDivNumBits); the signed quotient also with 21 and 22. Run with every
// version, since such divisions are rare. To be deleted when the oldest LLVM that is supported has
// neither (tests/lit/unsigned-division, fuzz.kernels.unsigned_division).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class UnsignedDivisionPass : public llvm::PassInfoMixin<UnsignedDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
