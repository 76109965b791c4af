#include "runtime/host/confinement.h"

#include "runtime/host/descriptor.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace meld {
namespace {

std::atomic<long> gAtStart{-1}; ///< -1: unknown

/// The number behind a word at the start of a line; -1 without one.
long numberOf(const char *text, const char *word) noexcept {
  const char *at = std::strstr(text, word);
  return at ? std::strtol(at + std::strlen(word), nullptr, 10) : -1;
}

/// How many filters the calling thread has; where that is not said, 1 for any.
long filters() noexcept {
  char text[4096];
  Descriptor fd(::open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC));
  const ssize_t size = fd ? ::read(fd.get(), text, sizeof(text) - 1) : -1;
  if (size <= 0)
    return -1;
  text[size] = '\0';
  const long count = numberOf(text, "\nSeccomp_filters:");
  return count >= 0 ? count : numberOf(text, "\nSeccomp:") > 0;
}

} // namespace

void rememberConfinement() noexcept { gAtStart = filters(); }

bool confinedSince() noexcept {
  const long before = gAtStart;
  return before >= 0 && filters() > before;
}

} // namespace meld
