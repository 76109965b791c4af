// What comgr makes up anew for every compile, and leaves in the code object.
//
// hiprtc compiles through comgr, which works in a folder of a random name, /tmp/comgr-1a2b3c. The
// name gets into `.llvmcmd` (-I, and -cuid, a hash of a path), into `.llvmbc` (the source file's
// name) and, with -g, into debug sections. Nothing of it changes the code, but a cache key over the
// bytes would be a new one in every process.
#pragma once

#include "runtime/codeobject/bytes.h"

namespace meld {

/// The object in a form that two compiles of one source share, for a key and nothing else: those
/// names are hidden, and where the hash in `.llvmcmd` has a digit less (it has no leading zeros),
/// what lies behind it does not move. Nothing when there are no such names, which is what hipcc's
/// objects give. Only what `.llvmcmd` shows is looked for. Bitcode packs strings into 7 or 8 bits a
/// character at any bit, so it is searched bit by bit: about 5 ms per MB.
/// Example: "-I\0/tmp/comgr-1a2b3c/include\0-cuid=8fe041bab778c4c" ->
/// "-I\0/tmp/????????????/include\0-cuid=?". Cannot fail: what is malformed is left as it is.
Bytes withoutComgrNames(ByteView codeObject);

} // namespace meld
