// Is this MessagePack that a recursive reader can be trusted with? Walks the bytes with an explicit
// stack.
#pragma once

#include "runtime/codeobject/bytes.h"

namespace meld {

/// Exactly one MessagePack value that fills `bytes`, nested at most `maxDepth` deep, every claimed
/// length inside the bytes, map keys strings. Cost: linear. Errors: badInput with the offset inside
/// `bytes`. Source: the MessagePack specification, "Formats".
Result<void> checkMsgPack(ByteView bytes, unsigned maxDepth = 32);

} // namespace meld
