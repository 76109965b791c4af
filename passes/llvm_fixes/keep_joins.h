// meld-keep-joins: what an `or` joins is made unknown to code generation, where another block has made it.
//
//     A:  s = (a - b) + (b - a)            B:  d = select c, true, e
//         c = s == 0                           br d, T, E
//
// Instruction selection sees that s is 0, so that c's mask, which B reads from a register, is the constant -1. SIFoldOperands then
// makes of `or -1, x` a move, and of x: it drops the wrong operand (tryConstantFoldOp; LLVM 15 to 21 at least), and lanes go the wrong
// way. Where both are in one block instruction selection folds the `or` itself, and rightly. What is known only there is a lot: ranges
// of ids, high bits of addresses, sums that cancel, what other blocks leave in registers. So nothing is asked about the condition:
//
//     entry:  zero = asm("" : 0)           B:  k = c xor none
//             none = zero != 0                 d = select k, true, e
//
// `none` is a mask without lanes of which nothing is known. In waves of 64 masks have 64 bits, which are not folded so. Numbers of 32
// bits are, in waves of any size (`sext c`, or'ed in B): one of which no bit is known to be 0 is handed on by assembly.
//
// Code generation moves instructions, too: a join that its own block does not use may go to another.
//
// What we meld has conditions joined in that way more often than what people write. To be deleted when the oldest LLVM that is
// supported folds `or -1, x` to -1 (tests/lit/keep-joins, fuzz.kernels.masks_of_32).
//
// Terminates: each `or` is looked at once. Cost: linear, and known bits of the operands of an `or`; a scalar instruction for each
// condition that is kept, and a scalar register. Would be unsafe: nothing, each value stays what it is.
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
