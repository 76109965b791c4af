#include "runtime/softgpu/execute/safe_read.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

constexpr uint64_t kPage = 4096;

// Where a sandbox forbids process_vm_readv: write() to a pipe gives EFAULT for unmapped memory,
// too.
size_t readThroughPipe(uint64_t address, uint8_t *out, size_t size) {
  int fd[2];
  if (pipe(fd) != 0)
    return 0;
  size_t done = 0;
  while (done < size) {
    size_t n = std::min<uint64_t>(size - done, kPage - (address + done) % kPage);
    ssize_t put = write(fd[1], reinterpret_cast<const void *>(address + done), n);
    if (put <= 0 || read(fd[0], out + done, size_t(put)) != put)
      break;
    done += size_t(put);
  }
  close(fd[0]);
  close(fd[1]);
  return done;
}

} // namespace

size_t safeRead(uint64_t address, void *out, size_t size) {
  auto *dst = static_cast<uint8_t *>(out);
  size_t done = 0;
  while (done < size) {
    // One remote element per page: a partial transfer ends at an element's border.
    iovec local{dst + done, size - done}, remote[16];
    unsigned n = 0;
    size_t asked = 0;
    while (n < 16 && done + asked < size) {
      uint64_t at = address + done + asked;
      size_t len = std::min<uint64_t>(size - done - asked, kPage - at % kPage);
      remote[n++] = {reinterpret_cast<void *>(at), len};
      asked += len;
    }
    local.iov_len = asked;
    ssize_t got = process_vm_readv(getpid(), &local, 1, remote, n, 0);
    if (got < 0)
      return errno == EPERM || errno == ENOSYS
                 ? done + readThroughPipe(address + done, dst + done, size - done)
                 : done;
    done += size_t(got);
    if (size_t(got) < asked)
      break;
  }
  return done;
}

} // namespace meld::softgpu
