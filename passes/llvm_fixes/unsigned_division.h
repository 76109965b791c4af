// meld-unsigned-division: an operand of a division that LLVM would make too short, of an unsigned one a negative number of few bits, is
// handed on through an empty assembly statement.
//
//   %a = sext i8 %x to i32                  %a = sext i8 %x to i32     from -128 to 127: 25 equal bits in front
//   %q = urem i32 %a, %b           =>       %h = asm "", "=v,0"(%a)
//                                           %q = urem i32 %h, %b
//
// AMDGPUCodeGenPrepare divides numbers of up to 24 bits as floats, and 64-bit ones of up to 32 bits as such. It asks how many bits
// at the front are equal (ComputeNumSignBits), for unsigned divisions, too: but as an unsigned number -1 has 32 bits, not one.
// The result is cut to the few bits. How much is known of an operand can change in any pass: what we meld had selects of
// such values where a loaded value was.
//
// Where a number of few bits is known not to be negative its equal bits are zeros, and nothing is changed; nor where no operand
// has few bits. That one of them has is enough: of the other code generation may know more than is known here, as the range of
// the thread's index, which it takes from the workgroup's size (random kernel 12007060); where it does not, the division has
// 32 bits either way. 32-bit divisions by a constant are multiplications; 64-bit ones are made smaller as any other. Vectors
// are divided element by element, so each element is handed on.
//
// And LLVM 15 and 17 divide numbers of 64 bits of which 32 are enough, signed or not, as floats, whether or not 24 are enough: of the operands, which
// still have 64 bits, they ask for nine equal bits in front again (expandDivRem32): (long)a / (long)b of two ints a and b is wrong where a is
// 16777217 and b is 1. InstCombine makes most unsigned ones shorter before; the signed ones stay. Plain code is hit, too; melding changes what
// is known of an operand.
//
// Terminates: one look at each division. Cost: known bits of the operands; at run time a division of 32 bits instead of 24, or of
// 64, which would be wrong. Would be unsafe: nothing; a value is handed on as it is.
//
// Seen with LLVM 15, 17 and 19 (64 bits: 15 and 17); 21 asks for known zeros (AMDGPUCodeGenPrepare::getDivNumBits). Run with every version, since such
// divisions are rare. To be deleted when the oldest LLVM that is supported is 21 (tests/lit/unsigned-division,
// fuzz.kernels.unsigned_division).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class UnsignedDivisionPass : public llvm::PassInfoMixin<UnsignedDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
