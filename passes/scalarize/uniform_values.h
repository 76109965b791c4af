// meld-scalarize-values: values that are the same in all lanes of the wave and that LLVM takes for
// divergent become scalar (Lee et al., CGO'13; Timofeev 2016).
//
//   %w = lshr i32 %x, 6      ; x fills waves of 64       %w = lshr i32 %x, 6
//   %i = mul i32 %w, %n                                  %s = readfirstlane(%w)
//   %q = gep %p, %i                                =>    %i = mul i32 %s, %n        scalar
//   %v = load %q                                         %v = load (gep %p, %i)     scalar
//
//   %d = (%x + %a) - (%x + %b)                     =>    %d = %a - %b
//
// The difference between our analysis (divergence.h, from proven launch shapes only) and LLVM's is
// cut where it starts: a root is a value of the difference with an operand that LLVM calls
// divergent and we cannot call uniform, or a phi that LLVM keeps divergent for its branches only.
// After a root has gone through readfirstlane, LLVM sees for itself that what follows is uniform.
// Values that hang together are judged together: what the scalar unit takes over (addresses of
// loads, branches, arithmetic) against the readfirstlanes, weighted by loop depth. A comparison's
// operands are read instead of its one bit: if the lanes agree on the result, the first lane's
// operands give it. Cancelled ids are written anew without them, which needs no lane at all.
//
// Roots only in blocks that all threads of the wave that entered the kernel run together: EXEC is
// not empty then, and no lane has left a loop that others still run. Left alone besides: pointers
// (cut into integers they lose what is known about them; their indices come first anyway), and
// what is left of a wave behind an early return.
//
// Terminates: each round makes at least one value scalar that was not; at most four rounds. Costs
// one divergence analysis of each kind per round in which there is a difference. Would be unsafe: a
// width that is believed and not proven, or an empty EXEC: readfirstlane then gives any lane's
// leftovers.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class UniformValuesPass : public LoggedPass<UniformValuesPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
