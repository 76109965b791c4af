#include "shim/adapt/queue_hooks.h"

#include "runtime/host/default_float.h"
#include "runtime/host/loaded_objects.h"
#include "shim/adapt/packet_handler.h"
#include "shim/rocr_order.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/auxv.h>
#include <unwind.h>

namespace meld::adapt {

namespace {

using ErrorCallback = void (*)(hsa_status_t, hsa_queue_t *, void *);

struct Previous {
  decltype(CoreApiTable::hsa_queue_create_fn) create;
  decltype(CoreApiTable::hsa_queue_destroy_fn) destroy;
  decltype(AmdExtTable::hsa_amd_queue_intercept_create_fn) interceptCreate;
};

struct State {
  std::mutex lock;
  /// In the order in which they were made. A queue is here until it has been destroyed, as what it
  /// runs is under way until then; its address may be another thread's new queue before we hear of
  /// that.
  std::vector<std::pair<hsa_queue_t *, PacketHandler *>> queues;
  std::vector<PacketHandler *> spare;

  /// Of the newest queue there; null: none of ours.
  PacketHandler *handlerOf(hsa_queue_t *queue) const {
    const auto it = std::find_if(queues.rbegin(), queues.rend(),
                                 [&](const auto &one) { return one.first == queue; });
    return it == queues.rend() ? nullptr : it->second;
  }
};

Previous gPrevious{};
CoreApiTable *gCore = nullptr;
AmdExtTable *gAmd = nullptr;
QueueOptions gOptions;
bool gCreateIsRocrs = false;
std::atomic<bool> gAbandoned{false};
std::atomic<State *> gState{nullptr};
thread_local bool tInside = false;

/// What another tool or ROCr calls while it serves us is not for us.
class Inside {
public:
  Inside() : outermost_(!tInside && !gAbandoned.load(std::memory_order_relaxed)) {
    if (outermost_)
      tInside = true;
  }
  ~Inside() {
    if (outermost_)
      tInside = false;
  }
  explicit operator bool() const { return outermost_; }

private:
  bool outermost_;
};

void handle(const void *packets, uint64_t count, uint64_t, void *data,
            hsa_amd_queue_intercept_packet_writer write) noexcept {
  nowMine(data);
  static_cast<PacketHandler *>(data)->handle(packets, count, write);
  nowAnyones(data);
}

/// KernargMemory::Ask. Only memory of a host agent's pools has the same address for the host.
bool askForMemory(const void *address, HostRange &range) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  if (gAmd->hsa_amd_pointer_info_fn(const_cast<void *>(address), &info, nullptr, nullptr,
                                    nullptr) != HSA_STATUS_SUCCESS ||
      info.type != HSA_EXT_POINTER_TYPE_HSA || !info.agentBaseAddress)
    return false;
  hsa_device_type_t type{};
  if (gCore->hsa_agent_get_info_fn(info.agentOwner, HSA_AGENT_INFO_DEVICE, &type) !=
      HSA_STATUS_SUCCESS)
    return false;
  range.begin = reinterpret_cast<uintptr_t>(info.agentBaseAddress);
  range.end = range.begin + info.sizeInBytes;
  range.host = type == HSA_DEVICE_TYPE_CPU && info.hostBaseAddress == info.agentBaseAddress;
  return true;
}

/// nullptr: no signals to be had.
PacketHandler *makeHandler() {
  PacketHandler::Signals signals;
  signals.load = gCore->hsa_signal_load_scacquire_fn;
  signals.store = gCore->hsa_signal_silent_store_relaxed_fn;
  std::vector<hsa_signal_t> made;
  made.reserve(signals.fences.size() + signals.timers.size());
  auto make = [&](hsa_signal_t &signal) {
    const bool ok = gAmd->hsa_amd_signal_create_fn(1, 0, nullptr, HSA_AMD_SIGNAL_AMD_GPU_ONLY,
                                                   &signal) == HSA_STATUS_SUCCESS;
    if (ok)
      made.push_back(signal);
    return ok;
  };
  if (std::all_of(signals.fences.begin(), signals.fences.end(), make) &&
      std::all_of(signals.timers.begin(), signals.timers.end(), make))
    return new PacketHandler(signals);
  for (const hsa_signal_t signal : made)
    gCore->hsa_signal_destroy_fn(signal);
  return nullptr;
}

PacketHandler *takeHandler() {
  State &state = *gState.load();
  {
    std::lock_guard lock(state.lock);
    if (!state.spare.empty()) {
      PacketHandler *handler = state.spare.back();
      state.spare.pop_back();
      return handler;
    }
  }
  return makeHandler();
}

void giveBack(PacketHandler *handler) {
  State &state = *gState.load();
  std::lock_guard lock(state.lock);
  state.spare.push_back(handler);
}

/// Is it HIP that calls, perhaps through ROCr and other tools? HIP counts places by the size that
/// the queue says it has. Others may count by the size that they have asked for, as HSA allows, and
/// their packets would never be seen in a larger ring.
bool calledByHip() noexcept {
  enum class Of : uint8_t { nobody, hip, program, others };
  constexpr unsigned most = 32;
  struct Walk {
    const void *entry = reinterpret_cast<const void *>(::getauxval(AT_ENTRY));
    std::array<const void *, most> frames;
    std::array<Of, most> of{};
    unsigned count = 0;
  } walk;
  _Unwind_Backtrace(
      [](_Unwind_Context *context, void *data) {
        auto &w = *static_cast<Walk *>(data);
        w.frames[w.count++] = reinterpret_cast<const void *>(_Unwind_GetIP(context));
        return w.count == most ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  ::dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) {
        auto &w = *static_cast<Walk *>(data);
        const Of who = holds(*object, w.entry)                       ? Of::program
                       : std::strstr(nameOf(*object), "libamdhip64") ? Of::hip
                                                                     : Of::others;
        for (unsigned i = 0; i < w.count; ++i)
          if (holds(*object, w.frames[i]))
            w.of[i] = who;
        return 0;
      },
      &walk);
  for (unsigned i = 0; i < walk.count; ++i)
    if (walk.of[i] != Of::others)
      return walk.of[i] == Of::hip;
  return false;
}

/// Twice the size; 0 where the agent has no such ring.
uint32_t ringFor(hsa_agent_t agent, uint32_t size) {
  uint32_t most = 0;
  if (gCore->hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &most) !=
          HSA_STATUS_SUCCESS ||
      size == 0 || size > most / 2)
    return 0;
  return 2 * size;
}

/// Of the device's clock, whose ticks the signals hold.
double nanosecondsPerTick(hsa_agent_t agent) {
  const DefaultFloat
      state; // ROCr divides zero by zero here, which the application may have made a trap
  constexpr uint64_t ticks = 1'000'000'000;
  uint64_t from = 0, to = 0, frequency = 0;
  auto convert = gAmd->hsa_amd_profiling_convert_tick_to_system_domain_fn;
  uint64_t base = 0;
  if (gCore->hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency) ||
      !frequency || convert(agent, base, &from) || convert(agent, base + ticks, &to) || to <= from)
    return 1;
  return double(to - from) / double(ticks) * 1e9 / double(frequency);
}

/// Makes `handler` see the packets of an intercept queue. False: it does not, and is free again.
bool attach(hsa_queue_t *queue, hsa_agent_t agent, PacketHandler *handler) noexcept {
  PacketHandler::Queue options;
  options.table = &kernelTable();
  options.ring = queue->size;
  options.nanosecondsPerTick = nanosecondsPerTick(agent);
  options.waitForTimes = gOptions.waitForTimes;
  options.waitForVersions = gOptions.waitForVersions;
  constexpr size_t needed =
      offsetof(AmdExtTable, hsa_amd_pointer_info_fn) + sizeof(gAmd->hsa_amd_pointer_info_fn);
  if (gOptions.arguments && gAmd->version.minor_id >= needed && gAmd->hsa_amd_pointer_info_fn)
    options.askForMemory = askForMemory;
  handler->begin(options);
  nowAnyones(handler);
  State &state = *gState.load();
  try {
    std::lock_guard lock(state.lock);
    // Giving back takes no memory.
    state.spare.reserve(state.queues.size() + state.spare.size() + 1);
    state.queues.emplace_back(queue, handler);
  } catch (...) {
    return false;
  }
  if (gAmd->hsa_amd_queue_intercept_register_fn(queue, handle, handler) == HSA_STATUS_SUCCESS) {
    gAmd->hsa_amd_profiling_set_profiler_enabled_fn(queue, 1);
    return true;
  }
  std::lock_guard lock(state.lock);
  std::erase(state.queues, std::pair(queue, handler));
  return false;
}

/// True: `queue` is made, and its packets are seen.
bool createSeen(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type, ErrorCallback callback,
                void *data, uint32_t scratch, uint32_t lds, hsa_queue_t **queue) {
  const uint32_t ring = calledByHip() ? ringFor(agent, size) : 0;
  PacketHandler *handler = ring ? takeHandler() : nullptr;
  if (!handler)
    return false;
  auto tryOn = [&](auto create) {
    if (create(agent, ring, type, callback, data, scratch, lds, queue) != HSA_STATUS_SUCCESS)
      return false;
    if (attach(*queue, agent, handler))
      return true;
    gPrevious.destroy(*queue);
    return false;
  };
  if ((!gCreateIsRocrs && tryOn(gPrevious.create)) || tryOn(gPrevious.interceptCreate))
    return true;
  giveBack(handler);
  return false;
}

hsa_status_t createQueue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                         ErrorCallback callback, void *data, uint32_t scratch, uint32_t lds,
                         hsa_queue_t **queue) noexcept {
  if (Inside inside; inside && queue && type != HSA_QUEUE_TYPE_COOPERATIVE) {
    nowMine(&gState);
    try {
      if (createSeen(agent, size, type, callback, data, scratch, lds, queue))
        return HSA_STATUS_SUCCESS;
    } catch (...) { // no memory: without us
    }
  }
  return gPrevious.create(agent, size, type, callback, data, scratch, lds, queue);
}

hsa_status_t createIntercepted(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                               ErrorCallback callback, void *data, uint32_t scratch, uint32_t lds,
                               hsa_queue_t **queue) noexcept {
  Inside inside;
  if (!inside || !queue || type == HSA_QUEUE_TYPE_COOPERATIVE)
    return gPrevious.interceptCreate(agent, size, type, callback, data, scratch, lds, queue);
  PacketHandler *handler = nullptr;
  uint32_t ring = 0;
  try {
    ring = calledByHip() ? ringFor(agent, size) : 0;
    handler = ring ? takeHandler() : nullptr;
  } catch (...) {
  }
  if (handler && gPrevious.interceptCreate(agent, ring, type, callback, data, scratch, lds,
                                           queue) == HSA_STATUS_SUCCESS) {
    if (!attach(*queue, agent, handler))
      giveBack(handler);
    return HSA_STATUS_SUCCESS;
  }
  if (handler) // there is no room for twice the size
    giveBack(handler);
  return gPrevious.interceptCreate(agent, size, type, callback, data, scratch, lds, queue);
}

hsa_status_t destroyQueue(hsa_queue_t *queue) noexcept {
  PacketHandler *handler = nullptr;
  State &state = *gState.load();
  if (!gAbandoned.load(std::memory_order_relaxed)) {
    std::lock_guard lock(state.lock);
    handler = state.handlerOf(queue);
  }
  const hsa_status_t status = gPrevious.destroy(queue);
  if (!handler)
    return status;
  {
    std::lock_guard lock(state.lock);
    std::erase(state.queues, std::pair(queue, handler));
  }
  if (status == HSA_STATUS_SUCCESS) {
    handler->end();
    giveBack(handler);
  }
  return status;
}

template <class Visit> void forEachEntry(CoreApiTable &core, AmdExtTable &amd, Visit &&visit) {
  visit(core.hsa_queue_create_fn, gPrevious.create, createQueue);
  visit(core.hsa_queue_destroy_fn, gPrevious.destroy, destroyQueue);
  visit(amd.hsa_amd_queue_intercept_create_fn, gPrevious.interceptCreate, createIntercepted);
}

bool isRocrs(const void *function) { return isInObject(function, "libhsa-runtime64"); }

bool complete(const HsaApiTable &table) {
  constexpr size_t coreNeeded =
      std::max({offsetof(CoreApiTable, hsa_queue_create_fn),
                offsetof(CoreApiTable, hsa_queue_destroy_fn),
                offsetof(CoreApiTable, hsa_agent_get_info_fn),
                offsetof(CoreApiTable, hsa_system_get_info_fn),
                offsetof(CoreApiTable, hsa_signal_destroy_fn),
                offsetof(CoreApiTable, hsa_signal_load_scacquire_fn),
                offsetof(CoreApiTable, hsa_signal_silent_store_relaxed_fn)}) +
      sizeof(void *);
  constexpr size_t amdNeeded =
      std::max({offsetof(AmdExtTable, hsa_amd_queue_intercept_create_fn),
                offsetof(AmdExtTable, hsa_amd_queue_intercept_register_fn),
                offsetof(AmdExtTable, hsa_amd_signal_create_fn),
                offsetof(AmdExtTable, hsa_amd_profiling_set_profiler_enabled_fn),
                offsetof(AmdExtTable, hsa_amd_profiling_convert_tick_to_system_domain_fn)}) +
      sizeof(void *);
  if (table.version.minor_id < offsetof(HsaApiTable, amd_ext_) + sizeof(void *) || !table.core_ ||
      !table.amd_ext_ || table.core_->version.minor_id < coreNeeded ||
      table.amd_ext_->version.minor_id < amdNeeded)
    return false;
  const CoreApiTable &core = *table.core_;
  const AmdExtTable &amd = *table.amd_ext_;
  return core.hsa_queue_create_fn && core.hsa_queue_destroy_fn && core.hsa_agent_get_info_fn &&
         core.hsa_system_get_info_fn && core.hsa_signal_destroy_fn &&
         core.hsa_signal_load_scacquire_fn && core.hsa_signal_silent_store_relaxed_fn &&
         amd.hsa_amd_queue_intercept_create_fn && amd.hsa_amd_queue_intercept_register_fn &&
         amd.hsa_amd_signal_create_fn && amd.hsa_amd_profiling_set_profiler_enabled_fn &&
         amd.hsa_amd_profiling_convert_tick_to_system_domain_fn;
}

} // namespace

bool installQueueHooks(HsaApiTable &table, const QueueOptions &options) noexcept {
  if (gCore || !complete(table))
    return false;
  try {
    // A fresh one each time ROCr comes up: signals and kernels of an earlier life are gone.
    gState.store(new State);
    kernelTable().removeAll();
  } catch (...) {
    return false;
  }
  gCore = table.core_;
  gAmd = table.amd_ext_;
  gOptions = options;
  gCreateIsRocrs = isRocrs(reinterpret_cast<const void *>(gCore->hsa_queue_create_fn));
  forEachEntry(*gCore, *gAmd, [](auto &field, auto &previous, auto ours) {
    previous = field;
    field = ours;
  });
  nowAnyones(&gState); // who makes a queue has come through hsa_init, which called this
  return true;
}

void removeQueueHooks() noexcept {
  if (!gCore)
    return;
  forEachEntry(*gCore, *gAmd, [](auto &field, auto &previous, auto ours) {
    if (field == ours)
      field = previous;
  });
  gCore = nullptr;
}

void abandonQueues() noexcept { gAbandoned = true; }

std::vector<UnderWay> underWay() {
  std::vector<UnderWay> all;
  State *state = gState.load();
  if (gAbandoned || !state)
    return all;
  std::lock_guard lock(state->lock);
  for (const auto &[queue, handler] : state->queues)
    all.push_back({queue, handler->lastVariant()});
  return all;
}

bool isOver(const std::vector<UnderWay> &launches) {
  State *state = gState.load();
  if (gAbandoned || !state)
    return false;
  std::lock_guard lock(state->lock);
  // A queue that has been destroyed has nothing under way.
  return std::all_of(launches.begin(), launches.end(), [&](const UnderWay &one) {
    return std::all_of(state->queues.begin(), state->queues.end(), [&](const auto &known) {
      return known.first != one.queue || known.second->complete() >= one.packet;
    });
  });
}

bool releaseExecutable(hsa_executable_t executable) noexcept {
  if (gAbandoned || !gCore || kernelTable().empty())
    return true;
  try {
    struct Context {
      std::vector<uint64_t> objects;
      bool failed = false;
    } context;
    const auto visit = [](hsa_executable_t, hsa_executable_symbol_t symbol, void *data) {
      auto &c = *static_cast<Context *>(data);
      auto info = gCore->hsa_executable_symbol_get_info_fn;
      hsa_symbol_kind_t kind{};
      uint64_t object = 0;
      if (info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) == HSA_STATUS_SUCCESS &&
          kind == HSA_SYMBOL_KIND_KERNEL &&
          info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) == HSA_STATUS_SUCCESS)
        try {
          c.objects.push_back(object);
        } catch (...) {
          c.failed = true;
        }
      return HSA_STATUS_SUCCESS;
    };
    gCore->hsa_executable_iterate_symbols_fn(executable, visit, &context);
    kernelTable().removeKernels(context.objects);
    return !context.failed;
  } catch (...) {
    return false;
  }
}

} // namespace meld::adapt
