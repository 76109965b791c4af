// Whether the compiler may compute what the machine would have computed, once facts are constants.
//
//   w = expf(i * s)          s is a fact, and i runs up to one: the loop is unrolled, each w folded
//
// LLVM folds with the host's arithmetic. Sums, products, quotients of constants, conversions and
// comparisons are the same everywhere, rounded to nearest; a square root, an exponential or a
// reciprocal of the GPU is not. And folding knows neither another rounding mode nor flushed
// denormals. So facts are not used by which such an operation may find all its operands constant.
//
// And `x > limit ? x : limit` is no maximum for LLVM until the limit is a constant: of a zero it is one
// then, which takes +0 for two zeros where the comparison takes the limit, -0. Such limits stay.
//
// "May": an operation is a candidate when all its operands are, a phi when one of its values is (a
// path may be threaded, a loop unrolled), a load of constant data, or behind a store of a candidate
// (to whatever address); constants are, those in the source, too. That refuses more than it must (a root of
// a sum that begins with 0), and no result can depend on it. Code that does not run where the facts
// hold (reached.h) is not looked at.
//
// Terminates: candidates only become more. Costs, each round (in practice three): a look at every
// instruction, and at the ways from every such store to every load.
#pragma once

#include "passes/specialize/known_values.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// The first operation that might be folded to something else than the machine computes, null:
/// there is none.
const llvm::Instruction *inexactlyFolded(llvm::Function &kernel,
                                         const std::vector<KnownValue> &known,
                                         const llvm::DominatorTree &dominators,
                                         const llvm::LoopInfo &loops);

} // namespace meld::passes
