#include "runtime/softgpu/kfd/events.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace meld::softgpu {

namespace {
// Newer headers name this field; the first eight bytes of the union carry it.
uint64_t lastAge(const kfd_event_data &data) {
  uint64_t age;
  std::memcpy(&age, &data, sizeof age);
  return age;
}
void setLastAge(kfd_event_data &data, uint64_t age) { std::memcpy(&data, &age, sizeof age); }

bool carriesAge(uint32_t type) { return type == KFD_IOC_EVENT_SIGNAL; }
} // namespace

int Events::create(kfd_ioctl_create_event_args &args) {
  std::lock_guard lock(mutex_);
  if (events_.size() >= KFD_SIGNAL_EVENT_LIMIT - 1)
    return -ENOSPC;
  while (nextId_ == 0 || nextId_ >= KFD_SIGNAL_EVENT_LIMIT || events_.count(nextId_))
    nextId_ = nextId_ + 1 >= KFD_SIGNAL_EVENT_LIMIT ? 1 : nextId_ + 1;
  Event &event = events_[nextId_];
  event.type = args.event_type;
  event.autoReset = args.auto_reset;
  args.event_id = nextId_;
  args.event_slot_index = nextId_;
  args.event_trigger_data = nextId_;
  // The thunk takes a slot's address only when the offset is not 0; with its own page it passes a
  // handle.
  if (args.event_page_offset == 0)
    args.event_page_offset = 0x20000;
  ++nextId_;
  return 0;
}

int Events::destroy(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end())
    return -EINVAL;
  for (const Waiter &waiter : it->second.waiters) {
    waiter.call->failed = true;
    waiter.call->wake.notify_all();
  }
  events_.erase(it);
  return 0;
}

void Events::setLocked(Event &event) {
  event.signaled = !event.autoReset || event.waiters.empty();
  if (++event.age == 0)
    event.age = 2; // 0 and 1 are what a caller that never waited passes
  for (const Waiter &waiter : event.waiters) {
    waiter.call->activated[waiter.index] = 1;
    waiter.call->wake.notify_all();
  }
  // An activated waiter no longer waits: a second set before it runs must leave the event signaled.
  event.waiters.clear();
}

int Events::set(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end())
    return -EINVAL;
  setLocked(it->second);
  return 0;
}

void Events::interrupt(uint32_t id) {
  std::lock_guard lock(mutex_);
  for (auto &[eventId, event] : events_)
    if (event.type == KFD_IOC_EVENT_SIGNAL &&
        (eventId == id || (id < 256 && (eventId & 0xff) == id)))
      setLocked(event);
}

int Events::reset(uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto it = events_.find(id);
  if (it == events_.end())
    return -EINVAL;
  it->second.signaled = false;
  return 0;
}

int Events::wait(kfd_ioctl_wait_events_args &args, kfd_event_data *data) {
  using Clock = std::chrono::steady_clock;
  const uint32_t n = args.num_events;
  std::unique_lock lock(mutex_);
  for (uint32_t i = 0; i < n; ++i)
    if (!events_.count(data[i].event_id))
      return -EINVAL;

  WaitCall call;
  call.activated.assign(n, 0);
  std::vector<uint8_t> aged(n, 0);
  for (uint32_t i = 0; i < n; ++i) {
    Event &event = events_.at(data[i].event_id);
    if (event.signaled) {
      call.activated[i] = 1;
      event.signaled = !event.autoReset;
    }
    if (carriesAge(event.type) && lastAge(data[i])) {
      aged[i] = 1;
      if (event.age != lastAge(data[i]))
        call.activated[i] = 1;
    }
    if (!call.activated[i])
      event.waiters.push_back({&call, i});
  }

  auto done = [&] {
    if (call.failed)
      return true;
    const auto hits = std::count(call.activated.begin(), call.activated.end(), 1);
    return n == 0 || (args.wait_for_all ? hits == static_cast<long>(n) : hits > 0);
  };
  bool complete = done();
  if (!complete && args.timeout != 0) {
    if (args.timeout == 0xffffffffu) {
      call.wake.wait(lock, done);
      complete = true;
    } else {
      complete =
          call.wake.wait_until(lock, Clock::now() + std::chrono::milliseconds(args.timeout), done);
    }
  }

  for (uint32_t i = 0; i < n; ++i) {
    const auto it = events_.find(data[i].event_id);
    if (it == events_.end()) {
      call.failed = true;
      continue;
    }
    Event &event = it->second;
    std::erase_if(event.waiters, [&](const Waiter &w) { return w.call == &call; });
    if (!call.activated[i])
      continue;
    if (event.type == KFD_IOC_EVENT_MEMORY)
      data[i].memory_exception_data = event.fault;
    else if (aged[i])
      setLastAge(data[i], event.age);
  }
  args.wait_result = call.failed ? KFD_IOC_WAIT_RESULT_FAIL
                     : complete  ? KFD_IOC_WAIT_RESULT_COMPLETE
                                 : KFD_IOC_WAIT_RESULT_TIMEOUT;
  return call.failed ? -EIO : 0;
}

void Events::memoryFault(uint64_t address, bool notPresent, bool readOnly, uint32_t gpuId) {
  std::lock_guard lock(mutex_);
  for (auto &[id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_MEMORY)
      continue;
    event.fault = {};
    event.fault.failure.NotPresent = notPresent;
    event.fault.failure.ReadOnly = readOnly;
    event.fault.va = address;
    event.fault.gpu_id = gpuId;
    setLocked(event);
  }
}

} // namespace meld::softgpu
