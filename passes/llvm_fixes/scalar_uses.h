// Operands for which there has to be a scalar register, because nothing reads them from a lane.
//
// - What an assembly statement takes where it names no vector register: "s", "r", "{s4}", "{vcc}", "is", "X". Register names
//   are in either case (SITargetLowering::getRegForInlineAsmConstraint, TargetLowering::getRegForInlineAsmConstraint). Tied operands ("0") are
//   what their result is. "r", and "s" of a divergent value, are vector registers where the value is in one, so that whether a program
//   has a scalar there cannot be told from the statement.
// - "inreg" arguments: of graphics functions (amdgpu_gfx), and with newer LLVM (seen with 21) of others.
// - The scalar offset of accesses through a buffer's descriptor, up to LLVM 16 (later ones go through the lanes), and what s_setreg writes.
//
// Not among them are constants and arguments: they are in no vector register where they were in none before.
#pragma once

#include "llvm/IR/Function.h"

namespace meld::passes {

/// In the order of the instructions.
llvm::SmallVector<llvm::Use *, 8> scalarUses(llvm::Function &function);

} // namespace meld::passes
