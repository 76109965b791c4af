// What `-fembed-bitcode=all` left in a device code object.
//
// The compiler puts the IR it was about to optimise into `.llvmbc` and the NUL-separated cc1 line
// into
// `.llvmcmd`. A device link of several translation units (-fgpu-rdc) concatenates both sections, so
// `.llvmbc` may hold several bitcode files back to back and `.llvmcmd` several lines.
//
// Input is untrusted: every offset is checked, errors name the section and the offset in it.
// Thread rule: pure functions, any thread.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld::jit {

/// A device ELF, taken apart as far as a recompile needs it. StringRefs point into the input.
struct DeviceObject {
  std::string processor; ///< "gfx90a"
  std::string isaName;   ///< comgr's name: "amdgcn-amd-amdhsa--gfx90a:xnack-"
  uint32_t eFlags = 0;
  uint8_t abiVersion = 0;               ///< EI_ABIVERSION: 1 = code object V3, 2 = V4, 3 = V5
  std::vector<llvm::StringRef> modules; ///< one bitcode file each; empty: built without bitcode
  std::vector<std::vector<std::string>> commands; ///< one cc1 line per translation unit
};

/// Reads the ELF header and the two sections. An object without bitcode is not an error.
llvm::Expected<DeviceObject> readDeviceObject(llvm::MemoryBufferRef elf);

/// Splits concatenated bitcode files. Walks the top-level blocks of the bitstream instead of
/// searching for the magic, which may also occur inside a block.
llvm::Expected<std::vector<llvm::StringRef>> splitBitcode(llvm::StringRef section);

/// Splits NUL-terminated arguments into one vector per "-cc1".
llvm::Expected<std::vector<std::vector<std::string>>> splitCommands(llvm::StringRef section);

} // namespace meld::jit
