#include "runtime/host/stderr.h"

#include "runtime/host/descriptor.h"
#include "runtime/write.h"

#include <atomic>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

/// Written once, before the application has threads.
struct Start {
  bool remembered = false, usable = false;
  FileIdentity identity;
  int access = 0; ///< O_ACCMODE part: cannot change while the file is open
};
Start gStart;

int accessOf(int fd) noexcept {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags < 0 ? -1 : flags & O_ACCMODE;
}

} // namespace

void rememberStderr() noexcept {
  gStart = {};
  gStart.remembered = true;
  const auto identity = FileIdentity::of(STDERR_FILENO);
  gStart.access = accessOf(STDERR_FILENO);
  if (!identity || gStart.access < 0)
    return; // closed: whatever has the number later is something else
  gStart.identity = *identity;
  gStart.usable = !(S_ISREG(identity->type) && gStart.access == O_RDWR);
}

bool stderrIsOurs() noexcept {
  if (!gStart.remembered)
    return true;
  return gStart.usable && FileIdentity::of(STDERR_FILENO) == gStart.identity &&
         accessOf(STDERR_FILENO) == gStart.access;
}

void writeToStderr(std::string_view text) noexcept {
  if (stderrIsOurs())
    (void)writeWithoutBlocking(STDERR_FILENO, text);
}

} // namespace meld
