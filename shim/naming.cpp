#include "shim/naming.h"

#include <cstdint>
#include <dlfcn.h>

namespace meld {
namespace {

using NameKernel = void (*)(uint64_t descriptorAddress, const char *name, int replaced);

struct Walk {
  const CoreApiTable &table;
  const std::set<std::string> &replaced;
  NameKernel name;
};

NameKernel softwareGpusName() noexcept {
  return reinterpret_cast<NameKernel>(::dlsym(RTLD_DEFAULT, "meld_softgpu_name_kernel"));
}

hsa_status_t visit(hsa_executable_t, hsa_executable_symbol_t symbol, void *data) noexcept {
  auto &walk = *static_cast<Walk *>(data);
  auto get = walk.table.hsa_executable_symbol_get_info_fn;
  try {
    hsa_symbol_kind_t kind;
    uint32_t length = 0;
    uint64_t object = 0;
    if (get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) != HSA_STATUS_SUCCESS ||
        kind != HSA_SYMBOL_KIND_KERNEL ||
        get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS)
      return HSA_STATUS_SUCCESS;
    std::string name(length, '\0');
    if (get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()) != HSA_STATUS_SUCCESS ||
        get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) != HSA_STATUS_SUCCESS)
      return HSA_STATUS_SUCCESS;
    // The symbol is the descriptor's; metadata and people leave ".kd" out.
    if (size_t at = name.rfind(".kd"); at != std::string::npos && at + 3 == name.size())
      name.resize(at);
    walk.name(object, name.c_str(), walk.replaced.contains(name));
  } catch (...) {
  }
  return HSA_STATUS_SUCCESS;
}

} // namespace

bool onSoftwareGpu() noexcept { return softwareGpusName() != nullptr; }

void nameKernels(const CoreApiTable &table, hsa_executable_t executable,
                 const std::set<std::string> &replaced) {
  const NameKernel name = softwareGpusName();
  if (!name || !table.hsa_executable_iterate_symbols_fn)
    return;
  Walk walk{table, replaced, name};
  table.hsa_executable_iterate_symbols_fn(executable, visit, &walk);
}

} // namespace meld
