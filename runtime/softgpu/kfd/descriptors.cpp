#include "runtime/softgpu/kfd/descriptors.h"

#include "runtime/softgpu/kfd/driver.h"
#include "runtime/write.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

/// What openNode() made of a number. `device` and `inode` are written before `node`.
struct Opened {
  std::atomic<const Node *> node;
  std::atomic<uint64_t> device, inode;
};

constexpr int kMaxDescriptor = 65536;
Opened table[kMaxDescriptor]; // zero pages until used

/// The kernel's own answer: the library's fstat is ours.
bool fileBehind(int fd, uint64_t &device, uint64_t &inode) {
  struct stat now;
  const int before = errno;
  const bool known = ::syscall(SYS_fstat, fd, &now) == 0;
  errno = before;
  if (known) {
    device = now.st_dev;
    inode = now.st_ino;
  }
  return known;
}

/// A descriptor from which `content` can be read.
int contentDescriptor(const std::string &content, int flags) {
  const int fd = ::memfd_create("meld-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd < 0)
    return -1;
  if (const int error = writeAll(fd, content)) {
    ::syscall(SYS_close, fd);
    errno = error; // EFBIG where the process has a file-size limit
    return -1;
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

/// /proc/modules with our module in front. Read with plain system calls: the library's open is
/// ours.
std::string modules() {
  std::string text = "amdgpu 8192000 0 - Live 0x0000000000000000\n";
  const long fd = ::syscall(SYS_openat, AT_FDCWD, "/proc/modules", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(static_cast<int>(fd), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::syscall(SYS_close, fd);
  return text;
}

} // namespace

const Node *nodeOf(int fd) {
  if (fd < 0 || fd >= kMaxDescriptor)
    return nullptr;
  Opened &opened = table[fd];
  const Node *node = opened.node.load(std::memory_order_acquire);
  if (!node) [[likely]]
    return nullptr;
  uint64_t device, inode;
  if (fileBehind(fd, device, inode) && device == opened.device.load(std::memory_order_relaxed) &&
      inode == opened.inode.load(std::memory_order_relaxed))
    return node;
  // Another thread may have opened a node of ours under this number in the meantime: that stays.
  opened.node.compare_exchange_strong(node, nullptr, std::memory_order_acq_rel);
  return nullptr;
}

void forget(int fd) {
  if (fd >= 0 && fd < kMaxDescriptor && table[fd].node.load(std::memory_order_relaxed))
    table[fd].node.store(nullptr, std::memory_order_release);
}

int openNode(const Node &node, int flags) {
  const bool device = node.kind == Node::Kind::kfd || node.kind == Node::Kind::render;
  if (!device && (flags & O_ACCMODE) != O_RDONLY) {
    errno = node.kind == Node::Kind::directory ? EISDIR : EACCES;
    return -1;
  }
  if ((flags & O_DIRECTORY) && node.kind != Node::Kind::directory) {
    errno = ENOTDIR;
    return -1;
  }
  int fd = -1;
  switch (node.kind) {
  case Node::Kind::kfd:
  case Node::Kind::render: {
    Driver *driver = Driver::open();
    if (!driver)
      return -1;
    fd = node.kind == Node::Kind::kfd ? driver->kfdDescriptor() : driver->renderDescriptor();
    break;
  }
  case Node::Kind::modules:
    fd = contentDescriptor(modules(), flags);
    break;
  case Node::Kind::file:
  case Node::Kind::directory:
    fd = contentDescriptor(node.content, flags);
    break;
  }
  if (fd < 0)
    return fd;
  uint64_t inode, memory;
  if (fd >= kMaxDescriptor || !fileBehind(fd, memory, inode)) {
    ::syscall(SYS_close, fd);
    errno = EMFILE;
    return -1;
  }
  Opened &opened = table[fd];
  opened.device.store(memory, std::memory_order_relaxed);
  opened.inode.store(inode, std::memory_order_relaxed);
  opened.node.store(&node, std::memory_order_release);
  return fd;
}

const Node *resolve(int directory, const char *path) {
  if (!path)
    return nullptr;
  if (path[0] == '/')
    return Tree::maybe(path) ? Tree::process().find(path) : nullptr;
  if (directory == AT_FDCWD)
    return nullptr;
  const Node *folder = nodeOf(directory);
  if (!folder || folder->kind != Node::Kind::directory)
    return nullptr;
  return Tree::process().find(folder->path + "/" + path);
}

} // namespace meld::softgpu
