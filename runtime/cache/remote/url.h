// The URL of a remote store (remote.h), in its parts.
//
//   redis://:secret@cache.example:6379/2   ->  redis, password "secret", host, port 6379, database 2
//   http://[::1]:8080/meld                 ->  http, host "[::1]", port 8080, path "/meld"
//
// Source: RFC 3986. Refused: other schemes, queries but for ?db=N of redis+unix, fragments, blanks and
// control characters, more than 4096 bytes.
// Thread rule: pure functions.
#pragma once

#include "runtime/result.h"

#include <string>
#include <string_view>

namespace meld {

struct RemoteUrl {
  enum class Kind { redis, redisUnix, http };
  Kind kind = Kind::redis;
  std::string scheme;         ///< lower case
  std::string user, password; ///< decoded; empty: none
  std::string host;           ///< with the brackets of an IPv6 address; empty for redisUnix
  unsigned port = 0;          ///< 0: none named
  unsigned database = 0;      ///< of Redis
  std::string path;           ///< of the socket, or of the folder without a slash at its end
};

/// Errors: badInput. The message holds neither user nor password.
Result<RemoteUrl> parseRemoteUrl(std::string_view url);

/// The URL for a message or a page: without user and password, whether it is a right one or not.
std::string shownUrl(std::string_view url);

/// Errors: badInput (no key as remote.h describes it).
Result<void> checkRemoteKey(std::string_view key);

/// A claim of a key is an entry of the server's with this behind it.
inline constexpr std::string_view kClaimEnding = ".claim";

} // namespace meld
