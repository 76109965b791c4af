// Bytes as LLVM has them and as runtime/codeobject, the one reader of code objects, takes them.
//
// Who includes that reader does so behind LLVM's headers and is compiled alone (meld_unity):
// <elf.h>, which comes along, defines macros by the names of llvm::ELF's enumerators.
#pragma once

#include "runtime/codeobject/bytes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace meld::jit {

inline ByteView bytesOf(llvm::MemoryBufferRef buffer) {
  return {reinterpret_cast<const uint8_t *>(buffer.getBufferStart()), buffer.getBufferSize()};
}

inline llvm::StringRef textOf(ByteView bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace meld::jit
