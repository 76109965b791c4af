// A version's variables are the original's: after the optimiser, each becomes a declaration that
// the loader resolves to the address of the original's variable.
//
//   @count = protected addrspace(1) externally_initialized global i32 0
//     =>   @count = extern_weak addrspace(1) global i32
//
// Weak, since clang 17 and later ask lld to refuse all other undefined symbols (--no-undefined, after
// whatever options comgr is given). The loader makes no difference: a symbol that it cannot resolve is an
// error.
//
// Default visibility and no dso_local on purpose: the code then takes the address from a slot of
// the global offset table (R_AMDGPU_ABS64, 64 bits, any distance). With any other, it would hold a
// 32-bit distance to the variable, which the linker refuses for what is not in the same object.
//
// A managed variable is two: `x`, a pointer that the runtime fills in and code reads, is bound like
// any other; `x.managed`, what it points to at first, is not reached.
//
// Data that has no name outside is copied where the copy cannot be told from it: nobody writes to
// it, and its address either means nothing (unnamed_addr) or is not kept.
//
// Refused is what only works inside one object: calls and addresses of functions (the same function
// stands elsewhere in each version, and a kernel that calls through pointers has its registers
// counted for all of its object), functions without code, variables that the original does not
// export or has with another size or less alignment than this code counts on, memory other than
// global, constant and LDS.
#pragma once

#include "jit/code_object.h"

#include "llvm/IR/Module.h"

#include <string>

namespace meld::jit {

/// Why there can be no version, or "" when all of `module` is the kernel and what belongs to it.
/// `originals`: the dynamic symbols of the original object.
std::string bindVariables(llvm::Module &module, llvm::StringRef kernel,
                          const DynamicSymbols &originals);

} // namespace meld::jit
