// What goes between the proxy in an application's process (process.h) and meld-remote.
//
//   request := RequestHead key body       open is the first, and answered like any other
//   reply   := ReplyHead body
//
// Both are of one build and on one machine, so nothing is converted. All that is read is checked: the
// other side speaks with servers that may send anything.
//
//   call     key   body    numbers               reply: no / yes
//   open     URL   token   connect ms, request ms, entryBytes     yes
//   get      key                                 not there / bytes
//   has      key                                 not there / there
//   put      key   bytes                         yes
//   claim    key           expiry s              somebody else's / ours
//   release  key                                 yes
//
// `token` marks the claims of one proxy, so that they stay its own when meld-remote is started anew.
// An error's body is its message.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <string_view>

namespace meld::remote {

enum class Call : uint32_t { open = 1, get, has, put, claim, release };

struct RequestHead {
  uint32_t magic;
  uint32_t call;
  uint64_t keyBytes, bodyBytes;
  uint64_t numbers[3];
};

/// Behind these: error(ErrorCode).
enum class Answer : uint32_t { no = 0, yes = 1, firstError = 2 };

struct ReplyHead {
  uint32_t magic;
  uint32_t answer;
  uint64_t bodyBytes;
};

constexpr uint32_t kMagic = 0x524c454d; ///< "MELR"
constexpr uint64_t kMostKeyBytes = 4096;
constexpr uint64_t kMostMessageBytes = 4096;
constexpr uint64_t kMostTokenBytes = 256;

/// What openRemote() takes besides (open_stores.h): which of a proxy's numbers is what.
enum Number { kConnect = 0, kRequest = 1, kEntryBytes = 2, kExpiry = 0 };

} // namespace meld::remote
