// A number for what a function is made of, so that a pass which has found nothing to do need not
// look again when the same function comes by unchanged. The early point is visited after each run
// of instcombine, and most functions are at rest between some of them.
//
// Two functions with one fingerprint have the same blocks, instructions, flags, operands and
// attributes of calls. What does not count: names, the order of use lists, which operand of a
// commutative operation comes first, marks of tail calls, what LLVM infers of the function as a
// whole. Linear. Types, constants and metadata
// go in by their address: comparable within one LLVMContext, and not to be kept beyond it. A
// collision costs a look, never correctness.
#pragma once

#include "llvm/IR/Function.h"
#include <cstdint>

namespace meld::passes {

uint64_t fingerprintOf(const llvm::Function &function);

} // namespace meld::passes
