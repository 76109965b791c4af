// dlopen without RTLD_DEEPBIND: a library bound that way would see libc's open instead of ours.
//
// The call is a tail call, so that the loader still sees the caller's return address (it takes the
// RUNPATH and the namespace from it).
#include "runtime/softgpu/kfd/next.h"

using namespace meld::softgpu;

namespace {
Next<void *(*)(const char *, int) noexcept> nextDlopen("dlopen");
}

// Without optimisation, too.
#ifdef __clang__
#define MELD_TAIL_CALLER
#define MELD_TAIL_CALL [[clang::musttail]]
#else
#define MELD_TAIL_CALLER __attribute__((optimize("O2", "omit-frame-pointer")))
#define MELD_TAIL_CALL
#endif

MELD_EXPORT MELD_TAIL_CALLER void *dlopen(const char *file, int mode) noexcept {
  MELD_TAIL_CALL return nextDlopen.get()(file, mode & ~RTLD_DEEPBIND);
}
