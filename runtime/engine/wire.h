// What goes between libmeld.so and the process that compiles for it (helper.h).
//
//   message = magic "MELD" | kind u32 | size u64 | body of that size
//   body    = fields, one behind the other, in the order of the functions below;
//             a number is a u64, a text or bytes a u64 and as many bytes
//
// Both are of one build and on one machine, so nothing is converted. All that is read is checked
// against what is there: the other side may have been broken by the object it compiled.
// Thread rule: pure functions.
#pragma once

#include "runtime/engine/compiler.h"

#include <optional>

namespace meld::wire {

enum class Kind : uint32_t { request = 1, log, reply };

struct Header {
  uint32_t magic;
  uint32_t kind;
  uint64_t size;
};

constexpr uint32_t kMagic = 0x444c454d;
constexpr uint64_t kMostRequest = uint64_t(2) << 30;
constexpr uint64_t kMostLog = 64 << 10; ///< one line; longer ones are cut
constexpr uint64_t kMostReply = uint64_t(1) << 30;

struct Request {
  std::string isa;
  Settings settings; ///< all of them
  VersionWanted version;
  Bytes codeObject;
};
struct LogLine {
  int level;
  std::string text;
};
struct Reply {
  JitOutcome outcome;
  std::string version;
};

Bytes encode(ByteView codeObject, const std::string &isa, const Settings &settings,
             const VersionWanted &version = {});
Bytes encode(const LogLine &line);
Bytes encode(const Reply &reply);

/// The kind of what follows and its size, or nothing where it is no header or more than is allowed.
std::optional<Header> decodeHeader(ByteView bytes);
/// Nothing where the body is not exactly such a one.
std::optional<Request> decodeRequest(ByteView body);
std::optional<LogLine> decodeLog(ByteView body);
std::optional<Reply> decodeReply(ByteView body);

} // namespace meld::wire
