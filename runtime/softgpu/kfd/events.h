// KFD events with the kernel's semantics.
//
// An event is signaled or not, wakes all threads that wait for it, and counts how often it was set
// (its "age").
//   set:   everyone waiting now is activated; signaled := !autoReset || nobody waited; age += 1.
//   wait:  on entry a waiter consumes `signaled` (an auto-reset event becomes unsignaled); with a
//   last-known age
//          (newer thunks), an event set since then counts as signaled too, which closes the window
//          between a caller's check of its value and its wait. The age is written back.
// A wait for a destroyed event fails instead of sleeping for ever.
//
// Thread rule: thread-safe. Objects are leaked at exit on purpose: threads may still wait then.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <linux/kfd_ioctl.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace meld::softgpu {

class Events {
public:
  /// Returns 0 or -errno; fills event_id and event_slot_index, and event_page_offset where the
  /// caller left 0.
  int create(kfd_ioctl_create_event_args &args);
  int destroy(uint32_t id);
  int set(uint32_t id);
  int reset(uint32_t id);
  /// An interrupt with the event's id or, below 256, perhaps only its low 8 bits: all that match
  /// are set. One set too many only wakes a thread that looks at its value again.
  void interrupt(uint32_t id);

  /// `data` is an array of `args.num_events`; fills args.wait_result.
  int wait(kfd_ioctl_wait_events_args &args, kfd_event_data *data);

  /// Raises the memory-exception events (type 8) with this fault.
  void memoryFault(uint64_t address, bool notPresent, bool readOnly, uint32_t gpuId);

private:
  struct WaitCall {
    std::condition_variable wake;
    std::vector<uint8_t> activated;
    bool failed = false;
  };
  struct Waiter {
    WaitCall *call;
    uint32_t index;
  };
  struct Event {
    uint32_t type = 0;
    bool autoReset = false, signaled = false;
    uint64_t age = 1;
    kfd_hsa_memory_exception_data fault = {};
    std::vector<Waiter> waiters;
  };
  void setLocked(Event &event);

  std::mutex mutex_;
  std::map<uint32_t, Event> events_;
  uint32_t nextId_ = 1;
};

} // namespace meld::softgpu
