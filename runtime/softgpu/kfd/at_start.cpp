// Before the application runs: what number 2 stands for (runtime/host/stderr.h).
#include "runtime/host/stderr.h"

namespace meld::softgpu {
namespace {

__attribute__((constructor)) void atStart() noexcept { rememberStderr(); }

} // namespace
} // namespace meld::softgpu
