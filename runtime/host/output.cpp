#include "runtime/host/output.h"

#include "runtime/host/text.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace meld {
namespace {

/// /dev/null and its kin: memory devices (major 1) that swallow or refuse what is written.
bool swallows(dev_t device) {
  constexpr unsigned memory = 1, null = 3, zero = 5, full = 7;
  return major(device) == memory &&
         (minor(device) == null || minor(device) == zero || minor(device) == full);
}

/// Files that are switches of the kernel.
bool ofKernel(int fd) {
  struct statfs system;
  if (::fstatfs(fd, &system))
    return false;
  const auto type = static_cast<unsigned long>(system.f_type);
  return type == PROC_SUPER_MAGIC || type == SYSFS_MAGIC || type == DEBUGFS_MAGIC ||
         type == CGROUP_SUPER_MAGIC || type == CGROUP2_SUPER_MAGIC || type == SECURITYFS_MAGIC;
}

bool accepted(int fd, const struct stat &info) {
  switch (info.st_mode & S_IFMT) {
  case S_IFREG:
    return !ofKernel(fd);
  case S_IFIFO:
    return true;
  case S_IFCHR:
    return swallows(info.st_rdev) || ::isatty(fd);
  default:
    return false;
  }
}

} // namespace

Result<Descriptor> openOutput(const std::string &path, bool append) {
  // O_TRUNC comes later: only what is accepted is emptied.
  Descriptor fd(::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (append ? O_APPEND : 0), 0600));
  if (!fd) {
    if (errno == ENXIO) // what Linux says of a pipe without a reader and of a socket
      return fail(ErrorCode::io, path + ": nobody reads it");
    return fail(ErrorCode::io, errnoText(path, errno));
  }
  struct stat info;
  if (::fstat(fd.get(), &info))
    return fail(ErrorCode::io, errnoText(path, errno));
  if (!accepted(fd.get(), info))
    return fail(ErrorCode::badInput, path + ": not a file for output");
  if (!append && S_ISREG(info.st_mode) && ::ftruncate(fd.get(), 0))
    return fail(ErrorCode::io, errnoText(path, errno));
  return fd;
}

} // namespace meld
