// Cross-process single flight: one file per key, a POSIX record lock (fcntl F_SETLK), a bounded
// wait.
//
// The lock belongs to the process. The kernel drops it when the process ends, however it ends; a
// child that was forked meanwhile does not have it, as it would have a lock of flock(2) or an
// "open file description" lock, and so cannot keep it. A holder that was stopped (SIGSTOP, a
// debugger) may never go on: nobody waits for it. Whoever does not get the lock goes on without it:
// duplicated work is fine, a hang is not.
//
// The file is removed on release; whoever waited on the removed file notices (its inode is no
// longer the named one) and starts over. Two locks of one process do not exclude each other, and
// where it holds one key twice, letting go of one lets go of both: the engine compiles a key once.
#pragma once

#include "runtime/cache/directory.h"

#include <atomic>
#include <chrono>

namespace meld {

class FileLock {
public:
  FileLock() = default;
  FileLock(FileLock &&) noexcept = default;
  FileLock &operator=(FileLock &&) noexcept;
  ~FileLock();
  bool held() const { return static_cast<bool>(file_); }

  /// Not held when the wait ran out, when `stop` became true, when the holder is stopped, or when
  /// the file system has no locks.
  static FileLock acquire(Descriptor folder, const std::string &name,
                          std::chrono::milliseconds wait, const std::atomic<bool> *stop = nullptr);

private:
  void release() noexcept;
  Descriptor folder_, file_;
  std::string name_;
};

} // namespace meld
