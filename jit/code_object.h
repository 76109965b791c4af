// What the compiler needs of a code object, from the one reader of them (runtime/codeobject): the
// target, what `-fembed-bitcode=all` left in it, and its kernels with their machine code.
//
// The compiler puts the IR it was about to optimise into `.llvmbc` and the NUL-separated cc1 line
// into `.llvmcmd`. A device link of several translation units (-fgpu-rdc) concatenates both
// sections, so `.llvmbc` may hold several bitcode files back to back and `.llvmcmd` several lines.
//
// Source: LLVM AMDGPU usage, "Code Object Metadata V3/V4/V5" (NT_AMDGPU_METADATA, MessagePack).
// Untrusted input: errors name what is wrong, and where. Thread rule: pure functions.
#pragma once

#include "passes/cost/kernel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace meld::jit {

using passes::KernelResources;
using Kernel = passes::MachineKernel;

struct DynamicSymbol {
  uint64_t address = 0, size = 0;
  bool code = false, defined = true;
};
using DynamicSymbols = std::map<std::string, DynamicSymbol>;

/// A code object, read once. All views are of its bytes, which must outlive it.
struct DeviceObject {
  std::string processor;                ///< "gfx90a"
  std::string isaName;                  ///< comgr's name: "amdgcn-amd-amdhsa--gfx90a:xnack-"
  unsigned codeObjectVersion = 0;       ///< 3..6
  std::vector<llvm::StringRef> modules; ///< one bitcode file each; empty: built without bitcode
  std::vector<std::vector<std::string>> commands; ///< one cc1 line per translation unit
  std::vector<Kernel> kernels;                    ///< in the note's order
  DynamicSymbols symbols;

  /// Names of the defined symbols: what host code or other objects can see.
  std::set<std::string> exportedNames() const;
};

/// An object without bitcode is not an error; one for a processor that this LLVM does not know is.
llvm::Expected<DeviceObject> readDeviceObject(llvm::MemoryBufferRef elf);

/// The kernels alone: of what was made.
llvm::Expected<std::vector<Kernel>> readKernels(llvm::MemoryBufferRef elf);

/// What kernels call: the functions of the symbol table that are no kernels, by address, for waves
/// as the first kernel has them. None where the table was stripped.
llvm::Expected<std::vector<Kernel>> readFunctions(llvm::MemoryBufferRef elf);

/// Splits concatenated bitcode files. Walks the top-level blocks of the bitstream instead of
/// searching for the magic, which may also occur inside a block.
llvm::Expected<std::vector<llvm::StringRef>> splitBitcode(llvm::StringRef section);

/// Splits NUL-terminated arguments into one vector per "-cc1".
llvm::Expected<std::vector<std::vector<std::string>>> splitCommands(llvm::StringRef section);

} // namespace meld::jit
