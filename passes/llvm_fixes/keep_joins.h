// meld-keep-joins: conditions that an `or` joins are made unknown to code generation.
//
//     A:  s = (a - b) + (b - a)            B:  d = select c, true, e
//         c = s == 0                           br d, T, E
//
// Instruction selection sees that s is 0, so that c's mask, which B reads from a register, is the
// constant -1. SIFoldOperands then makes of `or -1, x` a move, and of x: it drops the wrong operand
// (tryConstantFoldOp; LLVM 15 to 22 at least), and lanes go the wrong way. What is known only in
// code generation is a lot: ranges of ids, high bits of addresses, sums that cancel, what other
// blocks leave in registers. So nothing is asked about a condition, but that an `or` is made of it:
//
//     entry:  zero = asm("" : 0)           A:  c = s == 0
//             none = zero != 0                 k = c xor none        B:  d = select k, true, e
//
// `none` is a mask without lanes of which nothing is known. It stands where the condition is made,
// in its own block, too: code generation moves conditions and their joins (sinking, LICM, CSE), and
// makes an `or` of choices between conditions, of negated `and`s and of numbers that are conditions
// extended. Branches, and choices between numbers, go by the condition itself.
//
// In waves of 64 masks have 64 bits, which are not folded so. Numbers of 32 bits are, in waves of
// any size: of one that another block has made, and of which no bit is known to be 0, `zero` is
// taken by xor at the `or`. Numbers of 64 bits and more are joined word by word, so a word of ones
// is an operand where the number is no constant. What we meld makes such numbers of two constants:
//
//     then:  a | ~0xff    else:  b | ~0xf     =>     s = select c, -256, -16          the upper word is -1 either way,
//                                                    or x, s                          and that of the result became x's
//
// Of words that are known to be all ones `zero` is taken by xor, too; so of elements of vectors, of
// which LLVM 22 joins two as one number. That is not all that code generation may come to know of
// numbers (shifts of what another block has made, words of what only instruction selection knows);
// -1 that nobody knows before is rarer there. Nor are conditions seen that LLVM's FlattenCFG joins,
// or in vectors.
//
// What is read from a lane is a constant only for SIFoldOperands, which finds that what is read is
// one (smin(work-item id, -1), made scalar), and carries it on through moves, phis of one value and
// halves of wider numbers. So nothing is to be known of what is read:
//
//     least = smin(id, -1)                 h = asm("" : least)      in a vector register, as it would be anyway: no instruction
//     r = readfirstlane least              r = readfirstlane h
//
// What we meld has conditions joined more often than what people write. To be deleted when the
// oldest LLVM that is supported folds `or -1, x` to -1 (tests/lit/keep-joins,
// fuzz.kernels.masks_of_32).
//
// Terminates: each value is looked at once. Cost: linear, and known bits of the operands of an
// `or`; a scalar instruction for each condition that is joined, and a scalar register. Would be
// unsafe: nothing, each value stays what it is, and uniform ones uniform.
#pragma once

#include "passes/options.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

class KeepJoinsPass : public llvm::PassInfoMixin<KeepJoinsPass> {
public:
  explicit KeepJoinsPass(MeldOptions options = {}) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  MeldOptions options_;
};

} // namespace meld::passes
