#include "runtime/softgpu/kfd/activity.h"
#include "runtime/softgpu/kfd/services.h"

#include <algorithm>
#include <ctime>
#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace meld::softgpu {

Activity &Activity::instance() {
  static Activity activity; // trivially destructible: safe at exit
  return activity;
}

void Activity::announce() {
  word_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst))
    ::syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

void Activity::wait(uint32_t seen, uint64_t nanoseconds) {
  timespec bound{static_cast<time_t>(nanoseconds / 1'000'000'000),
                 static_cast<long>(nanoseconds % 1'000'000'000)};
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, &bound, nullptr, 0);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

bool Backoff::dormant() const { return rounds_ && now_ - idleSince_ > 100'000'000; }

void Backoff::pause(bool blocked, uint32_t seen) {
  // A launch-and-wait loop comes back within some 10 us: spin that long, giving way to other
  // threads (the host may have fewer cores than we have queues). Then sleep, longer each time.
  constexpr uint64_t kSpin = 25'000, kFirst = 20'000, kLongest = 500'000;
  now_ = gpuClock();
  if (rounds_ == 0)
    idleSince_ = now_;
  ++rounds_;
  const uint64_t idle = now_ - idleSince_;
  if (idle < kSpin) {
    for (int i = 0; i < 16; ++i)
      _mm_pause();
    if (rounds_ % 4 == 0)
      ::sched_yield();
    return;
  }
  // What other queues complete is announced; only signals that the host writes are found by looking
  // again.
  const uint64_t sleep = std::clamp(idle / (blocked ? 8 : 2), kFirst, kLongest);
  Activity::instance().wait(seen, sleep);
}

} // namespace meld::softgpu
