// The kernels that have variants: kernel object -> versions, launch classes, trials.
//
// The maker of variants calls addVariant() when one has been loaded, and removeKernels() before an
// original is unloaded. The packet handler (packet_handler.h) looks a packet's kernel object up and
// asks choose() what to run.
//
//   entries   open-addressed array of {kernel object, state}; a reader takes no lock: a key is
//             published last, a removed key keeps its place without a state, and an array that is
//             too full is replaced by one of twice the size (the old one stays: the sum of all
//             sizes is bounded by twice the last)
//   state     made when a kernel gets its first variant, never freed: a handler may still look at
//             one that was removed. A removed state serves another kernel later; whoever has
//             locked it compares the kernel object again.
//
// Thread rule: everything may be called from any thread. addVariant() and removeKernels() allocate
// and lock; find(), choose() and timed() do neither: they try for the state's flag for a
// bounded number of looks, and without it the original runs.
#pragma once

#include "runtime/adapt/launch_class.h"
#include "runtime/adapt/trial.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace meld::adapt {

/// One version of a kernel, as HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_* tell it.
struct KernelVersion {
  uint64_t object = 0;    ///< kernel object: the address of its descriptor on the device
  uint32_t staticLds = 0; ///< bytes of group segment
  uint32_t scratch = 0;   ///< bytes of private segment per work-item
  bool dynamicStack = false;
};

/// What of a dispatch packet the choice depends on, and what it changes.
struct Dispatch {
  uint64_t object = 0;
  LaunchShape shape;
  uint32_t privateSegment = 0, groupSegment = 0;
};

struct KernelState;

/// A launch that is to be timed: hand it back with its time.
struct Timing {
  KernelState *state = nullptr;
  uint32_t generation = 0; ///< of the state
  uint8_t slot = 0;
  Trial::Launch launch;
};

struct Choice {
  bool variant = false; ///< run `dispatch` as changed; otherwise the packet as it is
  bool timed = false;
  Timing timing;
};

enum class Added : uint8_t {
  yes,
  full,    ///< the kernel has seven already
  unequal, ///< needs more scratch than the original, or LDS where the original has dynamic stack
  known,   ///< this object is one of its versions already
};

class KernelTable {
public:
  KernelTable();
  ~KernelTable();
  /// The variant is tried in the launches from now on. It must stay loaded until removeKernels()
  /// has returned for its original and the launches under way are over.
  Added addVariant(const KernelVersion &original, const KernelVersion &variant);
  /// Launches of these originals from now on run as they are.
  void removeKernels(const std::vector<uint64_t> &objects);
  /// All of them: ROCr has shut down, and its addresses will be other kernels'.
  void removeAll();

  /// No kernel has a variant: there is nothing to look up.
  bool empty() const { return live_.load(std::memory_order_relaxed) == 0; }
  /// nullptr: none that has variants.
  KernelState *find(uint64_t object) const noexcept;
  /// What runs, and whether its time is wanted; `timers`: how many launches the queue can time.
  Choice choose(KernelState &state, Dispatch &dispatch, unsigned timers) noexcept;
  /// False: another thread has the kernel's state; try again later.
  bool timed(const Timing &timing, double nanoseconds) noexcept;
  /// There will be no time. Waits for the state; not for handlers.
  void untimed(const Timing &timing) noexcept;

  /// For reports and tests.
  struct ClassReport {
    uint32_t launchClass;
    Trial trial;
    std::array<uint8_t, kMaxVersions> versions; ///< which variant each version of the trial is
  };
  std::vector<ClassReport> report(uint64_t object) const;

private:
  struct Entry {
    std::atomic<uint64_t> object{0};
    std::atomic<KernelState *> state{nullptr};
  };
  struct Entries {
    explicit Entries(size_t count) : places(count) {}
    std::vector<Entry> places; ///< a power of two of them
    size_t used = 0;           ///< with removed ones
  };

  static Entry *place(Entries &entries, uint64_t object);
  void publish(uint64_t object, KernelState *state);
  KernelState *fresh();

  std::mutex writers_;
  std::atomic<Entries *> entries_{nullptr};
  std::atomic<size_t> live_{0};
  std::vector<std::unique_ptr<Entries>> old_;
  std::vector<std::unique_ptr<KernelState>> states_;
  std::vector<KernelState *> spare_;
};

/// The process's table, never destroyed: packets are handled while static destructors run.
KernelTable &kernelTable() noexcept;

} // namespace meld::adapt
