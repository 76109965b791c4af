#include "runtime/cache/lock.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace meld {
namespace {

bool stillNamed(int directory, const std::string &name, int fd) {
  struct stat open, named;
  return !fstat(fd, &open) && !fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

} // namespace

FileLock FileLock::acquire(const Descriptor &directory, const std::string &name,
                           std::chrono::milliseconds wait) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + wait;
  std::chrono::milliseconds pause{1};
  for (;;) {
    Descriptor fd(
        ::openat(directory.get(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd)
      return {};
    for (;;) {
      if (!::flock(fd.get(), LOCK_EX | LOCK_NB))
        break;
      if (errno != EWOULDBLOCK && errno != EINTR)
        return {};
      if (Clock::now() >= deadline)
        return {};
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::milliseconds(20));
    }
    if (!stillNamed(directory.get(), name, fd.get()))
      continue; // the holder before us removed it
    FileLock lock;
    lock.file_ = std::move(fd);
    lock.directory_ = directory.get();
    lock.name_ = name;
    return lock;
  }
}

FileLock &FileLock::operator=(FileLock &&other) noexcept {
  if (this != &other) {
    release();
    file_ = std::move(other.file_);
    directory_ = other.directory_;
    name_ = std::move(other.name_);
  }
  return *this;
}

FileLock::~FileLock() { release(); }

void FileLock::release() noexcept {
  if (!file_)
    return;
  ::unlinkat(directory_, name_.c_str(), 0);
  // Explicitly: a child forked meanwhile shares the open file and would keep the lock.
  ::flock(file_.get(), LOCK_UN);
  file_ = Descriptor();
}

} // namespace meld
