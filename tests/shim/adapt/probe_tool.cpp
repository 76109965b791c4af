// An HSA tool around the queue hooks, for tests: kernels X_variant, X_variant1, X_variant2... of an
// executable are planted as variants of its kernel X, X_for_8_3 as one for launches whose four bytes
// of arguments at offset 8 are 3, and what was decided is told at the end of the process. A program
// may look at a trial of its own (probe.h).
//   ADAPT_PROBE_WAIT=1   wait for outstanding times before each choice
#include "shim/adapt/queue_hooks.h"
#include "tests/shim/adapt/probe.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

namespace {

using namespace meld;

CoreApiTable *gCore;
decltype(CoreApiTable::hsa_executable_freeze_fn) gFreeze;
decltype(CoreApiTable::hsa_executable_destroy_fn) gDestroy;
std::map<std::string, uint64_t> &gPlanted = *new std::map<std::string, uint64_t>;
std::mutex gPlanting; ///< guards it: executables are frozen on several threads
std::atomic<unsigned> gReleased{0}, gLeaked{0};

template <class T> T get(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what) {
  T value{};
  gCore->hsa_executable_symbol_get_info_fn(symbol, what, &value);
  return value;
}

hsa_status_t remember(hsa_executable_t, hsa_executable_symbol_t symbol, void *data) {
  if (get<hsa_symbol_kind_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE) != HSA_SYMBOL_KIND_KERNEL)
    return HSA_STATUS_SUCCESS;
  std::string name(get<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), ' ');
  gCore->hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
  adapt::KernelVersion version;
  version.object = get<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  version.sizes.groupBytes =
      get<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
  version.sizes.privateBytes =
      get<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
  (*static_cast<std::map<std::string, adapt::KernelVersion> *>(data))[name] = version;
  return HSA_STATUS_SUCCESS;
}

/// X_for_OFFSET_VALUE.kd of a kernel X with 16 bytes of arguments at least.
void plantSpecialised(const std::map<std::string, adapt::KernelVersion> &kernels) {
  uint8_t kind = adapt::kFirstSpecialised;
  for (const auto &[name, version] : kernels) {
    const size_t at = name.find("_for_");
    unsigned offset = 0, value = 0;
    if (at == std::string::npos ||
        std::sscanf(name.c_str() + at, "_for_%u_%u", &offset, &value) != 2)
      continue;
    const auto original = kernels.find(name.substr(0, at) + ".kd");
    adapt::KernelVersion specialised = version;
    specialised.kind = kind++;
    const auto guard =
        adapt::Guard::compile({Fact::argument(static_cast<uint16_t>(offset), 4, value)}, 16);
    if (original != kernels.end() && guard) {
      specialised.guard = *guard;
      adapt::kernelTable().addVariant(original->second, specialised);
    }
  }
}

hsa_status_t freeze(hsa_executable_t executable, const char *options) {
  const hsa_status_t status = gFreeze(executable, options);
  std::map<std::string, adapt::KernelVersion> kernels;
  gCore->hsa_executable_iterate_symbols_fn(executable, remember, &kernels);
  plantSpecialised(kernels);
  for (const auto &[name, version] : kernels) { // X_variant1 before X_variant2
    const size_t at = name.find("_variant");
    if (at == std::string::npos)
      continue;
    const std::string original = name.substr(0, at);
    if (const auto it = kernels.find(original + ".kd"); it != kernels.end())
      if (adapt::kernelTable().addVariant(it->second, version) == adapt::Added::yes) {
        std::lock_guard guard(gPlanting);
        gPlanted[original] = it->second.object;
      }
  }
  return status;
}

hsa_status_t destroy(hsa_executable_t executable) {
  // The variants are in the executable itself, so their launches are waited for here.
  const bool released = adapt::releaseExecutable(executable);
  const auto launches = adapt::underWay();
  bool over = false;
  for (int look = 0; released && look < 1000 && !(over = adapt::isOver(launches)); ++look)
    ::usleep(100);
  (over ? gReleased : gLeaked)++;
  return gDestroy(executable);
}

void tell() {
  std::lock_guard guard(gPlanting);
  for (const auto &[name, object] : gPlanted)
    for (const auto &one : adapt::kernelTable().report(object).classes)
      std::fprintf(stderr, "probe: %s runs %s after %llu launches, decisions %u\n", name.c_str(),
                   one.trial.incumbent() ? "variant" : "original",
                   static_cast<unsigned long long>(one.trial.launches()), one.trial.decisions());
  std::fprintf(stderr, "probe: released %u, leaked %u\n", gReleased.load(), gLeaked.load());
}

} // namespace

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t,
                                                              uint64_t, const char *const *) {
  gCore = table->core_;
  adapt::QueueOptions options;
  options.waitForTimes = std::getenv("ADAPT_PROBE_WAIT") != nullptr;
  options.arguments = true;
  if (!adapt::installQueueHooks(*table, options))
    std::fprintf(stderr, "probe: no intercept queues\n");
  gFreeze = gCore->hsa_executable_freeze_fn;
  gDestroy = gCore->hsa_executable_destroy_fn;
  gCore->hsa_executable_freeze_fn = freeze;
  gCore->hsa_executable_destroy_fn = destroy;
  std::atexit(tell);
  return true;
}
extern "C" __attribute__((visibility("default"))) bool adaptProbeLook(const char *kernel,
                                                                      AdaptProbeTrial *trial) {
  uint64_t object = 0;
  {
    std::lock_guard guard(gPlanting);
    if (const auto it = gPlanted.find(kernel); it != gPlanted.end())
      object = it->second;
  }
  const auto report = adapt::kernelTable().report(object);
  if (report.classes.size() != 1)
    return false;
  const adapt::Trial &known = report.classes[0].trial;
  *trial = {known.incumbent(), known.decisions(), known.changes()};
  return true;
}
extern "C" __attribute__((visibility("default"))) void OnUnload() {
  meld::adapt::removeQueueHooks();
}
