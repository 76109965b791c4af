// The kernels that are watched or have variants: kernel object -> versions, launch classes, trials.
//
// The maker of variants (version_maker.h) calls watch() for an original that has been loaded,
// addVariant() when a variant of it has been, and removeKernels() before the original is unloaded.
// The packet handler (packet_handler.h) looks a packet's kernel object up and asks choose() what to
// run.
//
//   asleep --(launched kLaunchesBefore times in classes that nothing is known of)--> wanted
//     ^                                                                                 |
//     |  made(more)                                          takeWanted(), by the maker |
//     +------------------------------ making <------------------------------------------+
//                                       |  made(): there is nothing more to make
//                                       v
//                                      done
//
//   entries   open-addressed array of {kernel object, state}; a reader takes no lock: a key is
//             published last, a removed key keeps its place without a state, and an array that is
//             too full is replaced by another: one of twice the size, or where there are only many
//             removed keys in it, one of the same. There are at most two of each size, in turns,
//             and none is freed: a reader may still look into it
//   state     made when a kernel is watched or gets its first variant, never freed: a handler may
//             still look at one that was removed. A removed state serves another kernel later;
//             whoever has locked it compares the kernel object again.
//
// A specialised version has a guard (runtime/adapt/guard.h), and runs in no launch for which that
// does not hold. Each launch's arguments are copied once, all guards look at the copy, and the
// choice is between the versions without a guard and those whose guard holds:
//
//   launch   guards that hold        trial of
//   n = 4    {n = 4}                 this launch class with {n = 4}: original, melded, n = 4
//   n = 9    none                    this launch class: original, melded
//   ...      the arguments are not   as without guards that look at arguments
//            in the host's memory
//
// Of launches for which none holds is remembered what they have in common (candidates.h), until
// another specialised version is wanted.
//
// Thread rule: everything may be called from any thread. watch(), addVariant(), removeVariant(),
// wanted() and removeKernels() allocate and lock; find(), looksAtArguments(), choose() and timed()
// do neither: they try for the state's flag for a bounded number of looks, and without it the
// original runs.
#pragma once

#include "runtime/adapt/candidates.h"
#include "runtime/adapt/trial.h"
#include "shim/adapt/kernel_version.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace meld::adapt {

struct KernelState;

/// A launch that is to be timed: hand it back with its time.
struct Timing {
  KernelState *state = nullptr;
  uint32_t generation = 0; ///< of the state
  uint8_t slot = 0;
  uint32_t serial = 0; ///< of what is in the slot
  Trial::Launch launch;
};

struct Choice {
  bool variant = false; ///< run `dispatch` as changed; otherwise the packet as it is
  bool timed = false;
  bool wanted = false; ///< versions are wanted since this launch: tell the maker, wake()
  Timing timing;
};

enum class Added : uint8_t {
  yes,
  full,    ///< the kernel has seven already, or one of this kind
  unequal, ///< needs more scratch than the original, or a dynamic stack that it has not
  known,   ///< this object is one of its versions already
};

class KernelTable {
public:
  KernelTable();
  ~KernelTable();
  /// Launches of the original are counted from now on, until versions of it are wanted. In the
  /// classes of `known` (the first kClasses of them) no other version than the winner is tried, but
  /// where they are open.
  /// `wanted`: versions are wanted at once. `candidates`: specialised versions are wanted, too, for
  /// what it finds. `duels`: go on where they were. Nothing where the kernel is in the table already.
  void watch(const KernelVersion &original, const std::vector<KnownClass> &known, bool wanted,
             std::unique_ptr<Candidates> candidates = nullptr, std::vector<KnownDuel> duels = {});
  /// The kernels that versions are wanted of; each is told once.
  std::vector<uint64_t> takeWanted();
  struct Wanted {
    bool versions = false;  ///< without a guard
    Facts facts;            ///< a version that is specialised for them; empty: none
    bool moreFacts = false; ///< others may be asked for later
    unsigned purposes = 1;  ///< that the launches are for in turns (runtime/adapt/turns.h)
  };
  /// What of that kernel, for its maker; before made().
  Wanted wanted(uint64_t object) const;
  /// The maker is done with the kernel. `more`: it could make others than are there now, and will
  /// be asked for them when the kernel is launched in classes that nothing is known of.
  void made(uint64_t object, bool more);
  /// Neither wanted nor being made. True of a kernel that is not in the table.
  bool settled(uint64_t object) const noexcept;
  /// Who is told that a kernel is wanted; on the thread that launches, so it neither locks nor
  /// allocates.
  void onWanted(void (*wake)() noexcept) { wake_.store(wake, std::memory_order_release); }
  void wake() const noexcept {
    if (auto *wake = wake_.load(std::memory_order_acquire))
      wake();
  }
  /// The variant is tried in the launches from now on. It must stay loaded until removeKernels()
  /// has returned for its original and the launches under way are over.
  Added addVariant(const KernelVersion &original, const KernelVersion &variant);
  /// A specialised version is tried no more: no launch that is chosen for from now on runs it, and
  /// what was measured in launches for which its guard held is forgotten. Those under way are the
  /// caller's business. False: no such version.
  bool removeVariant(uint64_t original, uint64_t variant);
  /// Launches of these originals from now on run as they are.
  void removeKernels(const std::vector<uint64_t> &objects);
  /// All of them: ROCr has shut down, and its addresses will be other kernels'.
  void removeAll();

  /// No kernel is watched or has a variant: there is nothing to look up.
  bool empty() const { return live_.load(std::memory_order_relaxed) == 0; }
  /// nullptr: not in the table.
  KernelState *find(uint64_t object) const noexcept;
  /// Does choose() want to see the arguments? They are asked for only then.
  static bool looksAtArguments(const KernelState &state) noexcept;
  /// What runs, and whether its time is wanted; `timers`: how many launches the queue can time.
  Choice choose(KernelState &state, Dispatch &dispatch, unsigned timers) noexcept;
  /// False: another thread has the kernel's state; try again later.
  bool timed(const Timing &timing, double nanoseconds) noexcept;
  /// There will be no time. Waits for the state; not for handlers.
  void untimed(const Timing &timing) noexcept;

  /// How many places there are in all arrays, for tests.
  size_t places() const;
  /// For reports and tests.
  struct ClassReport {
    uint32_t launchClass;
    Guards guards; ///< those that hold
    Trial trial;
    std::array<uint8_t, kMaxVersions> kinds; ///< of each version of the trial
    unsigned versions;                       ///< of the trial
  };
  struct KernelReport {
    bool asleep = true;                                         ///< nothing was wanted until now
    std::array<SpecialisedUse, kMostSpecialised> specialised{}; ///< by kind
    Budget budget;
    std::vector<ClassReport> classes;
  };
  KernelReport report(uint64_t object) const;

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
  Entries *emptied(size_t size);
  void publish(uint64_t object, KernelState *state);
  KernelState *fresh();

  mutable std::mutex writers_;
  std::atomic<Entries *> entries_{nullptr};
  std::atomic<size_t> live_{0};
  std::atomic<void (*)() noexcept> wake_{nullptr};
  std::vector<std::unique_ptr<Entries>> old_;
  std::vector<std::unique_ptr<KernelState>> states_;
  std::vector<KernelState *> spare_;
};

/// The process's table, never destroyed: packets are handled while static destructors run.
KernelTable &kernelTable() noexcept;

} // namespace meld::adapt
