// meld-or-address: `x | c` in an address of LDS is handed on through an empty assembly statement.
//
//   %i = or i32 %x, 1                       %i = or i32 %x, 1        its other users keep it
//   %p = getelementptr i32, @lds, %i   =>   %o = asm "", "=v,0"(%i)
//   ... other users of %i                   %p = getelementptr i32, @lds, %o
//
// LLVM 15's instruction selection (SITargetLowering::performSHLPtrCombine) takes the constant of
// `(x | c) << s` for an offset of the instruction, as it may with x + c: where x has a bit of c set,
// the access goes to another place. It does so where the pointer is nothing but that shift, as that of
// the first array of a kernel is, and where `x | c` has other users in the same block. How many there
// are can change in any pass: two sides that compute it are one after melding. The shift need not be
// seen here, either: selection makes one of exact divisions and of masks that it finds to be
// redundant. So whatever leads to such an address by integer arithmetic counts, and what selection
// sees is not an `or`.
//
// Addresses: of LDS, GDS and scratch, with a base that is a constant (others are sums) or none. Where
// x is known to have no bit of c the sum is meant, and nothing is changed.
//
// Terminates: each value is looked at once for each address that it is in. Cost: linear but for that;
// at run time a move where there are other users, and an `or` that is not part of a shift. Would be
// unsafe: nothing; a value is handed on as it is.
//
// Seen with LLVM 15; run with every version, since such addresses are rare. To be deleted when the
// oldest LLVM that is supported asks for common bits (tests/lit/or-address says so).
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OrAddressPass : public llvm::PassInfoMixin<OrAddressPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
