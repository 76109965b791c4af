// How a value is kept where it is made when the code generator would move it to where it is used:
// an empty assembly statement behind it, which is no instruction but a use that nothing may move.
// For passes about what LLVM's machine code sinking gets wrong.
#pragma once

#include "llvm/IR/Instruction.h"

namespace meld::passes {

/// Whether the sinking would think of moving it at all.
bool canSink(const llvm::Instruction &instruction);
/// Whether it is of a type that has registers; lane masks are not.
bool hasRegisterType(const llvm::Instruction &instruction);
/// The use, right behind `instruction`, which has a register type. `scalar`: it is in scalar
/// registers.
void keepHere(llvm::Instruction &instruction, bool scalar = false);

} // namespace meld::passes
