// A value of which code generation knows nothing: an empty assembly statement hands it on. For
// passes about what LLVM concludes wrongly from what it knows of a value.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// An empty statement with such operands and such a result, where `builder` stands. With side
/// effects it stays there.
llvm::CallInst *emptyStatement(llvm::IRBuilder<> &builder, llvm::Type *type,
                               llvm::ArrayRef<llvm::Value *> operands, llvm::StringRef constraints,
                               bool sideEffects = false);

/// The same integer, vector of integers or pointer, made where `builder` stands; null where an
/// integer has more bits than two registers.
llvm::Value *hidden(llvm::IRBuilder<> &builder, llvm::Value &value);

/// The same value that a reading from a lane may take, also of floating-point numbers and of
/// several registers; null where code generation has no such reading.
llvm::Value *hiddenForReading(llvm::IRBuilder<> &builder, llvm::Value &value);

/// Any value of a type of several whole registers, made where `builder` stands and nowhere else, by
/// no instruction; null: there are no such registers, or the type has members. Uniform, or,
/// `inLanes`, as divergent as can be.
llvm::Value *anyTuple(llvm::IRBuilder<> &builder, llvm::Type *type, bool inLanes);

/// The same value of such a type, made there, as divergent as can be; null as above.
llvm::Value *hiddenTuple(llvm::IRBuilder<> &builder, llvm::Value &value);

/// A condition as such a number of 32 bits: -1 in each lane in which it is true, else 0. Not 1:
/// code generation makes that of a condition itself, and could take it for this one.
llvm::Value *hiddenNumber(llvm::IRBuilder<> &builder, llvm::Value &condition);

/// The same condition, or vector of conditions, made anew of such numbers.
llvm::Value *hiddenCondition(llvm::IRBuilder<> &builder, llvm::Value &condition);

} // namespace meld::passes
