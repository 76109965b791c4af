// meld-fold-conditions: comparisons whose outcome is known become constants, in code for waves of 32.
//
//     t = workitem.id.x                 at most 255
//     a = (t & n) >> 31                 0
//     c = a > x                         unsigned: never
//     d = select !c, true, e            always true
//     br d, T, E                        br true
//
// Instruction selection knows such outcomes, too: of work-item ids it knows the range, as nobody does
// before. It then has the masks of c and d as constants, and where these are used in another block,
// SIFoldOperands folds them in waves of 32 like any 32 bits. There LLVM gets `x | constant -1` wrong: it
// drops the constant instead of x, and lanes go the wrong way. What we meld has conditions joined in that
// way more often than what people write. In waves of 64 masks have 64 bits, which it does not fold.
//
// Instruction selection also sees sums and masks cancel each other, in more ways than could be followed here:
//
//     A:  s = (a - b) + (b - a)          B:  d = select c, true, e
//         c = s == 0                         the mask of c is -1
//
// A comparison whose operands reach a value twice, and that conditions of another block are made of, gets
// one operand by way of assembly, so that it stays a comparison.
//
// To be deleted when the oldest LLVM that is supported folds `-1 | x` to -1
// (SIFoldOperands::tryConstantFoldOp; tests/lit/fold-conditions, fuzz.kernels.masks_of_32).
//
// Terminates: a comparison is looked at once; what is simplified behind it gets smaller. Cost: known bits
// of each comparison's operands, and at most 64 values behind each. Would be unsafe: a range that ids can
// leave; it is the kernel's own.
#pragma once

#include "passes/options.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

class FoldConditionsPass : public llvm::PassInfoMixin<FoldConditionsPass> {
public:
  explicit FoldConditionsPass(MeldOptions options = {}) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  MeldOptions options_;
};

} // namespace meld::passes
