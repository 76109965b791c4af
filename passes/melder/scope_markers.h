// Markers that say where something begins or ends for other instructions: they leave no code, and
// what they mark loses its meaning, or keeps a wrong one, when they get lost or move.
//
//   llvm.experimental.noalias.scope.decl  the scopes of `!alias.scope` and `!noalias` begin anew
//                                         here: two rounds of a loop are two scopes. Whoever copies
//                                         code (the unroller, say) gives the copies scopes of their
//                                         own, and knows which ones by this declaration alone.
//   llvm.lifetime.start, .end             a stack object is there between them; code generation
//                                         puts two that are never there at once into one place.
//
// Markers are not aligned (isIgnorable) and cost nothing. Melded code carries them on its way, each
// where it stood among its own side's instructions:
//
//      L: decl S         R: start(b)            decl S
//         load p, S         store b        =>   start(b)
//                           end(b)              load p, S | store b     by side
//                                               end(b)
//
// The other side's threads then come by, too. A declaration means nothing to them. A lifetime
// marker does unless the object is its side's own: every access stands on this side and behind one
// start on this side (what the object held in an earlier round is gone by then), and no other
// pointer to it lives on. Of any other object whose marker would be carried all markers are
// removed: it is there always, which costs scratch and is never wrong. So no marker is ever given
// a choice of two objects (code generation would end both), and each names its alloca directly.
//
// Terminates: markers only ever get fewer. Cost: a walk over the blocks; uses of the objects only
// where one has markers in melded blocks.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// A declaration of alias scopes, or the start or end of an object's lifetime.
bool isScopeMarker(const llvm::Instruction &instruction);

/// The lifetime markers in those blocks of one side that are about to be melded.
struct SideMarkers {
  llvm::BasicBlock *entry = nullptr; ///< where the side begins
  llvm::SmallVector<llvm::Instruction *, 8> lifetimes;
};

/// Leaves of the markers only those that both sides' threads may run, each of them on its alloca
/// itself. To be called before anything is changed.
void settleLifetimes(const SideMarkers &left, const SideMarkers &right);

/// Removes all lifetime markers of the objects that `markers` may mean; those among `markers` that
/// are no lifetime markers are left alone. All instructions are of one function.
void widenLifetimes(llvm::ArrayRef<llvm::Instruction *> markers);

/// Gives the scopes that are declared in `blocks` new names in `copies`, for code that may run
/// behind the original or before it. Copies of which one at most runs in each scope share the
/// names: LLVM asks what two accesses promise each other, and only of those on one way.
void renameScopes(llvm::ArrayRef<llvm::BasicBlock *> blocks,
                  llvm::ArrayRef<llvm::BasicBlock *> copies, llvm::StringRef suffix);

} // namespace meld::passes
