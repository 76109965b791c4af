// Descriptors of ours in a process that is not ours.
//
// An application may close numbers that it did not open (closefrom(3), daemons) and get them again
// for files of its own. So a number is used and closed only while it still stands for the file that
// we opened: device, inode and type are compared. And an application that runs with 0, 1 or 2
// closed writes its output to whatever has these numbers: ours move above them at once.
//
// What is not covered: a close by another thread between our look and our use.
#pragma once

#include <cstdint>
#include <optional>

namespace meld {

/// What an open descriptor stands for. With the time of its making, where the file system knows it:
/// numbers of inodes are used again.
struct FileIdentity {
  uint32_t deviceMajor = 0, deviceMinor = 0; ///< that the file is on
  uint32_t specialMajor = 0, specialMinor = 0;
  uint64_t inode = 0;
  int64_t bornSeconds = 0;
  uint32_t bornNanoseconds = 0;
  uint32_t type = 0; ///< S_IFMT part of the mode
  bool operator==(const FileIdentity &) const = default;
  /// Nothing when `fd` is closed. Asks the kernel itself: the software GPU answers fstat() for
  /// descriptors of its own.
  static std::optional<FileIdentity> of(int fd) noexcept;
};

/// Owns a descriptor. Thread rule: one thread at a time.
class Descriptor {
public:
  Descriptor() = default;
  /// Takes `fd` over, and moves it above 2. Negative: none; errno stays what it was then.
  explicit Descriptor(int fd) noexcept;
  Descriptor(Descriptor &&other) noexcept;
  Descriptor &operator=(Descriptor &&other) noexcept;
  /// Closes it while it is ours. errno stays what it was.
  ~Descriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// The number still stands for the file that it was given for. For those that are kept while the
  /// application goes on.
  bool isStillOurs() const noexcept;
  /// 0, or the errno of the close: where some file systems report a full quota.
  int close() noexcept;

private:
  int fd_ = -1;
  FileIdentity identity_{};
};

} // namespace meld
