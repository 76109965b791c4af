// A server of cache entries in memory, which tests slow down, break, and look into. Any thread.
#pragma once

#include "runtime/cache/remote/remote.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace meld::test {

struct FakeServer {
  std::mutex lock;
  std::map<std::string, Bytes> entries;
  std::map<std::string, std::pair<int, std::chrono::steady_clock::time_point>>
      claims;                       ///< who, until
  std::atomic<bool> stopped{false}; ///< nothing comes back until it is false, or cancelled
  bool dead = false, full = false, lies = false;
  bool claimsUnknown = false; ///< as an HTTP server that cannot tell
  std::atomic<int> gets{0}, puts{0}, asked{0}, stores{0};

  size_t size() {
    std::lock_guard guard(lock);
    return entries.size();
  }
};

class FakeStore : public RemoteStore {
public:
  explicit FakeStore(FakeServer &server) : server_(server), number_(++server.stores) {}

  Result<std::optional<Bytes>> get(std::string_view key) override {
    ++server_.gets;
    MELD_TRY(answers());
    std::lock_guard guard(server_.lock);
    const auto known = server_.entries.find(std::string(key));
    if (known == server_.entries.end())
      return std::nullopt;
    Bytes bytes = known->second;
    if (server_.lies && !bytes.empty())
      bytes[bytes.size() / 2] ^= 0x10;
    return bytes;
  }
  Result<bool> has(std::string_view key) override {
    MELD_TRY(answers());
    std::lock_guard guard(server_.lock);
    return server_.entries.count(std::string(key)) != 0;
  }
  Result<void> put(std::string_view key, ByteView bytes) override {
    ++server_.puts;
    MELD_TRY(answers());
    if (server_.full)
      return fail(ErrorCode::io, "fake: full");
    std::lock_guard guard(server_.lock);
    server_.entries[std::string(key)] = Bytes(bytes.begin(), bytes.end());
    return {};
  }
  Result<bool> claim(std::string_view key, std::chrono::seconds expiry) override {
    MELD_TRY(answers());
    if (server_.claimsUnknown)
      return fail(ErrorCode::unsupported, "fake: no claims");
    std::lock_guard guard(server_.lock);
    const auto now = std::chrono::steady_clock::now();
    auto &claim = server_.claims[std::string(key)];
    if (claim.first && claim.first != number_ && claim.second > now)
      return false;
    claim = {number_, now + expiry};
    return true;
  }
  Result<void> release(std::string_view key) override {
    MELD_TRY(answers());
    std::lock_guard guard(server_.lock);
    const auto known = server_.claims.find(std::string(key));
    if (known != server_.claims.end() && known->second.first == number_)
      server_.claims.erase(known);
    return {};
  }
  bool off() const noexcept override { return failures_ >= 3; }
  void cancel() noexcept override { cancelled_ = true; }

private:
  /// As the real one, three failures in a row switch it off.
  Result<void> answers() {
    ++server_.asked;
    while (!cancelled_ && server_.stopped)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (server_.dead || cancelled_ || off()) {
      ++failures_;
      return fail(ErrorCode::io, "fake: no server");
    }
    failures_ = 0;
    return {};
  }

  FakeServer &server_;
  const int number_;
  std::atomic<int> failures_{0};
  std::atomic<bool> cancelled_{false};
};

} // namespace meld::test
