#include "runtime/cache/lock.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace meld {
namespace {

constexpr std::chrono::milliseconds kLongestPause{20};

bool stillNamed(int directory, const std::string &name, int fd) {
  struct stat open, named;
  return !fstat(fd, &open) && !fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

struct flock wholeFile() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET; // l_len 0: to the end, wherever that is
  return range;
}

/// By proc(5): the letter behind the name in parentheses, in which there may be more of them.
bool isStopped(pid_t process) {
  char path[32], text[512];
  std::snprintf(path, sizeof(path), "/proc/%d/stat", int(process));
  Descriptor fd(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t size = fd ? ::read(fd.get(), text, sizeof(text) - 1) : -1;
  if (size <= 0)
    return false;
  text[size] = '\0';
  const char *end = std::strrchr(text, ')');
  return end && end[1] == ' ' && std::strchr("TtZX", end[2]) && end[2];
}

/// 0: nobody. Not positive: somebody of another PID namespace.
pid_t holderOf(int fd) {
  struct flock range = wholeFile();
  return !::fcntl(fd, F_GETLK, &range) && range.l_type != F_UNLCK ? range.l_pid : 0;
}

/// The holder is known (of this PID namespace) and does not run.
bool holderIsStopped(int fd) {
  const pid_t holder = holderOf(fd);
  // A holder that has just ended is seen as a zombie after it has let go: only who still has the lock counts.
  return holder > 0 && isStopped(holder) && holderOf(fd) == holder;
}

} // namespace

FileLock FileLock::acquire(Descriptor folder, const std::string &name,
                           std::chrono::milliseconds wait, const std::atomic<bool> *stop) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + wait;
  std::chrono::milliseconds pause{1};
  for (;;) {
    Descriptor fd(::openat(folder.get(), name.c_str(),
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
    if (!fd)
      return {};
    for (;;) {
      struct flock range = wholeFile();
      if (!::fcntl(fd.get(), F_SETLK, &range))
        break;
      if (errno != EAGAIN && errno != EACCES && errno != EINTR)
        return {};
      if (Clock::now() >= deadline || (stop && *stop) || holderIsStopped(fd.get()))
        return {};
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
    }
    if (!stillNamed(folder.get(), name, fd.get()))
      continue; // the holder before us removed it
    FileLock lock;
    lock.folder_ = std::move(folder);
    lock.file_ = std::move(fd);
    lock.name_ = name;
    return lock;
  }
}

FileLock &FileLock::operator=(FileLock &&other) noexcept {
  if (this != &other) {
    release();
    folder_ = std::move(other.folder_);
    file_ = std::move(other.file_);
    name_ = std::move(other.name_);
  }
  return *this;
}

FileLock::~FileLock() { release(); }

void FileLock::release() noexcept {
  if (!file_)
    return;
  // Where the application has closed the file the lock went with it, and another may have it.
  if (file_.isStillOurs() && folder_.isStillOurs() && stillNamed(folder_.get(), name_, file_.get()))
    ::unlinkat(folder_.get(), name_.c_str(), 0);
  file_ = Descriptor(); // the lock goes with it
  folder_ = Descriptor();
}

} // namespace meld
