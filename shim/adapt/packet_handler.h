// What happens to the packets of one queue on their way to the device.
//
//   application -> ROCr's intercept queue -> handle(): rewrite, time, fence -> the hardware's ring
//
//   rewrite   a dispatch of a kernel that has variants runs the version that KernelTable chooses:
//             kernel object, LDS and scratch of a copy of the packet change, nothing else
//   time      a dispatch whose time is wanted, and which has no completion signal of its own, gets
//             one of ours; the device writes start and end into it, and a later call of handle()
//             reads them. Nobody waits, no interrupt is raised, there is no thread.
//   fence     every size/16 packets a signal of ours says how far the device is. When 3/4 of the
//             ring are under way, handle() waits for the oldest. ROCr before 6.0 aborts (or loses
//             the order) when the ring of an intercept queue is full, and calls the writer once
//             only: so packets that are added are written in the same call. The ring is twice as
//             large as what was asked for (queue_hooks.h): nobody waits who did not wait before.
//
// A fence in a packet with the barrier bit also says that all before it is complete. Before a
// barrier packet of the application's, behind which it may wait and then unload code, such a fence
// goes in where a variant ran since the last one.
//
// Thread rule: handle() as ROCr calls it, under the queue's lock: one thread at a time. No
// allocation (begin() makes some), no lock, no HSA call but loads and stores of signals, and for
// kernels whose versions depend on arguments the one question of kernarg_memory.h; it never throws.
// lastVariant(), complete() from any thread.
#pragma once

#include "shim/adapt/kernarg_memory.h"
#include "shim/adapt/kernel_table.h"
#include "shim/hsa.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace meld::adapt {

/// One slot of a ring.
struct alignas(64) Packet {
  std::array<uint8_t, 64> bytes;
};
static_assert(sizeof(Packet) == sizeof(hsa_kernel_dispatch_packet_t));

/// Of what a launch's facts are compared with; without the dynamic LDS.
LaunchShape shapeOf(const hsa_kernel_dispatch_packet_t &packet) noexcept;

class PacketHandler {
public:
  using Writer = hsa_amd_queue_intercept_packet_writer;
  static constexpr unsigned kFences = 64, kTimers = 32;
  /// Packets of one call; of more none is rewritten or timed.
  static constexpr unsigned kBatch = 16;

  struct Signals {
    hsa_signal_value_t (*load)(hsa_signal_t) = nullptr;        ///< acquire
    void (*store)(hsa_signal_t, hsa_signal_value_t) = nullptr; ///< without waking anybody
    std::array<hsa_signal_t, kFences> fences{};
    std::array<hsa_signal_t, kTimers> timers{};
  };
  struct Queue {
    KernelTable *table = nullptr;
    uint32_t ring = 0;             ///< packets
    double nanosecondsPerTick = 1; ///< of the device's clock
    /// Wait for outstanding times before each choice, for at most two seconds: with modelled times
    /// what is decided, and when, is then the same in every run.
    bool waitForTimes = false;
    /// Wait for a kernel's versions where they are wanted, for at most two minutes: the launch from
    /// which on there is a choice is then the same in every run. For tests and benchmarks.
    bool waitForVersions = false;
    /// Where arguments lie; null: no version is chosen for its arguments.
    KernargMemory::Ask askForMemory = nullptr;
  };

  explicit PacketHandler(const Signals &signals) : signals_(signals) {}

  /// For a new queue. Before its first packet.
  void begin(const Queue &queue) noexcept;
  /// The queue is gone.
  void end() noexcept;

  void handle(const void *packets, uint64_t count, Writer write) noexcept;

  /// Number of the last packet that ran a variant or for which one is being chosen, and how many of
  /// the first are known to be complete. A variant that left the table before this call is run by no
  /// later packet.
  uint64_t lastVariant() const;
  uint64_t complete() noexcept;

private:
  /// What one call writes.
  struct Batch {
    Packet *packets;
    uint64_t most;
    uint64_t count = 0;
  };
  struct Fence {
    std::atomic<uint64_t> packet{0}; ///< its number
    std::atomic<bool> all{false};    ///< complete with all before it
  };

  void copy(const uint8_t *from, uint64_t count, Batch &batch);
  void rewrite(Packet &packet, uint64_t number);
  void fence(Batch &batch, Packet *carrier);
  bool fenceIsDue(const Batch &batch) const;
  void makeRoom(uint64_t count);
  void retire();
  void harvest();
  void awaitTimes();
  void awaitVersions(uint64_t object);
  uint64_t after(const Batch &batch) const { return sent_ + batch.count; }

  Signals signals_;
  Queue queue_;
  uint64_t sent_ = 0, done_ = 0, lastFence_ = 0, lastAll_ = 0;
  std::atomic<uint64_t> lastVariant_{0}, choosing_{0}, complete_{0};
  std::array<Fence, kFences> fences_;
  std::atomic<uint64_t> firstFence_{0}, nextFence_{0};
  std::unique_ptr<Packet[]>
      many_;          ///< for more than kBatch packets and their fences; not touched before
  uint64_t most_ = 0; ///< its size
  KernargMemory kernargs_;
  std::array<Timing, kTimers> timings_{};
  uint64_t firstTimer_ = 0, nextTimer_ = 0;
  bool patient_ = true;
  uint64_t patience_ = 0; ///< nanoseconds
};

} // namespace meld::adapt
