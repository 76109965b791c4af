#include "runtime/host/descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

namespace meld {

std::optional<FileIdentity> FileIdentity::of(int fd) noexcept {
  struct statx info {};
  if (::syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &info) == 0)
    return FileIdentity{info.stx_dev_major,     info.stx_dev_minor,
                        info.stx_rdev_major,    info.stx_rdev_minor,
                        info.stx_ino,           info.stx_btime.tv_sec,
                        info.stx_btime.tv_nsec, uint32_t(info.stx_mode & S_IFMT)};
  if (errno == EBADF)
    return std::nullopt;
  struct stat old; // a kernel or a filter that does not know statx
  if (::fstat(fd, &old))
    return std::nullopt;
  return FileIdentity{major(old.st_dev),
                      minor(old.st_dev),
                      major(old.st_rdev),
                      minor(old.st_rdev),
                      old.st_ino,
                      0,
                      0,
                      uint32_t(old.st_mode & S_IFMT)};
}

Descriptor::Descriptor(int fd) noexcept : fd_(fd) {
  if (fd_ < 0)
    return;
  const int error = errno;
  if (fd_ <= STDERR_FILENO) {
    const int above = ::fcntl(fd_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(fd_);
    fd_ = above;
  }
  if (auto identity = FileIdentity::of(fd_))
    identity_ = *identity;
  errno = error;
}

Descriptor::Descriptor(Descriptor &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), identity_(other.identity_) {}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  if (this != &other) {
    (void)close();
    fd_ = std::exchange(other.fd_, -1);
    identity_ = other.identity_;
  }
  return *this;
}

Descriptor::~Descriptor() {
  const int error = errno;
  (void)close();
  errno = error;
}

bool Descriptor::isStillOurs() const noexcept {
  return fd_ >= 0 && FileIdentity::of(fd_) == identity_;
}

int Descriptor::close() noexcept {
  const bool ours = isStillOurs();
  const int fd = std::exchange(fd_, -1);
  return ours && ::close(fd) ? errno : 0;
}

} // namespace meld
