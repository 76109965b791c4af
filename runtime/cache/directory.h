// Folders and files of the cache, reached only through descriptors: no path is walked twice, no
// symbolic link is followed, nothing is mapped.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <sys/types.h>

namespace meld {

/// Owns a descriptor.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

private:
  int fd_ = -1;
};

/// Opens the cache folder. Refused (badInput): a relative path, a symbolic link, something that is
/// not a folder, a folder of another user, a folder that group or others can write. With `create`
/// missing folders are made, 0700. Errors: notFound (only without `create`), io.
Result<Descriptor> openCacheDirectory(const std::string &path, bool create);

/// A folder below one that was opened so; the same rules. errno-style: notFound or io.
Result<Descriptor> openSubdirectory(const Descriptor &parent, const std::string &name, bool create);

/// A regular file of ours, read whole. Errors: notFound, io, badInput (symbolic link, not a regular
/// file, not ours, larger than `limit`, shorter than it said).
Result<Bytes> readFileAt(const Descriptor &directory, const std::string &name, uint64_t limit);

/// Writes a temporary file in the folder (0600) and renames it: a reader sees all of it or nothing.
Result<void> writeFileAt(const Descriptor &directory, const std::string &name, ByteView bytes);

/// Names in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> namesIn(const Descriptor &directory);

/// Temporary files carry this prefix.
inline constexpr std::string_view kTemporaryPrefix = ".tmp.";

std::string errnoText(const std::string &what, int error);

} // namespace meld
