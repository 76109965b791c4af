// What becomes of metadata when one instruction does the work of two.
//
//   left:  load %p, !alias.scope !{S}, !range [0,10)         load select(C, %p, %q),
//   right: load %q, !alias.scope !{T}, !range [5,20)    =>     !alias.scope !{S,T}, !range [0,20)
//
// One table says it for every kind that is kept: in the weaker form of both, or only where both
// carry the same node. A kind that the table does not name is dropped, so that one which a later
// LLVM adds, and whose meaning we do not know, cannot become a false promise. Dropping is always
// allowed: "metadata is additional information that a transformation may discard" (LLVM Language
// Reference, "Metadata").
//
// Metadata that another instruction gives its meaning, or whose meaning is a relation between
// instructions:
//   alias.scope, noalias      llvm.experimental.noalias.scope.decl, which is kept: scope_markers.h
//   llvm.access.group,        llvm.loop of the loop around; a loop that is melded keeps its own
//   llvm.loop                 only where both sides have the same, and an access outside of the
//                             groups only makes the loop less parallel
//   invariant.group, annotation, callees, memprof, DIAssignID, ...: dropped
// Of copies that only one side's threads run all of these still hold.
#pragma once

#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// Gives `merged` the metadata that holds for `left`'s threads and for `right`'s, debug location
/// aside, and takes all other from it. `merged` may be either of the two.
void shareMetadata(llvm::Instruction &merged, const llvm::Instruction &left,
                   const llvm::Instruction &right);

/// Drops what the AMDGPU back end notes for itself about whole waves (`amdgpu.uniform`,
/// `structurizecfg.uniform`), in all of the function: the back end believes what it finds, and a
/// value that was made of each side's scalar is one no longer. It finds out anew what still holds.
void forgetUniformNotes(llvm::Function &function);

} // namespace meld::passes
