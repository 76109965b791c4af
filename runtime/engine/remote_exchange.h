// Talks to a remote store on a thread of its own: the application never waits for the network.
//
//   engine                                    the thread                     the store
//   lookUp(key)   a load has missed    -->    get
//                                             found   -> received(key, bytes)
//                                             missing -> missing(key)       the engine compiles then
//   claim(key)    before a compile     -->    claim, get (the compile thread waits, within the limits)
//   await(key)    somebody else's      -->    get, again and again, until it is there; when the claim
//                                             has run out: missing(key), and who asks first has it then
//   put(key)      it is compiled       -->    put, release
//
// Why nobody waits for a dead process: a claim runs out (Callbacks::claim), and is all that anyone looks at.
// Bounds: kMostWaiting keys, kMostBytes waiting to be sent; what is more is not sent. A store that has
// switched itself off (RemoteStore::off()) or cannot be opened is not asked again in this process, and
// everything that waits for it is answered as missing.
//
// Thread rule: any thread, but the callbacks come on the exchange's own. The thread is started by the
// first call, and sleeps while there is nothing to do. Nothing is called back once finish() or the
// destructor has returned.
#pragma once

#include "runtime/cache/key.h"
#include "runtime/cache/remote/remote.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace meld {

class RemoteExchange {
public:
  static constexpr size_t kMostWaiting = 4096;
  static constexpr uint64_t kMostBytes = uint64_t(64) << 20;

  struct Callbacks {
    std::chrono::seconds claim{30}; ///< how long a claim lasts, in seconds as stores have them
    std::function<Result<std::unique_ptr<RemoteStore>>()> open;
    /// The bytes may be anything. False: they are no use, and the key is missing.
    std::function<bool(const CacheKey &, Bytes)> received;
    std::function<void(const CacheKey &)> missing;
    std::function<void(const std::string &)> warn; ///< once, when the store cannot be opened
  };
  explicit RemoteExchange(Callbacks callbacks);
  ~RemoteExchange();
  RemoteExchange(const RemoteExchange &) = delete;
  RemoteExchange &operator=(const RemoteExchange &) = delete;

  /// False: given up, or no thread.
  bool usable() const noexcept;
  /// False: nobody will ask for it, and nothing is called back.
  bool lookUp(const CacheKey &key);
  /// As lookUp(), for a key that somebody else has claimed.
  bool await(const CacheKey &key);

  enum class Claim : uint8_t { ours, theirs, unknown };
  /// Waits for the store's answer. unknown: it cannot tell. With `ours` comes what another process has
  /// put there since the key was looked up.
  struct Claimed {
    Claim whose = Claim::unknown;
    std::optional<Bytes> file = {};
  };
  Claimed claim(const CacheKey &key);
  /// What was claimed is not made.
  void release(const CacheKey &key);
  void put(const CacheKey &key, Bytes file);

  /// Waits that long for what is to be sent; then nothing more is done, what runs is broken off, and
  /// nothing is called back.
  void finish(std::chrono::milliseconds wait) noexcept;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace meld
