// How a value is kept where it is made when the code generator would move it to where it is used:
// an empty assembly statement behind it, which is no instruction but a use that nothing may move.
// For passes about what LLVM's machine code sinking gets wrong; to be deleted with the last of
// them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// Whether the sinking would think of moving it at all.
bool canSink(const llvm::Instruction &instruction);
/// Whether it is of a type that has registers; lane masks are not.
bool hasRegisterType(const llvm::Instruction &instruction);
/// Whether it fills its registers. Of what does not, code generation may make one number for a
/// statement and another for the rest.
bool isWhole(const llvm::Instruction &instruction);
/// Such a use of a value that one register or two hold, where `builder` stands. `scalar`: these are
/// scalar registers.
void useHere(llvm::IRBuilder<> &builder, llvm::Value &value, bool scalar);
/// The same for all of `instruction`, right behind it, which has a register type, in pieces if need
/// be.
void keepHere(llvm::Instruction &instruction, bool scalar = false);
/// In front of it something is right behind `instruction`, which is no terminator.
llvm::Instruction *placeBehind(llvm::Instruction &instruction);
/// Gives the value behind such statements, of vector registers, that hand it on: code generation
/// cannot tell that it is the same, and has no second way to compute it. For users elsewhere.
llvm::Value *handOn(llvm::Instruction &instruction);

} // namespace meld::passes
