// What is known of one kernel while it is launched: its versions, its launch classes, and the right
// to look at them. Of kernel_table.cpp alone.
//
// Thread rule: everything but `held` and `argumentBytes` only by who holds the state.
#pragma once

#include "runtime/adapt/trial.h"
#include "shim/adapt/kernel_version.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace meld::adapt {

enum class Making : uint8_t { asleep, wanted, making, done };

/// Launches of one class for which the same guards hold.
struct ClassSlot {
  uint32_t launchClass = 0; ///< 0: free
  Guards guards = 0;
  uint32_t serial = 0; ///< never twice in a state: times of what was here before are nobody's
  Trial trial;
  unsigned versions = 1;                   ///< of the trial
  std::array<uint8_t, kMaxVersions> map{}; ///< version of the trial -> version of the kernel
};

struct KernelState {
  std::atomic<bool> held{false};
  /// Of a launch's argument block, that are looked at. Written by who holds the state.
  std::atomic<uint32_t> argumentBytes{0};
  // The rest only by who holds it.
  uint32_t generation = 0;
  unsigned versionCount = 0; ///< 0: removed
  std::array<KernelVersion, kMaxVersions> versions{};
  Making making = Making::done;
  bool woken = false;    ///< was wanted at some time
  unsigned launches = 0; ///< while asleep, in classes that nothing is known of
  unsigned knownCount = 0;
  std::array<KnownClass, kClasses> known{};
  std::vector<KnownDuel> duels; ///< of classes in which not all was tried
  std::unique_ptr<Candidates> candidates;
  bool versionsWanted = false, factsWanted = false;
  std::array<SpecialisedUse, kMostSpecialised> specialised{};
  uint64_t uses = 0;
  uint32_t slotSerial = 0;
  Budget budget;
  std::array<ClassSlot, kClasses> classes{};
};

/// The right to look at a state; not had when another thread keeps it too long.
class Hold {
public:
  explicit Hold(KernelState &state) noexcept : state_(state) {
    for (unsigned look = 0; look < kTries && !had_; ++look) {
      if (!state_.held.load(std::memory_order_relaxed))
        had_ = !state_.held.exchange(true, std::memory_order_acquire);
#if defined(__x86_64__)
      if (!had_)
        __builtin_ia32_pause();
#endif
    }
  }
  ~Hold() {
    if (had_)
      state_.held.store(false, std::memory_order_release);
  }
  Hold(const Hold &) = delete;
  explicit operator bool() const { return had_; }

private:
  static constexpr unsigned kTries = 64; ///< for a flag that another thread holds for some 100 ns
  KernelState &state_;
  bool had_ = false;
};

/// Where the launches of that class, for which these guards hold, are decided about; null where there
/// are too many of such places.
ClassSlot *classOf(KernelState &state, uint32_t launchClass, Guards guards);
/// Null where nothing is known from before.
const KnownClass *knownClass(const KernelState &state, uint32_t launchClass, Guards guards);
/// May it run in the launches for which these guards hold?
bool isAllowed(const KernelVersion &version, Guards guards);
/// A version that has just got its place is tried in all launches in which it may run.
void addToClasses(KernelState &state, unsigned version);
/// Takes a specialised version away, and what was measured in launches for which its guard held.
void removeFromClasses(KernelState &state, unsigned version);
void updateArgumentBytes(KernelState &state);
/// Which guards hold for the launch. Where none does that looks at arguments, it is one that a
/// specialised version may be asked for; `wanted`: it is. The arguments are read once.
Guards lookAtFacts(KernelState &state, const Dispatch &dispatch, bool &wanted);
/// A state for another kernel than before.
void start(KernelState &state, const KernelVersion &original);

} // namespace meld::adapt
