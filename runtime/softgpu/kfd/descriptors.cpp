#include "runtime/softgpu/kfd/descriptors.h"

#include "runtime/softgpu/kfd/driver.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

constexpr int kMaxDescriptor = 65536;
std::atomic<const Node *> table[kMaxDescriptor]; // zero pages until used

/// A descriptor from which `content` can be read.
int contentDescriptor(const std::string &content, int flags) {
  const int fd = ::memfd_create("meld-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (fd < 0)
    return -1;
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n <= 0) {
      ::syscall(SYS_close, fd);
      return -1;
    }
    done += static_cast<size_t>(n);
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
  return fd >= 0 && fd < kMaxDescriptor ? table[fd].load(std::memory_order_acquire) : nullptr;
}

void forget(int fd) {
  if (fd >= 0 && fd < kMaxDescriptor && table[fd].load(std::memory_order_relaxed))
    table[fd].store(nullptr, std::memory_order_release);
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
  if (fd >= kMaxDescriptor) {
    ::syscall(SYS_close, fd);
    errno = EMFILE;
    return -1;
  }
  if (fd >= 0)
    table[fd].store(&node, std::memory_order_release);
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
