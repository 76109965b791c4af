// dlopen without RTLD_DEEPBIND: a library bound that way would see libc's open instead of ours.
//
// The call is a tail call, so that the loader still sees the caller's return address (it takes the
// RUNPATH and the namespace from it).
#include "runtime/softgpu/kfd/next.h"

using namespace meld::softgpu;

namespace {
Next<void *(*)(const char *, int)> nextDlopen("dlopen");
}

MELD_EXPORT __attribute__((optimize("O2", "omit-frame-pointer"))) void *dlopen(const char *file,
                                                                               int mode) noexcept {
  return nextDlopen.get()(file, mode & ~RTLD_DEEPBIND);
}
