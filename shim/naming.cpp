#include "shim/naming.h"

#include "shim/rocr.h"

#include <cstdint>
#include <dlfcn.h>

namespace meld {
namespace {

using NameKernel = void (*)(uint64_t descriptorAddress, const char *name, int replaced);

/// Found once: later callers may hold HIP's locks, and the loader's may be another's who waits for HIP.
NameKernel softwareGpusName() noexcept {
  static const auto found =
      reinterpret_cast<NameKernel>(::dlsym(RTLD_DEFAULT, "meld_softgpu_name_kernel"));
  return found;
}

} // namespace

bool onSoftwareGpu() noexcept { return softwareGpusName() != nullptr; }

void nameKernels(const CoreApiTable &table, hsa_executable_t executable,
                 const std::set<std::string> &replaced) {
  const NameKernel name = softwareGpusName();
  if (!name || !table.hsa_executable_iterate_symbols_fn)
    return;
  forEachKernel(table, executable, [&](const std::string &kernel, hsa_agent_t, uint64_t object) {
    name(object, kernel.c_str(), replaced.contains(kernel));
  });
}

} // namespace meld
