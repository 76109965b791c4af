// What comgr makes up anew for every compile, and leaves in the code object.
//
// hiprtc compiles through comgr, which works in a folder of a random name, /tmp/comgr-1a2b3c. The
// name gets into `.llvmcmd` (-I, and -cuid, a hash of a path), into `.llvmbc` (the source file's
// name) and, with -g, into debug sections. Nothing of it changes the code, but a cache key over the
// bytes would be a new one in every process.
#pragma once

#include "runtime/codeobject/bytes.h"

namespace meld {

/// The bytes with those names overwritten by a constant; nothing when there are none, which is what
/// hipcc's objects give. Only what `.llvmcmd` shows is looked for. Bitcode packs strings into 7 or
/// 8 bits a character at any bit, so it is searched bit by bit: about 5 ms per MB.
/// Example: "-I\0/tmp/comgr-1a2b3c/include" -> "-I\0/tmp/comgr-??????/include".
/// Cannot fail: what is malformed is left as it is.
Bytes withoutComgrNames(ByteView codeObject);

} // namespace meld
