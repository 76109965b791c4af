#include "runtime/softgpu/kfd/activity.h"
#include "runtime/softgpu/kfd/services.h"

#include <atomic>
#include <ctime>
#include <hsa/amd_hsa_signal.h>

namespace meld::softgpu {

namespace {

uint64_t nanoseconds(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace

uint64_t gpuClock() { return nanoseconds(CLOCK_MONOTONIC_RAW); }
uint64_t systemClock() { return nanoseconds(CLOCK_BOOTTIME); }

namespace {

void fire(uint64_t mailbox, uint32_t event, const Services &services) {
  if (mailbox) {
    std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t *>(mailbox))
        .store(event, std::memory_order_release);
    services.setEvent(event);
  }
  Activity::instance().announce();
}

std::atomic_ref<int64_t> valueOf(amd_signal_t *signal) {
  return std::atomic_ref<int64_t>(const_cast<int64_t &>(signal->value));
}

} // namespace

void completeSignal(uint64_t handle, uint64_t start, uint64_t end, const Services &services) {
  if (!handle)
    return;
  auto *signal = reinterpret_cast<amd_signal_t *>(handle);
  // The host may look at the times while they are written, and one signal may serve two queues in turns.
  std::atomic_ref(signal->start_ts).store(start, std::memory_order_relaxed);
  std::atomic_ref(signal->end_ts).store(end, std::memory_order_relaxed);
  // Read before the value changes: whoever sees the new value may free the signal.
  const uint64_t mailbox = signal->event_mailbox_ptr;
  const uint32_t event = signal->event_id;
  valueOf(signal).fetch_sub(1, std::memory_order_acq_rel);
  fire(mailbox, event, services);
}

void storeSignal(uint64_t handle, int64_t value, const Services &services) {
  if (!handle)
    return;
  auto *signal = reinterpret_cast<amd_signal_t *>(handle);
  const uint64_t mailbox = signal->event_mailbox_ptr;
  const uint32_t event = signal->event_id;
  valueOf(signal).store(value, std::memory_order_release);
  fire(mailbox, event, services);
}

} // namespace meld::softgpu
