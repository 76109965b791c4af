// The fallback: where ROCr does not load its tools (rocprofiler-register took over, HSA_TOOLS_LIB
// was cleared), the same hooks serve calls that reach us because a preloaded library's symbols come
// first.
//
//   attached through the table:  application -> ours here -> ROCr -> table -> hook -> ROCr (the
//   hook works once) not attached:                application -> ours here -> private table -> hook
//   -> ROCr
//
// It does not see callers that bypass symbol lookup (dlsym on ROCr's handle, RTLD_DEEPBIND).
#include "runtime/log/log.h"
#include "shim/attach.h"
#include "shim/hooks.h"
#include "shim/next.h"
#include "shim/process.h"
#include "shim/tool.h"

#include <cstdlib>
#include <mutex>

#define MELD_EXPORT extern "C" __attribute__((visibility("default")))

namespace meld {
namespace {

/// ROCr's exported functions, and the table whose entries the hooks replace. Filled once.
struct Private {
  CoreApiTable core{};
  HsaApiTable root{};
  CoreApiTable exported{};
  bool complete = false;
};

template <class F> bool find(F &field, const char *name) {
  field = reinterpret_cast<F>(nextSymbol(name, kHsaLibraries));
  return field != nullptr;
}

void lookUp(Private &p) noexcept {
  CoreApiTable &t = p.exported;
  t.version = {1, sizeof(CoreApiTable), 0, 0};
  bool ok = true;
#define MELD_FIND(name) ok &= find(t.name##_fn, #name);
  MELD_FIND(hsa_init)
  MELD_FIND(hsa_code_object_reader_create_from_file)
  MELD_FIND(hsa_code_object_reader_create_from_memory)
  MELD_FIND(hsa_code_object_reader_destroy)
  MELD_FIND(hsa_executable_load_agent_code_object)
  MELD_FIND(hsa_executable_freeze)
  MELD_FIND(hsa_executable_destroy)
  MELD_FIND(hsa_executable_create_alt)
  MELD_FIND(hsa_system_get_extension_table)
  MELD_FIND(hsa_system_get_major_extension_table)
  MELD_FIND(hsa_status_string)
  MELD_FIND(hsa_executable_iterate_symbols)
  MELD_FIND(hsa_executable_symbol_get_info)
  MELD_FIND(hsa_executable_get_symbol_by_name)
  MELD_FIND(hsa_executable_agent_global_variable_define)
#undef MELD_FIND
  p.core = t;
  p.root.version = {1, sizeof(HsaApiTable), 0, 0};
  p.complete = ok;
}

/// Looked up again until ROCr is there: someone may ask for a symbol before it is loaded. The
/// thread that finds all of it fills the table that stays; no memory is taken, and no lock held
/// meanwhile.
Private &table() noexcept {
  static Private known, nothing;
  static std::mutex lock;
  static std::atomic<bool> ready{false};
  if (ready.load(std::memory_order_acquire))
    return known;
  Private fresh;
  lookUp(fresh);
  if (!fresh.complete)
    return nothing;
  std::lock_guard guard(lock);
  if (!ready) {
    known = fresh;
    known.root.core_ = &known.core;
    ready.store(true, std::memory_order_release);
  }
  return known;
}

std::atomic<bool> gFallback{false};

void attachIfRocrDidNot() noexcept {
  static std::mutex lock;
  std::lock_guard guard(lock);
  if (attached() || gFallback || isTrue(getenv("MELD_DISABLE")) || secureMode())
    return;
  if (!table().complete)
    return;
  Process *p = process() ? process() : startProcess();
  if (!p)
    return;
  log::warnOnce("attach",
                "ROCr did not load libmeld as a tool; working through symbol interposition");
  if (installHooks(&table().root, p))
    gFallback = true;
}

/// Where a call goes on: the hooked private table, or ROCr.
template <class F> F route(F CoreApiTable::*field) {
  Private &t = table();
  return gFallback.load(std::memory_order_acquire) ? t.core.*field : t.exported.*field;
}

} // namespace
} // namespace meld

using meld::route;

MELD_EXPORT hsa_status_t hsa_init() {
  auto next = meld::table().exported.hsa_init_fn;
  if (!next)
    return HSA_STATUS_ERROR;
  hsa_status_t status = next();
  if (status == HSA_STATUS_SUCCESS)
    meld::attachIfRocrDidNot();
  return status;
}

#define MELD_FORWARD(name, parameters, arguments)                                                  \
  MELD_EXPORT hsa_status_t name parameters {                                                       \
    auto next = route(&CoreApiTable::name##_fn);                                                   \
    return next ? next arguments : HSA_STATUS_ERROR;                                               \
  }

MELD_FORWARD(hsa_code_object_reader_create_from_file,
             (hsa_file_t file, hsa_code_object_reader_t *reader), (file, reader))
MELD_FORWARD(hsa_code_object_reader_create_from_memory,
             (const void *bytes, size_t size, hsa_code_object_reader_t *reader),
             (bytes, size, reader))
MELD_FORWARD(hsa_code_object_reader_destroy, (hsa_code_object_reader_t reader), (reader))
MELD_FORWARD(hsa_executable_load_agent_code_object,
             (hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader,
              const char *options, hsa_loaded_code_object_t *loaded),
             (executable, agent, reader, options, loaded))
MELD_FORWARD(hsa_executable_freeze, (hsa_executable_t executable, const char *options),
             (executable, options))
MELD_FORWARD(hsa_executable_symbol_get_info,
             (hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what, void *value),
             (symbol, what, value))
MELD_FORWARD(hsa_executable_destroy, (hsa_executable_t executable), (executable))
MELD_FORWARD(hsa_system_get_extension_table,
             (uint16_t extension, uint16_t major, uint16_t minor, void *out),
             (extension, major, minor, out))
MELD_FORWARD(hsa_system_get_major_extension_table,
             (uint16_t extension, uint16_t major, size_t length, void *out),
             (extension, major, length, out))
