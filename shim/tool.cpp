// ROCr's tool interface: OnLoad, OnUnload, HSA_AMD_TOOL_PRIORITY.
#include "shim/tool.h"
#include "runtime/log/log.h"
#include "shim/hooks.h"
#include "shim/process.h"

#include <cstdint>

#define MELD_EXPORT extern "C" __attribute__((visibility("default")))

/// ROCr 5.3 and later load tools in ascending order of this number, those of HSA_TOOLS_LIB first.
MELD_EXPORT const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 100;

namespace {
std::atomic<bool> gAttached{false};
}

bool meld::attached() noexcept { return gAttached; }

/// True means "keep this library": also when there is nothing for us to do.
MELD_EXPORT bool OnLoad(HsaApiTable *table, uint64_t, uint64_t, const char *const *) {
  // A second call in one ROCr life (both ways of finding us, or a tools list that names us twice)
  // must not chain us behind ourselves.
  if (gAttached.exchange(true))
    return true;
  meld::Process *process = meld::process();
  if (!process)
    process = meld::startProcess();
  if (!process || !meld::installHooks(table, process))
    return true; // and stay "attached": what ROCr's table does not allow, interposition should not
                 // try either
  meld::log::debug("attached to ROCr");
  return true;
}

/// ROCr shuts down. It may come back (hsa_init after the last hsa_shut_down): OnLoad is called
/// again then.
MELD_EXPORT void OnUnload() {
  meld::removeHooks();
  gAttached = false;
}
