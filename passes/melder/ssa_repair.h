// Puts SSA form back after control flow has been joined.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// Definitions in `blocks` that no longer dominate all their uses get phis; on paths that do not
/// pass the definition the value is poison, as it is behind each of `ends`; one of these dominates
/// all of `blocks`. Such a path belongs to threads that never used the value, or no longer do.
void repairSsa(llvm::ArrayRef<llvm::BasicBlock *> blocks, llvm::ArrayRef<llvm::BasicBlock *> ends,
               const llvm::DominatorTree &dominators);

/// select C, phi [a, P], [poison, Q], phi [poison, P], [b, Q]  ->  phi [a, P], [b, Q]
///
/// Where the chosen operand is poison, anything refines it. Also drops phis without users.
void foldShieldedPhis(llvm::ArrayRef<llvm::BasicBlock *> blocks);

} // namespace meld::passes
