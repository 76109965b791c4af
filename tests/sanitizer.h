// What tests do about sanitizers; nothing in other builds. See cmake/MeldSanitizers.cmake.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

namespace meld::test {

/// Environment of a program that is not instrumented and has `libraries` as LD_PRELOAD (empty:
/// none): the sanitizer's own library has to be the first in the process, and what such programs
/// leave allocated at their end is not ours.
inline std::map<std::string, std::string> preloaded(const std::string &libraries) {
  std::map<std::string, std::string> environment;
  if (!libraries.empty())
    environment["LD_PRELOAD"] = libraries;
  if (const char *sanitizer = std::getenv("TEST_SANITIZER_LIBRARY")) {
    environment["LD_PRELOAD"] = sanitizer + (libraries.empty() ? "" : ":" + libraries);
    const char *options = std::getenv("ASAN_OPTIONS");
    environment["ASAN_OPTIONS"] = (options ? options : "") + std::string(":detect_leaks=0");
  }
  return environment;
}

/// A time limit in seconds, longer where every program is several times slower.
inline int patience(int seconds) {
  const char *slowdown = std::getenv("TEST_SLOWDOWN");
  const int factor = slowdown ? std::atoi(slowdown) : 1;
  return seconds * (factor > 1 ? factor : 1);
}

} // namespace meld::test
