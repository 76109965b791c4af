// One word that changes whenever something happened another queue may wait for (a signal was
// completed), so that queue threads can sleep instead of polling each other.
//
// A queue thread that finds nothing to do calls wait(): it returns when something was announced, or
// after `nanoseconds`. Doorbells and signals that the host writes are plain memory, which nobody
// announces; the bound on the sleep is what makes them seen.
#pragma once

#include <atomic>
#include <cstdint>

namespace meld::softgpu {

class Activity {
public:
  static Activity &instance();
  uint32_t current() const { return word_.load(std::memory_order_acquire); }
  void announce();
  void wait(uint32_t seen, uint64_t nanoseconds);

private:
  std::atomic<uint32_t> word_{0};
  std::atomic<uint32_t> sleepers_{0};
};

/// How long a queue thread spins, then sleeps, as a function of how long it has found nothing.
class Backoff {
public:
  void reset() { rounds_ = 0; }
  /// Spins or sleeps once. `blocked`: waiting for a signal, so stay attentive. `seen`: the activity
  /// word from before the caller looked for work.
  void pause(bool blocked, uint32_t seen);
  /// Idle for so long that the watcher (queue.h) may take over: sleep until something is announced.
  bool dormant() const;

private:
  uint64_t idleSince_ = 0, now_ = 0;
  uint32_t rounds_ = 0;
};

} // namespace meld::softgpu
