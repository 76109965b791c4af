// Cross-process single flight: one file per key, flock(2), a bounded wait.
//
// The kernel drops the lock when its holder dies, so a lock never outlives a killed compile. The
// file is removed on release; whoever waited on the removed file notices (its inode is no longer
// the named one) and starts over. After the wait the caller goes on without the lock: duplicated
// work is fine, a hang is not.
#pragma once

#include "runtime/cache/directory.h"

#include <chrono>

namespace meld {

class FileLock {
public:
  FileLock() = default;
  FileLock(FileLock &&) noexcept = default;
  FileLock &operator=(FileLock &&) noexcept;
  ~FileLock();
  bool held() const { return static_cast<bool>(file_); }

  /// Not held when the wait ran out or the file system has no locks. `directory` must outlive the
  /// lock.
  static FileLock acquire(const Descriptor &directory, const std::string &name,
                          std::chrono::milliseconds wait);

private:
  void release() noexcept;
  Descriptor file_;
  int directory_ = -1;
  std::string name_;
};

} // namespace meld
