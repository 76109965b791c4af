// A number for what a function is made of, so that a pass which has found nothing to do need not
// look again when the same function comes by unchanged. The early point is visited after each run
// of instcombine, and most functions are at rest between some of them.
//
// Two functions with one fingerprint have the same blocks, instructions, flags, operands and
// attributes of calls. What does not count: names, the order of use lists, which operand of a
// commutative operation comes first, marks of tail calls, what LLVM infers of the function as a
// whole. Linear. Types, constants and metadata go in by their address: comparable within one
// LLVMContext, and not to be kept beyond it. A collision costs a melding, never correctness.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include <cstdint>

namespace meld::passes {

uint64_t fingerprintOf(const llvm::Function &function);

/// The same for what some branch decides over: the terminator of `head` and the blocks of `region`,
/// in that order, with which of their values are used elsewhere. Arguments, values and blocks from
/// elsewhere are told apart by where they first come up, and go in with what `about` says of them,
/// so that the region is known again in a copy of the function and after a change elsewhere.
uint64_t fingerprintOf(const llvm::BasicBlock &head, llvm::ArrayRef<llvm::BasicBlock *> region,
                       llvm::function_ref<uint64_t(const llvm::Value &)> about);

} // namespace meld::passes
