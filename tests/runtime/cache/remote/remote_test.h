// What the tests of remote stores share: opening one by the real meld-remote, its log, some bytes.
#pragma once

#include "runtime/cache/remote/process.h"
#include "runtime/log/log.h"
#include "tests/runtime/cache/remote/faulty.h"

#include <fstream>
#include <gtest/gtest.h>

namespace meld::test {

inline std::chrono::milliseconds longer(int ms) { return std::chrono::milliseconds(patience(ms)); }

/// Longer than any answer takes on a busy machine.
inline RemoteLimits patient() {
  RemoteLimits limits;
  limits.connect = longer(20000);
  limits.request = longer(60000);
  limits.start = longer(20000);
  return limits;
}
/// For servers that do not answer: the error is waited for.
inline RemoteLimits impatient() {
  RemoteLimits limits;
  limits.connect = limits.request = std::chrono::milliseconds(150);
  limits.start = longer(1000);
  return limits;
}

inline std::unique_ptr<RemoteStore> open(const std::string &url,
                                         const RemoteLimits &limits = patient(),
                                         const std::string &folder = MELD_LIB_DIR) {
  auto store = openRemoteProcess(folder, url, limits);
  EXPECT_TRUE(store) << (store ? "" : store.error().message);
  return store ? std::move(*store) : nullptr;
}

/// The same for the same seed; every byte value comes up.
inline Bytes someBytes(size_t size, uint32_t seed = 1) {
  Bytes bytes(size);
  for (uint8_t &byte : bytes)
    byte = uint8_t((seed = seed * 1664525 + 1013904223) >> 24);
  return bytes;
}

inline std::string keyOf(unsigned number) {
  char text[65];
  std::snprintf(text, sizeof text, "%08x%056x", number * 2654435761u, number);
  return text;
}

template <class T> std::string errorOf(const Result<T> &result) {
  return result ? "" : result.error().message;
}

/// The log while it lives.
class LogFile {
public:
  explicit LogFile(log::Level level = log::Level::info) { log::configure(int(level), path_); }
  ~LogFile() { log::configure(int(log::Level::off), ""); }
  std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Lines that hold `part`.
  int count(const std::string &part) const {
    std::ifstream in(path_);
    int lines = 0;
    for (std::string line; std::getline(in, line);)
      lines += line.find(part) != std::string::npos;
    return lines;
  }

private:
  Scratch scratch_;
  const std::string path_ = scratch_.file("log");
};

} // namespace meld::test
