// A value of which code generation knows nothing: an empty assembly statement hands it on. For passes about what LLVM
// concludes wrongly from what it knows of a value.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// The same value, made where `builder` stands: a number, a pointer, or a vector of these; null where it is another, or has more bits
/// than two registers.
llvm::Value *hidden(llvm::IRBuilder<> &builder, llvm::Value &value);

/// One that has not been made at all, so any, of such a type but no vector. Code generation takes it for made.
llvm::Value *anything(llvm::IRBuilder<> &builder, llvm::Type *type);

/// A condition as such a number of 32 bits: -1 in each lane in which it is true, else 0. Not 1: code generation makes that of a
/// condition itself, and could take it for this one.
llvm::Value *hiddenNumber(llvm::IRBuilder<> &builder, llvm::Value &condition);

} // namespace meld::passes
