// meld-wide-products: of a product of more than 32 bits, a word of a factor that may be a negative
// number of few bits is handed on through an empty assembly statement.
//
//   %a = sext i8 %x to i32                  %a = sext i8 %x to i32     from -128 to 127: 25 equal bits in front
//   %w = zext i32 %a to i64        =>       %h = asm "", "=v,0"(%a)
//   %p = mul i64 %w, %y                     %w = zext i32 %h to i64
//                                           %p = mul i64 %w, %y
//
// Instruction selection makes such a product of those of two words of 32 bits each
// (TargetLowering::expandMUL_LOHI), as unsigned numbers, and asks for both halves. One of these
// becomes a product of signed numbers of 24 bits if both of its words have nine equal bits or more
// in front, though these may be ones (AMDGPUTargetLowering::performMulLoHiCombine, LLVM 15 to 18;
// 19 asks whether the product is a signed one): 5 * 4294967295 has 4 in its upper half, and gets
// -1. Plain code is hit, too; melding changes what is known of a factor.
//
// Which words have few bits is asked of the value as instruction selection asks: `and` with a word
// of ones, `lshr` by a word, `or` with what is above the word are no obstacle. Of the other factor
// nothing is asked, code generation may know more of it, as the range of a thread's index. Left
// alone are words that are known not to be negative; the word on top of a product that is cut
// there, of which nobody asks for the upper half; and products of 64 bits of two numbers that are
// made wider from 32, as signed ones, since that is what they become. Vectors are multiplied
// element by element. The indices of an address are factors, too, where their size is no power of
// two.
//
// Not seen is what instruction selection alone finds: a division by a sum of differences that
// cancel each other, | 1, multiplies by -1 in the code that divides (random kernel 11041713), and
// LLVM 17 may regroup a product of three signed words. The verdict on machine code refuses that
// (cost/estimate.h, mayBeWrong).
//
// Terminates: one look at each product, and at values in front of it to a fixed depth. Cost: at run
// time a product of 32 bits instead of 24, which would be wrong, and in a vector register. Would be
// unsafe: nothing; a value is handed on as it is.
//
// To be deleted when the oldest LLVM that is supported is 19 (tests/lit/wide-products).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class WideProductsPass : public llvm::PassInfoMixin<WideProductsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
