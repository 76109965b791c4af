// meld-or-address: an address in LDS whose index is `x | c` is spelled as `x << s | c << s`.
//
//   %i = or i32 %x, 1                       %i = or i32 %x, 1        its other users keep it
//   %p = getelementptr i32, @lds, %i   =>   %s = shl i32 %x, 2
//   ... other users of %i                   %o = or i32 %s, 4
//                                           %p = getelementptr i8, @lds, %o
//
// LLVM 15's instruction selection (SITargetLowering::performSHLPtrCombine) takes the constant of
// `(x | c) << s` for an offset of the LDS instruction, as it may with x + c: where x has a bit of c
// set, the access goes to another place. It does so where the pointer is nothing but that shift, as
// that of the first array of a kernel is, and where `x | c` has other users in the same block. Of one
// user the shift is spelled as above by LLVM itself, which is right. How many users there are can
// change in any pass: two sides that compute it are one after melding.
//
// Where x is known to have no bit of c the sum is meant, and nothing is changed. Otherwise nothing
// could have been folded rightly, so it costs one shift where there were other users, and nothing
// where there were none.
//
// Terminates: one look at each instruction. Cost: linear, and known bits for such indices. Would be
// unsafe: shifting bits out at the top that the index had; an address in LDS has 32 bits, and the
// index is multiplied in 32 bits with and without it.
//
// Seen with LLVM 15; run with every version, since it costs next to nothing. To be deleted when the
// oldest LLVM that is supported asks for common bits (tests/lit/or-address says so).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OrAddressPass : public llvm::PassInfoMixin<OrAddressPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
