// Runs in every process that inherits LD_PRELOAD: no iostream, no log, no containers here.
#include "runtime/host/stderr.h"
#include "shim/attach.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) const unsigned HSA_AMD_TOOL_PRIORITY;

namespace meld {
namespace {

__attribute__((constructor)) void attachToRocr() noexcept {
  if (secureMode() || isTrue(getenv("MELD_DISABLE")))
    return;
  rememberStderr();
  Dl_info self;
  char path[PATH_MAX];
  if (!dladdr(&HSA_AMD_TOOL_PRIORITY, &self) || !self.dli_fname || !realpath(self.dli_fname, path))
    return;
  char value[8 * PATH_MAX];
  if (appendToolsLib(getenv("HSA_TOOLS_LIB"), path, value, sizeof(value)))
    setenv("HSA_TOOLS_LIB", value, 1);
  // Newer ROCr loads tools of this kind next to rocprofiler-register only when asked to.
  setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1", 0);
}

} // namespace
} // namespace meld
