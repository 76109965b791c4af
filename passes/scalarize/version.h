// A second copy of a function for the case that an assumption does not hold.
//
//   entry:  u = wg * size          entry:  u = wg * size
//           i = u + tid                    ok = u <= 2^31 - 1024
//           load a[i]         =>           br ok, entry.rest, entry.rest.unproven
//           ret                    entry.rest:  i = u + tid  load a[i]  ret
//                                  entry.rest.unproven:  the same again, never changed
//
// What the assumption needs must stand in the entry block; the branch goes behind it, and all that
// follows is copied. Nothing comes together again: both copies end in returns of their own.
//
// Terminates: copies each block once. Only functions without a result. Costs the size of the
// function in code that practically never runs; in time, a comparison and a branch that the scalar
// unit does. Would be unsafe: a condition that differs within a workgroup: its barriers would be
// split; the caller takes workgroup-wide ones.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <functional>

namespace meld::passes {

/// Copies blocks, which then refer to each other's copies; `map` gets blocks and instructions.
/// Edges that lead out of them are not known to the phis there. Alias scopes that the blocks (or
/// `declaring`, when it says more) declare are others in the copies.
llvm::SmallVector<llvm::BasicBlock *, 16>
copyBlocks(llvm::ArrayRef<llvm::BasicBlock *> blocks, llvm::ValueToValueMapTy &map,
           const char *suffix, llvm::ArrayRef<llvm::BasicBlock *> declaring = {});

/// Splits the entry block behind `last` (and behind all allocas) and branches on what `condition`
/// builds: true leads to the code as it was, false to its copy.
void versionOn(llvm::Function &function, llvm::Instruction *last, bool inARow,
               llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &)> condition);

/// Where versionOn would split for `last`.
llvm::Instruction *versionPoint(llvm::Function &function, llvm::Instruction *last);

} // namespace meld::passes
