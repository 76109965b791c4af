// The `.meld` section: a new code object says that it was replaced, by what, what became of each
// kernel, and how its variables are aligned by their declarations (runtime/gate/alignment.h). What
// was decided on the way is in the cache entry, not here.
//
// It is appended behind the last byte (contents, a new section-name table, a new section header
// table); no existing byte but the ELF header's e_shoff and e_shnum changes. Not allocated, so
// loaders skip it. Deterministic: same input, same bytes.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace meld::jit {

llvm::Expected<std::string> appendMarker(llvm::MemoryBufferRef elf, llvm::StringRef contents);

} // namespace meld::jit
