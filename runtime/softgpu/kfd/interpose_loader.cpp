// dlopen without RTLD_DEEPBIND: a library bound that way would see libc's open instead of ours.
//
// The call is a tail call, so that the loader still sees the caller's return address (it takes the
// RUNPATH and the namespace from it). CMakeLists.txt asks for the optimisation that makes it one.
#include "runtime/softgpu/kfd/next.h"

using namespace meld::softgpu;

namespace {
Next<void *(*)(const char *, int) noexcept> nextDlopen("dlopen");
}

MELD_EXPORT void *dlopen(const char *file, int mode) noexcept {
  return nextDlopen.get()(file, mode & ~RTLD_DEEPBIND);
}
