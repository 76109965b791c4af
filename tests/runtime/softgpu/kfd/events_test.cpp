#include "runtime/softgpu/kfd/events.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace meld::softgpu {
namespace {

uint32_t make(Events &events, bool autoReset, uint32_t type = KFD_IOC_EVENT_SIGNAL) {
  kfd_ioctl_create_event_args args{};
  args.event_type = type;
  args.auto_reset = autoReset;
  EXPECT_EQ(events.create(args), 0);
  EXPECT_NE(args.event_page_offset, 0u);
  EXPECT_EQ(args.event_slot_index, args.event_id);
  return args.event_id;
}

uint32_t wait(Events &events, std::vector<kfd_event_data> &data, bool all, uint32_t timeout,
              int expected = 0) {
  kfd_ioctl_wait_events_args args{};
  args.num_events = static_cast<uint32_t>(data.size());
  args.wait_for_all = all;
  args.timeout = timeout;
  EXPECT_EQ(events.wait(args, data.data()), expected);
  return args.wait_result;
}
uint32_t waitOne(Events &events, uint32_t id, uint32_t timeout) {
  std::vector<kfd_event_data> data(1);
  data[0] = {};
  data[0].event_id = id;
  return wait(events, data, true, timeout);
}
uint64_t age(const kfd_event_data &d) {
  uint64_t a;
  std::memcpy(&a, &d, 8);
  return a;
}
void setAge(kfd_event_data &d, uint64_t a) { std::memcpy(&d, &a, 8); }

constexpr uint32_t kComplete = KFD_IOC_WAIT_RESULT_COMPLETE, kTimeout = KFD_IOC_WAIT_RESULT_TIMEOUT;

TEST(Events, AutoResetIsConsumedByTheWait) {
  Events events;
  const uint32_t id = make(events, true);
  EXPECT_EQ(waitOne(events, id, 0), kTimeout);
  EXPECT_EQ(events.set(id), 0);
  EXPECT_EQ(waitOne(events, id, 0), kComplete);
  EXPECT_EQ(waitOne(events, id, 0), kTimeout);
}

TEST(Events, ManualResetStays) {
  Events events;
  const uint32_t id = make(events, false);
  events.set(id);
  EXPECT_EQ(waitOne(events, id, 0), kComplete);
  EXPECT_EQ(waitOne(events, id, 0), kComplete);
  EXPECT_EQ(events.reset(id), 0);
  EXPECT_EQ(waitOne(events, id, 0), kTimeout);
}

TEST(Events, SetWakesEveryWaiterAndLeavesAutoResetUnsignaled) {
  Events events;
  const uint32_t id = make(events, true);
  std::atomic<int> woken{0}, entered{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      ++entered;
      if (waitOne(events, id, 0xffffffff) == kComplete)
        ++woken;
    });
  while (entered < 4)
    std::this_thread::yield();
  // Whoever has not gone to sleep yet is served by a later set: each set wakes all that are there.
  while (woken < 4) {
    events.set(id);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto &t : threads)
    t.join();
}

TEST(Events, AnyAndAll) {
  Events events;
  const uint32_t a = make(events, false), b = make(events, false);
  std::vector<kfd_event_data> data(2);
  data[0].event_id = a;
  data[1].event_id = b;
  events.set(b);
  EXPECT_EQ(wait(events, data, false, 0), kComplete);
  EXPECT_EQ(wait(events, data, true, 5), kTimeout);
  events.set(a);
  EXPECT_EQ(wait(events, data, true, 0), kComplete);
}

TEST(Events, AllAcrossTime) {
  Events events;
  const uint32_t a = make(events, true), b = make(events, true);
  std::vector<kfd_event_data> data(2);
  data[0].event_id = a;
  data[1].event_id = b;
  std::thread setter([&] {
    for (uint32_t id : {a, b}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      events.set(id);
    }
  });
  EXPECT_EQ(wait(events, data, true, 0xffffffff), kComplete);
  setter.join();
}

TEST(Events, AgesCloseTheWindowBeforeTheWait) {
  Events events;
  const uint32_t id = make(events, true);
  std::vector<kfd_event_data> data(1);
  data[0].event_id = id;
  setAge(data[0], 1); // what a caller passes that never waited
  EXPECT_EQ(wait(events, data, true, 0), kTimeout);
  events.set(id);
  EXPECT_EQ(waitOne(events, id, 0), kComplete);      // somebody without ages takes the signal...
  EXPECT_EQ(wait(events, data, true, 0), kComplete); // ...and we learn from the age that it was set
  EXPECT_EQ(age(data[0]), 2u);
  EXPECT_EQ(wait(events, data, true, 0), kTimeout);
  EXPECT_EQ(age(data[0]), 2u);
}

TEST(Events, DestroyFailsItsWaiters) {
  Events events;
  const uint32_t id = make(events, true);
  std::atomic<uint32_t> result{99};
  std::thread waiter([&] {
    kfd_event_data data{};
    data.event_id = id;
    kfd_ioctl_wait_events_args args{};
    args.num_events = 1;
    args.timeout = 0xffffffff;
    const int rc = events.wait(args, &data);
    result = rc == -EIO      ? args.wait_result
             : rc == -EINVAL ? uint32_t{KFD_IOC_WAIT_RESULT_FAIL}
                             : 98u;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(events.destroy(id), 0);
  waiter.join();
  EXPECT_EQ(result, uint32_t{KFD_IOC_WAIT_RESULT_FAIL});
  EXPECT_EQ(events.set(id), -EINVAL);
  EXPECT_EQ(events.destroy(id), -EINVAL);
}

TEST(Events, MemoryFaultFillsItsEvent) {
  Events events;
  const uint32_t id = make(events, false, KFD_IOC_EVENT_MEMORY), other = make(events, false);
  events.memoryFault(0xdead000, true, false, 42);
  std::vector<kfd_event_data> data(1);
  data[0].event_id = id;
  EXPECT_EQ(wait(events, data, true, 0), kComplete);
  EXPECT_EQ(data[0].memory_exception_data.va, 0xdead000u);
  EXPECT_EQ(data[0].memory_exception_data.gpu_id, 42u);
  EXPECT_EQ(data[0].memory_exception_data.failure.NotPresent, 1u);
  EXPECT_EQ(waitOne(events, other, 0), kTimeout);
}

TEST(Events, AnInterruptWithEightBitsFindsItsEvent) {
  Events events;
  std::vector<uint32_t> ids;
  for (int i = 0; i < 600; ++i)
    ids.push_back(make(events, true));
  const uint32_t target = ids[550];
  events.interrupt(target & 0xff);
  EXPECT_EQ(waitOne(events, target, 0), kComplete);
  EXPECT_EQ(waitOne(events, ids[551], 0), kTimeout);
  events.interrupt(target);
  EXPECT_EQ(waitOne(events, target, 0), kComplete);
  EXPECT_EQ(waitOne(events, ids[550 - 256], 0),
            kComplete); // shared low bits, from the first interrupt
  EXPECT_EQ(waitOne(events, ids[550 - 256], 0), kTimeout);
}

TEST(Events, TheLimitIsReported) {
  Events events;
  kfd_ioctl_create_event_args args{};
  int created = 0;
  while (events.create(args) == 0)
    ++created;
  EXPECT_EQ(created, KFD_SIGNAL_EVENT_LIMIT - 1);
  EXPECT_EQ(events.destroy(7), 0);
  EXPECT_EQ(events.create(args), 0);
  EXPECT_EQ(args.event_id, 7u);
}

} // namespace
} // namespace meld::softgpu
