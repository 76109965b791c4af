// The time stamps of one queue: the host's clock, or with MELD_GPU_TIMING the modelled device's.
//
//   dispatch   start = now + launch overhead    end = start + cycles at the device's clock
//   barrier    now = max(now, when the signals it waits for were completed); start = end = now
//   SDMA       a copy or a fill takes bytes / bandwidth; a poll of a signal is as a barrier
// A queue's time begins at the process's first look at the clock and moves only by what the queue
// executes; a queue that had run empty goes on from the latest completion on the device, because
// the host may have waited for that before it wrote the next packet. A device is idle for no time
// between two packets, and the host takes no time at all: so how long a dispatch takes, and the
// differences between two stamps of one queue that it alone works between, are the same in every
// run, on any host, under any load. When one queue begins relative to another depends on the host,
// which may see a packet late, and on the runtime, which waits for nothing that is complete.
//
// Noise, for tests of what decides by these times: MELD_GPU_NOISE=percent[,outliers[,seed]]
// multiplies each dispatch's duration with exp(percent/100 * g), g normally distributed; `outliers`
// percent of the dispatches take 1.2 to 4 times as long besides. The sequence is a function of
// seed, device, queue and the number of the dispatch, nothing else.
//
// Thread rule: one queue's thread.
#pragma once

#include "runtime/settings/kinds.h"

#include <atomic>
#include <cstdint>

namespace meld::softgpu {

struct ModelTime {
  uint32_t clockMhz = 0; ///< of the modelled device; 0: the stamps are the host's clock
  unsigned device = 0;
  TimeNoise noise;
  std::atomic<uint64_t> *latest = nullptr; ///< the device's latest completion, of all its queues
};

/// Bytes of an SDMA copy or fill in a microsecond: what PCI Express 4.0 with 16 lanes carries, 25
/// GB/s. An assumption; device to device the engines of a real device are faster.
inline constexpr uint64_t kCopyBytesPerMicrosecond = 25'000;

class QueueClock {
public:
  struct Span {
    uint64_t start = 0, end = 0; ///< nanoseconds
  };

  QueueClock(const ModelTime &model, unsigned queue) : model_(model), queue_(queue) {}
  bool modelled() const { return model_.clockMhz != 0; }

  /// There is work again, after there was none.
  void arrived();
  /// The stamp for this moment of the queue.
  uint64_t now();
  /// The queue waited for what was completed at `end`. No effect on the host's clock.
  void waitedUntil(uint64_t end);
  /// The same for an HSA signal, or for an address that may be a signal's value.
  void waitedForSignal(uint64_t handle);
  void waitedForValue(uint64_t address);
  /// A dispatch that the host ran from `hostStart` until now.
  Span dispatch(uint64_t hostStart, uint64_t cycles, uint64_t overheadCycles);
  /// A copy or a fill by SDMA.
  void moved(uint64_t bytes);

private:
  uint64_t &time();
  void completed();
  uint64_t noisy(uint64_t nanoseconds);

  ModelTime model_;
  unsigned queue_;
  uint64_t now_ = 0, dispatches_ = 0;
};

} // namespace meld::softgpu
