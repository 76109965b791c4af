// read(2) and pread(2) to the end of what is asked for: the twin of write.h.
#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <sys/types.h>
#include <unistd.h>

namespace meld {

/// `size` bytes from `offset` on, or from where the descriptor stands. How many came: fewer where
/// the file ends before. -1 where reading fails; errno says why. No memory, any thread.
inline ssize_t readAll(int descriptor, void *to, size_t size,
                       std::optional<off_t> offset = std::nullopt) noexcept {
  size_t have = 0;
  while (have < size) {
    void *const at = static_cast<char *>(to) + have;
    const ssize_t got = offset ? ::pread(descriptor, at, size - have, *offset + off_t(have))
                               : ::read(descriptor, at, size - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    have += size_t(got);
  }
  return ssize_t(have);
}

} // namespace meld
