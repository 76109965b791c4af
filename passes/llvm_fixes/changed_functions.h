// Which functions hold code that our passes have changed.
//
// The passes that keep LLVM's known faults away from melded code (meld-stay-in-loop and the like)
// have nothing to do elsewhere: a function in which we have changed nothing is to come out as it
// did without us, to the byte. Its machine code is then the original's, with whatever LLVM made
// of it.
//
//   leaf   <- changed            marked
//   mid    calls leaf            marked: leaf may be inlined into it
//   kernel calls mid             marked
//   other  calls neither         not marked
//
// The mark is an attribute of the function, so that copies of it (specialised, with other
// arguments) have it, too. Ends: a function is marked once. Cost: linear in the uses of what is
// marked.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

/// Marks `function`, and every function that it may be inlined into.
void markChanged(llvm::Function &function);

/// Whether `function` may hold changed code.
bool holdsChanges(const llvm::Function &function);

/// Takes the mark away. True when there was one.
bool dropChangedMark(llvm::Function &function);

} // namespace meld::passes
