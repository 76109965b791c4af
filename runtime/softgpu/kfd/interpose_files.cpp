// open and friends, fopen, stat and friends, access, close, ioctl: paths and descriptors of ours
// are answered here, everything else goes to the next definition.
//
// glibc's fopen does not call the open we define, so it is stood in for as well. mmap is not: the
// descriptors are memfds.
#include "runtime/softgpu/kfd/descriptors.h"
#include "runtime/softgpu/kfd/driver.h"
#include "runtime/softgpu/kfd/next.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace meld::softgpu;

namespace {

mode_t modeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
}

constexpr uint32_t kKfdMajor = 235, kDrmMajor = 226;

template <class Stat> void describe(const Node &node, Stat *out) {
  std::memset(out, 0, sizeof *out);
  out->st_nlink = 1;
  out->st_blksize = 4096;
  out->st_ino = std::hash<std::string>{}(node.path) | 1;
  switch (node.kind) {
  case Node::Kind::directory:
    out->st_mode = S_IFDIR | 0755;
    break;
  case Node::Kind::kfd:
    out->st_mode = S_IFCHR | 0666;
    out->st_rdev = makedev(kKfdMajor, 0);
    break;
  case Node::Kind::render:
    out->st_mode = S_IFCHR | 0666;
    out->st_rdev = makedev(kDrmMajor, kRenderMinor + node.device);
    break;
  case Node::Kind::file:
    out->st_size = static_cast<off_t>(node.content.size());
    [[fallthrough]];
  case Node::Kind::modules:
    out->st_mode = S_IFREG | 0444;
    break;
  }
}

int checkAccess(const Node &node, int mode) {
  const bool device = node.kind == Node::Kind::kfd || node.kind == Node::Kind::render;
  const bool folder = node.kind == Node::Kind::directory;
  if (((mode & W_OK) && !device) || ((mode & X_OK) && !folder)) {
    errno = EACCES;
    return -1;
  }
  return 0;
}

Next<int (*)(const char *, int, ...)> nextOpen("open"), nextOpen64("open64");
Next<int (*)(int, const char *, int, ...)> nextOpenat("openat"), nextOpenat64("openat64");
Next<int (*)(const char *, int)> nextOpen2("__open_2"), nextOpen642("__open64_2");
Next<int (*)(int, const char *, int)> nextOpenat2("__openat_2"), nextOpenat642("__openat64_2");
Next<FILE *(*)(const char *, const char *)> nextFopen("fopen"), nextFopen64("fopen64");
Next<int (*)(const char *, struct stat *)> nextStat("stat"), nextLstat("lstat");
Next<int (*)(const char *, struct stat64 *)> nextStat64("stat64"), nextLstat64("lstat64");
Next<int (*)(int, struct stat *)> nextFstat("fstat");
Next<int (*)(int, struct stat64 *)> nextFstat64("fstat64");
Next<int (*)(int, const char *, struct stat *, int)> nextFstatat("fstatat");
Next<int (*)(int, const char *, struct stat64 *, int)> nextFstatat64("fstatat64");
Next<int (*)(int, const char *, struct stat *)> nextXstat("__xstat"), nextLxstat("__lxstat");
Next<int (*)(int, const char *, struct stat64 *)> nextXstat64("__xstat64"),
    nextLxstat64("__lxstat64");
Next<int (*)(int, const char *, int, unsigned, struct statx *)> nextStatx("statx");
Next<int (*)(const char *, int)> nextAccess("access"), nextEuidaccess("euidaccess"),
    nextEaccess("eaccess");
Next<int (*)(int, const char *, int, int)> nextFaccessat("faccessat");
Next<char *(*)(const char *, char *)> nextRealpath("realpath");
Next<int (*)(int)> nextClose("close");
Next<int (*)(int, unsigned long, ...)> nextIoctl("ioctl");

FILE *openStream(const Node &node, const char *mode) {
  int flags = std::strpbrk(mode, "wa+") ? O_RDWR : O_RDONLY;
  if (std::strchr(mode, 'e'))
    flags |= O_CLOEXEC;
  const int fd = openNode(node, flags);
  if (fd < 0)
    return nullptr;
  FILE *stream = ::fdopen(fd, mode);
  if (!stream)
    ::close(fd);
  return stream;
}

} // namespace

// --- open
// -------------------------------------------------------------------------------------------------

#define MELD_OPEN(NAME, NEXT)                                                                      \
  MELD_EXPORT int NAME(const char *path, int flags, ...) {                                         \
    if (const Node *node = resolve(path))                                                          \
      return openNode(*node, flags);                                                               \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    const mode_t mode = modeOf(flags, arguments);                                                  \
    va_end(arguments);                                                                             \
    return NEXT(path, flags, mode);                                                                \
  }
MELD_OPEN(open, nextOpen)
MELD_OPEN(open64, nextOpen64)

#define MELD_OPENAT(NAME, NEXT)                                                                    \
  MELD_EXPORT int NAME(int directory, const char *path, int flags, ...) {                          \
    if (const Node *node = resolve(directory, path))                                               \
      return openNode(*node, flags);                                                               \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    const mode_t mode = modeOf(flags, arguments);                                                  \
    va_end(arguments);                                                                             \
    return NEXT(directory, path, flags, mode);                                                     \
  }
MELD_OPENAT(openat, nextOpenat)
MELD_OPENAT(openat64, nextOpenat64)

MELD_EXPORT int __open_2(const char *path, int flags) {
  const Node *node = resolve(path);
  return node ? openNode(*node, flags) : nextOpen2(path, flags);
}
MELD_EXPORT int __open64_2(const char *path, int flags) {
  const Node *node = resolve(path);
  return node ? openNode(*node, flags) : nextOpen642(path, flags);
}
MELD_EXPORT int __openat_2(int directory, const char *path, int flags) {
  const Node *node = resolve(directory, path);
  return node ? openNode(*node, flags) : nextOpenat2(directory, path, flags);
}
MELD_EXPORT int __openat64_2(int directory, const char *path, int flags) {
  const Node *node = resolve(directory, path);
  return node ? openNode(*node, flags) : nextOpenat642(directory, path, flags);
}

MELD_EXPORT FILE *fopen(const char *path, const char *mode) {
  const Node *node = resolve(path);
  return node ? openStream(*node, mode) : nextFopen(path, mode);
}
MELD_EXPORT FILE *fopen64(const char *path, const char *mode) {
  const Node *node = resolve(path);
  return node ? openStream(*node, mode) : nextFopen64(path, mode);
}

// --- stat
// -------------------------------------------------------------------------------------------------

#define MELD_STAT(NAME, STAT, NEXT)                                                                \
  MELD_EXPORT int NAME(const char *path, STAT *out) noexcept {                                     \
    if (const Node *node = resolve(path))                                                          \
      return describe(*node, out), 0;                                                              \
    return NEXT(path, out);                                                                        \
  }
MELD_STAT(stat, struct stat, nextStat)
MELD_STAT(lstat, struct stat, nextLstat)
MELD_STAT(stat64, struct stat64, nextStat64)
MELD_STAT(lstat64, struct stat64, nextLstat64)

#define MELD_XSTAT(NAME, STAT, NEXT)                                                               \
  MELD_EXPORT int NAME(int version, const char *path, STAT *out) noexcept {                        \
    if (const Node *node = resolve(path))                                                          \
      return describe(*node, out), 0;                                                              \
    return NEXT(version, path, out);                                                               \
  }
MELD_XSTAT(__xstat, struct stat, nextXstat)
MELD_XSTAT(__lxstat, struct stat, nextLxstat)
MELD_XSTAT(__xstat64, struct stat64, nextXstat64)
MELD_XSTAT(__lxstat64, struct stat64, nextLxstat64)

#define MELD_FSTATAT(NAME, STAT, NEXT)                                                             \
  MELD_EXPORT int NAME(int directory, const char *path, STAT *out, int flags) noexcept {           \
    if (const Node *node = resolve(directory, path))                                               \
      return describe(*node, out), 0;                                                              \
    return NEXT(directory, path, out, flags);                                                      \
  }
MELD_FSTATAT(fstatat, struct stat, nextFstatat)
MELD_FSTATAT(fstatat64, struct stat64, nextFstatat64)

#define MELD_FSTAT(NAME, STAT, NEXT)                                                               \
  MELD_EXPORT int NAME(int fd, STAT *out) noexcept {                                               \
    if (const Node *node = nodeOf(fd))                                                             \
      return describe(*node, out), 0;                                                              \
    return NEXT(fd, out);                                                                          \
  }
MELD_FSTAT(fstat, struct stat, nextFstat)
MELD_FSTAT(fstat64, struct stat64, nextFstat64)

MELD_EXPORT int statx(int directory, const char *path, int flags, unsigned mask,
                      struct statx *out) noexcept {
  const Node *node = resolve(directory, path);
  if (!node)
    return nextStatx(directory, path, flags, mask, out);
  struct stat plain;
  describe(*node, &plain);
  std::memset(out, 0, sizeof *out);
  out->stx_mask = STATX_BASIC_STATS;
  out->stx_mode = static_cast<uint16_t>(plain.st_mode);
  out->stx_nlink = 1;
  out->stx_ino = plain.st_ino;
  out->stx_size = static_cast<uint64_t>(plain.st_size);
  out->stx_blksize = 4096;
  out->stx_rdev_major = major(plain.st_rdev);
  out->stx_rdev_minor = minor(plain.st_rdev);
  return 0;
}

MELD_EXPORT int access(const char *path, int mode) noexcept {
  const Node *node = resolve(path);
  return node ? checkAccess(*node, mode) : nextAccess(path, mode);
}
MELD_EXPORT int euidaccess(const char *path, int mode) noexcept {
  const Node *node = resolve(path);
  return node ? checkAccess(*node, mode) : nextEuidaccess(path, mode);
}
MELD_EXPORT int eaccess(const char *path, int mode) noexcept {
  const Node *node = resolve(path);
  return node ? checkAccess(*node, mode) : nextEaccess(path, mode);
}
MELD_EXPORT int faccessat(int directory, const char *path, int mode, int flags) noexcept {
  const Node *node = resolve(directory, path);
  return node ? checkAccess(*node, mode) : nextFaccessat(directory, path, mode, flags);
}

MELD_EXPORT char *realpath(const char *path, char *out) noexcept {
  const Node *node = resolve(path);
  if (!node)
    return nextRealpath(path, out);
  return out ? std::strcpy(out, node->path.c_str()) : ::strdup(node->path.c_str());
}

// --- descriptors
// ------------------------------------------------------------------------------------------

MELD_EXPORT int close(int fd) {
  forget(fd); // before the number can be used again
  return nextClose(fd);
}

MELD_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  const Node *node = nodeOf(fd);
  if (!node)
    return nextIoctl(fd, request, argument);
  int result = -ENOTTY;
  if (node->kind == Node::Kind::kfd) {
    Driver *driver = Driver::current();
    // A descriptor inherited over a fork: the device's owner is the parent. The thunk opens it
    // anew.
    result = driver ? driver->ioctl(request, argument) : -EBADF;
  } else if (node->kind == Node::Kind::render) {
    result = -EINVAL;
  }
  if (result < 0) {
    errno = -result;
    return -1;
  }
  return 0;
}
