// Numbers of few bits that may be negative: LLVM (before 21) asks how many bits in front of a
// number are equal, and takes them for zeros, or for signs where none are meant. For passes that
// hide such numbers.
#pragma once

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

/// The bits of a register.
inline constexpr unsigned wordBits = 32;

/// From so many equal bits in front of a word on LLVM divides numbers as floats, and multiplies
/// them as of 24 bits.
inline constexpr unsigned fewEqualBits = 9;

/// Whether LLVM may find so many in front of the bits [at, at + 32) of an integer, the first of
/// which may be a one. It is asked of the value as instruction selection asks: `and` with a word of
/// ones, `lshr` by a word, `or` with what is above the word are no obstacle. A word that reaches
/// beyond the number counts. So do elements of vectors, of one of which LLVM may know more than of
/// all. Looks at operands to a fixed depth.
bool mayBeFewAndNegative(const llvm::Value &value, unsigned at, const llvm::DataLayout &layout);

/// The same number, made where `builder` stands, whose words below the bit `end` that are such are
/// hidden (hidden.h); null: there are none.
llvm::Value *hiddenWords(llvm::IRBuilder<> &builder, llvm::Value &value, unsigned end,
                         const llvm::DataLayout &layout);

} // namespace meld::passes
