// Is this bitcode what that machine code was compiled from?
//
// Nothing in a code object says so: `.llvmbc` may have been exchanged, or edited, and what is
// compiled from it passes for the kernel as long as its interface is the same. The proof is a
// compile that changes nothing: the same compiler, given the same input, gives the same bytes.
//
// Compared is what a GPU sees: every section that is loaded, but for those that serve the loader
// (symbol names and hashes, the dynamic section, relocations), which the gate compares by meaning.
// Thread rule: pure.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace meld::jit {

/// The first difference, or "" where there is none: "recompiled code differs at kernel K offset
/// 0x10 (section .text)".
llvm::Expected<std::string> firstDifference(llvm::MemoryBufferRef original,
                                            llvm::MemoryBufferRef recompiled);

} // namespace meld::jit
