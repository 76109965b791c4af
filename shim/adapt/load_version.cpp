#include "shim/adapt/load_version.h"

#include <algorithm>
#include <mutex>

namespace meld {
namespace {

Error refused(const CoreApiTable &table, const char *what, hsa_status_t status) {
  const char *text = nullptr;
  if (table.hsa_status_string_fn(status, &text) != HSA_STATUS_SUCCESS || !text)
    text = "unknown status";
  const auto code =
      status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? ErrorCode::io : ErrorCode::unsupported;
  return {code, std::string("ROCr ") + what + ": " + text};
}

bool findSymbol(const CoreApiTable &table, hsa_executable_t executable, hsa_agent_t agent,
                const std::string &name, hsa_executable_symbol_t &symbol) {
  return table.hsa_executable_get_symbol_by_name_fn(executable, name.c_str(), &agent, &symbol) ==
         HSA_STATUS_SUCCESS;
}

/// 0 where there is none: a variable's address, or a kernel's object.
uint64_t symbolAddress(const CoreApiTable &table, hsa_executable_t executable, hsa_agent_t agent,
                       const std::string &name, hsa_symbol_kind_t kind,
                       hsa_executable_symbol_info_t what) {
  hsa_executable_symbol_t symbol{};
  hsa_symbol_kind_t is{};
  uint64_t address = 0;
  if (!findSymbol(table, executable, agent, name, symbol) ||
      table.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &is) !=
          HSA_STATUS_SUCCESS ||
      is != kind ||
      table.hsa_executable_symbol_get_info_fn(symbol, what, &address) != HSA_STATUS_SUCCESS)
    return 0;
  return address;
}

/// ROCr reserves one range for all segments.
size_t deviceBytes(const Elf &elf) {
  constexpr uint64_t page = 4096;
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Elf64_Phdr &segment : elf.segments())
    if (segment.p_type == PT_LOAD) {
      begin = std::min<uint64_t>(begin, segment.p_vaddr / page * page);
      end = std::max<uint64_t>(end, segment.p_vaddr + segment.p_memsz);
    }
  return begin < end ? (end - begin + page - 1) / page * page : 0;
}

std::mutex gTotalsLock;
LoadedTotals gTotals;

void account(const LoadedVersion &version) noexcept {
  std::lock_guard guard(gTotalsLock);
  LoadedTotals::Count &now = gTotals.now;
  ++gTotals.loaded;
  ++now.versions;
  now.deviceBytes += version.deviceBytes;
  now.objectBytes += version.bytes->size();
  gTotals.most.versions = std::max(gTotals.most.versions, now.versions);
  gTotals.most.deviceBytes = std::max(gTotals.most.deviceBytes, now.deviceBytes);
  gTotals.most.objectBytes = std::max(gTotals.most.objectBytes, now.objectBytes);
}

void discount(const LoadedVersion &version) noexcept {
  std::lock_guard guard(gTotalsLock);
  ++gTotals.unloaded;
  --gTotals.now.versions;
  gTotals.now.deviceBytes -= version.deviceBytes;
  gTotals.now.objectBytes -= version.bytes->size();
}

/// Takes back what was made unless the load came to its end.
class Unfinished {
public:
  explicit Unfinished(const CoreApiTable &table) : table_(table) {}
  ~Unfinished() { unloadVersion(table_, version); }
  LoadedVersion take() { return std::exchange(version, {}); }
  LoadedVersion version;

private:
  const CoreApiTable &table_;
};

Result<void> defineVariables(const CoreApiTable &table, const LoadedKernel &original,
                             const std::vector<std::string> &names, hsa_executable_t executable) {
  for (const std::string &name : names) {
    const uint64_t address =
        symbolAddress(table, original.executable, original.agent, name, HSA_SYMBOL_KIND_VARIABLE,
                      HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
    if (!address)
      return fail(ErrorCode::notFound, "the original has no variable " + name);
    const hsa_status_t status = table.hsa_executable_agent_global_variable_define_fn(
        executable, original.agent, name.c_str(), reinterpret_cast<void *>(address));
    if (status != HSA_STATUS_SUCCESS)
      return tl::unexpected(refused(table, "does not define a variable", status));
  }
  return {};
}

} // namespace

bool canLoadVersions(const CoreApiTable &table) noexcept {
  constexpr size_t needed =
      std::max({offsetof(CoreApiTable, hsa_executable_create_alt_fn),
                offsetof(CoreApiTable, hsa_executable_symbol_get_info_fn),
                offsetof(CoreApiTable, hsa_executable_get_symbol_by_name_fn),
                offsetof(CoreApiTable, hsa_executable_agent_global_variable_define_fn)}) +
      sizeof(void *);
  return table.version.minor_id >= needed && table.hsa_executable_get_symbol_by_name_fn &&
         table.hsa_executable_agent_global_variable_define_fn &&
         table.hsa_executable_symbol_get_info_fn && table.hsa_executable_create_alt_fn;
}

uint64_t kernelObject(const CoreApiTable &table, const LoadedKernel &kernel) noexcept {
  try {
    return symbolAddress(table, kernel.executable, kernel.agent, kernel.name + ".kd",
                         HSA_SYMBOL_KIND_KERNEL, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  } catch (...) {
    return 0;
  }
}

Result<LoadedVersion> loadVersion(const CoreApiTable &table, const LoadedKernel &original,
                                  std::shared_ptr<const Bytes> bytes,
                                  const std::vector<std::string> &variables) {
  const auto code = MELD_TRY(CodeObject::parse(*bytes));
  const KernelMetadata *kernel = code.metadata.find(original.name);
  if (!kernel)
    return fail(ErrorCode::badInput, "no version of " + original.name);
  Unfinished unfinished(table);
  LoadedVersion &version = unfinished.version;
  version.bytes = std::move(bytes);
  version.sizes = launchSizes(*kernel);
  version.deviceBytes = deviceBytes(code.elf);
  hsa_status_t status = table.hsa_executable_create_alt_fn(
      HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &version.executable);
  if (status != HSA_STATUS_SUCCESS) {
    version.executable = {};
    return tl::unexpected(refused(table, "makes no executable", status));
  }
  MELD_TRY(defineVariables(table, original, variables, version.executable));
  status = table.hsa_code_object_reader_create_from_memory_fn(
      version.bytes->data(), version.bytes->size(), &version.reader);
  if (status != HSA_STATUS_SUCCESS) {
    version.reader = {};
    return tl::unexpected(refused(table, "does not read the version", status));
  }
  status = table.hsa_executable_load_agent_code_object_fn(version.executable, original.agent,
                                                          version.reader, nullptr, nullptr);
  if (status == HSA_STATUS_SUCCESS)
    status = table.hsa_executable_freeze_fn(version.executable, nullptr);
  if (status != HSA_STATUS_SUCCESS)
    return tl::unexpected(refused(table, "does not load the version", status));
  version.object = kernelObject(table, {version.executable, original.agent, original.name});
  if (!version.object)
    return fail(ErrorCode::notFound, "the loaded version has no kernel " + original.name);
  account(version);
  return unfinished.take();
}

void unloadVersion(const CoreApiTable &table, const LoadedVersion &version) noexcept {
  if (version.object)
    discount(version);
  if (version.executable.handle)
    table.hsa_executable_destroy_fn(version.executable);
  if (version.reader.handle)
    table.hsa_code_object_reader_destroy_fn(version.reader);
}

LoadedTotals loadedTotals() {
  std::lock_guard guard(gTotalsLock);
  return gTotals;
}

} // namespace meld
