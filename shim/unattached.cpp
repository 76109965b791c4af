// A program used the GPU and nothing of ours was reached: ROCr loaded no tools, and its callers
// bypassed symbol lookup (RTLD_DEEPBIND, dlsym on its handle). Nobody would know, so the end of the
// process says it, once. Every other process pays one look at two variables and one failed dlopen.
#include "runtime/log/log.h"
#include "runtime/settings/settings.h"
#include "shim/attach.h"
#include "shim/process.h"
#include "shim/tool.h"

#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

namespace meld {
namespace {

/// Is the driver open? Its own node, or the software GPU's stand-in for it.
bool usesDriver() noexcept {
  DIR *folder = ::opendir("/proc/self/fd");
  if (!folder)
    return false;
  bool found = false;
  while (dirent *entry = ::readdir(folder)) {
    char target[64] = "";
    if (::readlinkat(::dirfd(folder), entry->d_name, target, sizeof(target) - 1) > 0)
      found |= !std::strcmp(target, "/dev/kfd") || !std::strncmp(target, "/memfd:meld-kfd", 15);
  }
  ::closedir(folder);
  return found;
}

void warnIfUnattached() noexcept {
  if (attached() || process() || isTrue(getenv("MELD_DISABLE")))
    return;
  if (!::dlopen("libhsa-runtime64.so.1", RTLD_NOLOAD | RTLD_LAZY) || !usesDriver())
    return;
  try {
    LoadedSettings loaded = loadSettings();
    log::configure(loaded.settings.logLevel, loaded.settings.logFile);
    log::warning(
        "the GPU was used, but ROCr did not load libmeld and its callers went past it: the "
        "original code ran");
  } catch (...) {
  }
}

__attribute__((constructor)) void watchForTheEnd() noexcept {
  if (getenv("LD_PRELOAD") && !secureMode()) // else not preloaded: a tool by name only
    std::atexit(warnIfUnattached);
}

} // namespace
} // namespace meld
