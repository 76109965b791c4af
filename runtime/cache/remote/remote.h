// A store of cache entries on another machine: Redis or an HTTP server that many nodes share.
//
//   redis://[[user:]password@]host[:port][/db]      GET, SET, SET NX EX
//   redis+unix:///path/of/socket[?db=N]
//   http[s]://[user:password@]host[:port][/folder]  GET, PUT, HEAD, as ccache and sccache use them
//
// A key is 3 to 128 of [0-9a-zA-Z._-], begins with no dot and does not end in ".claim". It names
// meld:KEY in Redis and folder/KE/Y of an HTTP server, the first two characters being a folder
// (ccache's "subdirs"). What is stored is bytes: whether they are an entry, the reader's checks tell,
// as with any file.
//
// Each call waits for the network, up to connect + request milliseconds, whatever the server does:
// none is made where an application waits. In an application's process only the proxy of process.h
// is used; openRemote() lies in meld-remote, the one program that loads the client libraries.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace meld {

struct RemoteLimits {
  std::chrono::milliseconds connect{1000}; ///< to be connected
  std::chrono::milliseconds request{2000}; ///< for everything else of one call, redirects included
  /// More, for the call that starts meld-remote: on a node where everybody starts at once that may
  /// take long.
  std::chrono::milliseconds start{5000};
  std::size_t entryBytes = std::size_t(64) << 20; ///< of one entry, both ways
  unsigned failures = 3; ///< of the store, one behind the other, until the proxy switches it off
};

/// Thread rule: one thread at a time per object, but for cancel().
/// Errors of all calls: io (no server, refused, too late, broken off, full, switched off), badInput (a
/// key that is none, an answer that is none, more than entryBytes), unsupported.
class RemoteStore {
public:
  virtual ~RemoteStore() = default;
  /// Nothing: it is not there.
  virtual Result<std::optional<Bytes>> get(std::string_view key) = 0;
  virtual Result<bool> has(std::string_view key) = 0;
  virtual Result<void> put(std::string_view key, ByteView bytes) = 0;

  /// Single flight across nodes. True: ours to compile; false: somebody else has claimed it less than
  /// `expiry` ago. Nobody waits for the other: it may have died. unsupported: the server cannot tell
  /// (an HTTP server that ignores If-None-Match); then everybody compiles.
  virtual Result<bool> claim(std::string_view key, std::chrono::seconds expiry) = 0;
  /// Gives back what claim() gave to this object; what others have claimed meanwhile stays theirs.
  virtual Result<void> release(std::string_view key) = 0;

  /// Closes connections; the next call makes new ones. Where nothing is to be done for a while: a
  /// server has room for so many only.
  virtual void rest() noexcept {}
  /// The store has been switched off: each call fails at once from now on.
  virtual bool off() const noexcept { return false; }
  /// Any thread: a call that runs comes back with an error at once, and so does each later one.
  virtual void cancel() noexcept {}
};

/// In meld-remote alone. Does not connect. `token` marks the claims of this object: others with the
/// same one may release them. Errors: badInput (no such URL), unsupported (built without the library
/// that this URL needs).
Result<std::unique_ptr<RemoteStore>> openRemote(std::string_view url, const RemoteLimits &limits,
                                                std::string_view token);

} // namespace meld
