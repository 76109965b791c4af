// Bitcode put into a code object that was compiled without (-fembed-bitcode), as if it had been there.
#pragma once

#include "runtime/codeobject/elf.h"

namespace meld {

/// The object with a section `.llvmbc` behind its end; nothing that a loader reads moves or changes
/// (isLoadedAlike). Errors: badInput, unsupported (no ELF file, one without section names, with too
/// many sections, or one that has the section).
Result<Bytes> withBitcode(ByteView codeObject, ByteView bitcode);

} // namespace meld
