// A value of which code generation knows nothing: an empty assembly statement hands it on. For passes about what LLVM
// concludes wrongly from what it knows of a value.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// The same integer, vector of integers or pointer, made where `builder` stands; null where an integer has more bits than two
/// registers.
llvm::Value *hidden(llvm::IRBuilder<> &builder, llvm::Value &value);
/// The same of 32 bits in a scalar register, which stays where `builder` stands: no two are taken for one, as to LLVM each writes
/// memory that nobody else sees.
llvm::Value *hiddenHere(llvm::IRBuilder<> &builder, llvm::Value &scalar);

} // namespace meld::passes
