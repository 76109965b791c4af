// meld-scalarize-loads: a load that all lanes do from one address, of memory that nothing has
// written by then, goes to the scalar unit (Timofeev 2016).
//
//   for k: v = table[row[wg] + k]                   s_load_dword instead of global_load_dword
//
// constancy.h proves that nothing writes: nowhere in the dispatch (`constant`), or on no path from
// the kernel's entry and with nothing in between that could order another thread's store before
// the load (`untouched`). The first becomes !invariant.load, which all of LLVM honours; the second
// `amdgpu.noclobber`, which says no more than that a scalar load gives the right answer. LLVM 15
// sets the latter itself, from MemorySSA: it gives up after a hundred memory instructions, at
// calls, and where another thread's store is ordered by something that aliases nothing.
//
// An address that we know to be uniform and LLVM does not gets its index through readfirstlane;
// only where all threads of the wave that entered the kernel stand together, since with EXEC empty
// readfirstlane gives any lane's leftovers and the scalar load would follow them.
//
// Left alone: volatile and atomic loads; what is written or may be; LDS, scratch and flat pointers;
// less than four bytes or less than four-byte alignment, which the scalar unit cannot do; loads
// that LLVM finds without help.
//
// Terminates: one look at each load. Costs one backward walk over the blocks per uniform load
// (constancy.h). Would be unsafe: a scalar load of memory that a vector store may have changed: the
// scalar cache is not coherent with the vector caches within a dispatch.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class ConstantLoadsPass : public LoggedPass<ConstantLoadsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
