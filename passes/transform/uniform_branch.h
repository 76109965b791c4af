// Branches that we prove wave-uniform and LLVM does not are written so that code generation sees it
// too (the `br.uni` of PTX, for a target whose IR has no such branch).
//
//   %c = icmp ult i32 %x, 64            %f = readfirstlane(%x)
//   br i1 %c, A, B              ==>     %u = icmp ult i32 %f, 64
//                                       br i1 %u, A, B
//   v_cmp, s_and_saveexec, execz        v_readfirstlane, s_cmp, s_cbranch_scc
//
// If all active lanes agree on a comparison, the comparison of the first active lane's operands is
// the answer, whether or not the operands agree. Other conditions go through a 32-bit 0 or 1.
// Metadata (`amdgpu.uniform`, `structurizecfg.uniform`) would be shorter, but LLVM 15's own passes
// compute it anew.
//
// Only where all threads of the wave that entered the function run the block (EXEC is then not
// empty), where the width is proven (no assumption about launch shapes), and on AMDGPU. What LLVM
// already sees as uniform is left alone. One walk over the blocks; changes no edges.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class UniformBranchPass : public LoggedPass<UniformBranchPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
