#include "shim/rocr.h"

namespace meld {
namespace {

using Visit = std::function<void(const std::string &, hsa_agent_t, uint64_t)>;

struct Walk {
  const CoreApiTable &table;
  const Visit &visit;
};

hsa_status_t visitSymbol(hsa_executable_t, hsa_executable_symbol_t symbol, void *data) noexcept {
  const auto &walk = *static_cast<Walk *>(data);
  const auto get = walk.table.hsa_executable_symbol_get_info_fn;
  try {
    hsa_symbol_kind_t kind;
    hsa_agent_t agent{};
    uint32_t length = 0;
    uint64_t object = 0;
    if (get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) != HSA_STATUS_SUCCESS ||
        kind != HSA_SYMBOL_KIND_KERNEL ||
        get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_AGENT, &agent) != HSA_STATUS_SUCCESS ||
        get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS)
      return HSA_STATUS_SUCCESS;
    std::string name(length, '\0');
    if (get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()) != HSA_STATUS_SUCCESS ||
        get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) != HSA_STATUS_SUCCESS)
      return HSA_STATUS_SUCCESS;
    if (name.ends_with(".kd"))
      name.resize(name.size() - 3);
    walk.visit(name, agent, object);
  } catch (...) {
  }
  return HSA_STATUS_SUCCESS;
}

} // namespace

hsa_status_t loadAlone(const RocrEntries &rocr, hsa_agent_t agent, hsa_code_object_reader_t reader,
                       hsa_executable_t &executable) {
  hsa_status_t status = rocr.table->hsa_executable_create_alt_fn(
      HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable);
  if (status != HSA_STATUS_SUCCESS) {
    executable = {};
    return status;
  }
  status = rocr.load(executable, agent, reader, nullptr, nullptr);
  return status == HSA_STATUS_SUCCESS ? rocr.freeze(executable, nullptr) : status;
}

void forEachKernel(const CoreApiTable &table, hsa_executable_t executable, const Visit &visit) {
  Walk walk{table, visit};
  table.hsa_executable_iterate_symbols_fn(executable, visitSymbol, &walk);
}

} // namespace meld
