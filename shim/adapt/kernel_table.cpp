#include "shim/adapt/kernel_table.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace meld::adapt {

namespace {
constexpr unsigned kLooks = 64; ///< for a flag that another thread holds for some 100 ns

enum class Making : uint8_t { asleep, wanted, making, done };
} // namespace

struct ClassSlot {
  uint32_t launchClass = 0; ///< 0: free
  Trial trial;
  unsigned versions = 1;                   ///< of the trial
  std::array<uint8_t, kMaxVersions> map{}; ///< version of the trial -> version of the kernel
};

struct KernelState {
  std::atomic<bool> held{false};
  // The rest only by who holds it.
  uint32_t generation = 0;
  unsigned versionCount = 0; ///< 0: removed
  std::array<KernelVersion, kMaxVersions> versions{};
  Making making = Making::done;
  bool woken = false;    ///< was wanted at some time
  unsigned launches = 0; ///< while asleep, in classes that nothing is known of
  unsigned knownCount = 0;
  std::array<KnownClass, kClasses> known{};
  Budget budget;
  std::array<ClassSlot, kClasses> classes{};
};

namespace {

/// The right to look at a state; not had when another thread keeps it too long.
class Hold {
public:
  explicit Hold(KernelState &state) noexcept : state_(state) {
    for (unsigned look = 0; look < kLooks && !had_; ++look) {
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
  KernelState &state_;
  bool had_ = false;
};

/// Until who holds the state has been given the processor: a thread of a real-time class must not
/// keep it from a thread that has to give the state back.
void letOthersRun() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

/// For writers: until it is had. Nobody holds one for long.
template <class F> void whenHeld(KernelState &state, F f) {
  for (;; letOthersRun())
    if (Hold hold(state); hold)
      return f();
}

/// May `version` run where the original was launched with this much LDS? The address of dynamic
/// LDS is the static size: it has to be the same there.
bool fits(const KernelVersion &version, const KernelVersion &original, bool dynamicLds) {
  return version.sizes.groupBytes == original.sizes.groupBytes || !dynamicLds;
}

const KnownClass *knownClass(const KernelState &state, uint32_t launchClass) {
  const auto end = state.known.begin() + state.knownCount;
  const auto it = std::find_if(state.known.begin(), end, [&](const KnownClass &known) {
    return known.launchClass == launchClass;
  });
  return it == end ? nullptr : it;
}

void addTo(ClassSlot &slot, const KernelState &state, unsigned version) {
  const bool dynamicLds = (slot.launchClass & 0xff) != 0; // see launchClass()
  if (!fits(state.versions[version], state.versions[0], dynamicLds))
    return;
  const KnownClass *known = knownClass(state, slot.launchClass);
  if (known && known->winner != state.versions[version].kind)
    return;
  slot.map[slot.versions++] = static_cast<uint8_t>(version);
  if (known)
    slot.trial.resume(slot.versions, slot.versions - 1, 0);
  else
    slot.trial.addVersion();
}

ClassSlot *classOf(KernelState &state, uint32_t launchClass) {
  for (ClassSlot &slot : state.classes) {
    if (slot.launchClass == launchClass)
      return &slot;
    if (slot.launchClass)
      continue;
    slot = ClassSlot();
    slot.launchClass = launchClass;
    slot.trial.begin(1, 0);
    for (unsigned v = 1; v < state.versionCount; ++v)
      addTo(slot, state, v);
    return &slot;
  }
  return nullptr;
}

/// A state for another kernel than before.
void start(KernelState &state, const KernelVersion &original) {
  state.versions[0] = original;
  state.versionCount = 1;
  state.budget = {};
  state.making = Making::done;
  state.woken = false;
  state.launches = state.knownCount = 0;
  std::fill(state.classes.begin(), state.classes.end(), ClassSlot());
}

} // namespace

KernelTable::KernelTable() = default;
KernelTable::~KernelTable() = default;

KernelTable::Entry *KernelTable::place(Entries &entries, uint64_t object) {
  const size_t mask = entries.places.size() - 1;
  size_t at = (object * 0x9e3779b97f4a7c15ull) >> 32;
  for (;; ++at) {
    Entry &entry = entries.places[at & mask];
    const uint64_t found = entry.object.load(std::memory_order_acquire);
    if (found == object || found == 0)
      return &entry;
  }
}

KernelState *KernelTable::find(uint64_t object) const noexcept {
  Entries *entries = entries_.load(std::memory_order_acquire);
  if (!entries || !object)
    return nullptr;
  return place(*entries, object)->state.load(std::memory_order_acquire);
}

/// An array of that size in which nothing stands: one that is not the table's any more, or a new
/// one. Who still looks into the old one finds nothing, or a state in which he sees that it is
/// another kernel's (choose()).
KernelTable::Entries *KernelTable::emptied(size_t size) {
  const Entries *used = entries_.load(std::memory_order_relaxed);
  for (const auto &old : old_)
    if (old.get() != used && old->places.size() == size) {
      for (Entry &entry : old->places) {
        entry.state.store(nullptr, std::memory_order_relaxed);
        entry.object.store(0, std::memory_order_relaxed);
      }
      old->used = 0;
      return old.get();
    }
  old_.push_back(std::make_unique<Entries>(size));
  return old_.back().get();
}

void KernelTable::publish(uint64_t object, KernelState *state) {
  Entries *entries = entries_.load(std::memory_order_relaxed);
  if (!entries || 2 * (entries->used + 1) > entries->places.size()) {
    // Removed keys are left behind: what is alive fits into half of the new array.
    const size_t live = live_.load(std::memory_order_relaxed) + 1;
    size_t size = entries ? entries->places.size() : 64;
    while (4 * live > size)
      size *= 2;
    Entries *next = emptied(size);
    if (entries)
      for (const Entry &entry : entries->places)
        if (KernelState *known = entry.state.load(std::memory_order_relaxed)) {
          Entry *to = place(*next, entry.object.load(std::memory_order_relaxed));
          to->state.store(known, std::memory_order_relaxed);
          to->object.store(entry.object.load(std::memory_order_relaxed), std::memory_order_release);
          ++next->used;
        }
    entries = next;
    entries_.store(entries, std::memory_order_release);
  }
  Entry *to = place(*entries, object);
  to->state.store(state, std::memory_order_release);
  if (to->object.load(std::memory_order_relaxed) == 0) {
    ++entries->used;
    to->object.store(object, std::memory_order_release);
  }
  live_.fetch_add(1, std::memory_order_relaxed);
}

KernelState *KernelTable::fresh() {
  if (!spare_.empty()) {
    KernelState *state = spare_.back();
    spare_.pop_back();
    return state;
  }
  states_.push_back(std::make_unique<KernelState>());
  spare_.reserve(states_.size()); // so that removing takes no memory
  return states_.back().get();
}

void KernelTable::watch(const KernelVersion &original, const std::vector<KnownClass> &known,
                        bool wanted) {
  std::lock_guard lock(writers_);
  if (!original.object || find(original.object))
    return;
  KernelState *state = fresh();
  whenHeld(*state, [&] {
    start(*state, original);
    state->making = wanted ? Making::wanted : Making::asleep;
    state->woken = wanted;
    state->knownCount = static_cast<unsigned>(std::min<size_t>(known.size(), kClasses));
    std::copy_n(known.begin(), state->knownCount, state->known.begin());
  });
  publish(original.object, state);
}

std::vector<uint64_t> KernelTable::takeWanted() {
  std::vector<uint64_t> objects;
  std::lock_guard lock(writers_);
  const Entries *entries = entries_.load(std::memory_order_relaxed);
  if (!entries)
    return objects;
  objects.reserve(entries->used);
  for (const Entry &entry : entries->places)
    if (KernelState *state = entry.state.load(std::memory_order_relaxed))
      whenHeld(*state, [&] {
        if (state->making != Making::wanted)
          return;
        state->making = Making::making;
        objects.push_back(state->versions[0].object);
      });
  // The places depend on addresses; those of one executable are in the order of its kernels.
  std::sort(objects.begin(), objects.end());
  return objects;
}

void KernelTable::made(uint64_t object, bool more) {
  std::lock_guard lock(writers_);
  if (KernelState *state = find(object))
    whenHeld(*state, [&] {
      state->making = more ? Making::asleep : Making::done;
      state->launches = 0;
    });
}

bool KernelTable::settled(uint64_t object) const noexcept {
  KernelState *state = find(object);
  if (!state)
    return true;
  Hold hold(*state);
  return hold && state->making != Making::wanted && state->making != Making::making;
}

Added KernelTable::addVariant(const KernelVersion &original, const KernelVersion &variant) {
  if (variant.sizes.privateBytes > original.sizes.privateBytes ||
      (variant.sizes.dynamicStack && !original.sizes.dynamicStack))
    return Added::unequal;
  std::lock_guard lock(writers_);
  KernelState *state = find(original.object);
  const bool fromNothing = !state;
  if (fromNothing)
    state = fresh();
  Added added = Added::yes;
  whenHeld(*state, [&] {
    if (fromNothing)
      start(*state, original);
    const auto end = state->versions.begin() + state->versionCount;
    if (std::any_of(state->versions.begin(), end,
                    [&](const KernelVersion &v) { return v.object == variant.object; }))
      added = Added::known;
    else if (state->versionCount == kMaxVersions)
      added = Added::full;
    if (added != Added::yes)
      return;
    state->versions[state->versionCount++] = variant;
    for (ClassSlot &slot : state->classes)
      if (slot.launchClass)
        addTo(slot, *state, state->versionCount - 1);
  });
  if (fromNothing && added == Added::yes)
    publish(original.object, state);
  else if (fromNothing)
    spare_.push_back(state);
  return added;
}

void KernelTable::removeKernels(const std::vector<uint64_t> &objects) {
  std::lock_guard lock(writers_);
  for (const uint64_t object : objects) {
    KernelState *state = find(object);
    if (!state)
      continue;
    place(*entries_.load(std::memory_order_relaxed), object)
        ->state.store(nullptr, std::memory_order_release);
    live_.fetch_sub(1, std::memory_order_relaxed);
    whenHeld(*state, [&] {
      ++state->generation;
      state->versionCount = 0;
    });
    spare_.push_back(state);
  }
}

void KernelTable::removeAll() {
  std::vector<uint64_t> objects;
  {
    std::lock_guard lock(writers_);
    if (const Entries *entries = entries_.load(std::memory_order_relaxed))
      for (const Entry &entry : entries->places)
        if (entry.state.load(std::memory_order_relaxed))
          objects.push_back(entry.object.load(std::memory_order_relaxed));
  }
  removeKernels(objects);
}

Choice KernelTable::choose(KernelState &state, Dispatch &dispatch, unsigned timers) noexcept {
  Choice choice;
  Hold hold(state);
  // Removed meanwhile, and perhaps another kernel's by now: it is not for this packet.
  if (!hold || state.versionCount == 0 || state.versions[0].object != dispatch.object)
    return choice;
  const KernelVersion &original = state.versions[0];
  if (dispatch.groupSegment < original.sizes.groupBytes)
    return choice; // not filled in by the kernel's own metadata
  dispatch.shape.dynamicLds = dispatch.groupSegment - original.sizes.groupBytes;
  const uint32_t launched = launchClass(dispatch.shape);
  if (state.making == Making::asleep && !knownClass(state, launched) &&
      ++state.launches >= kLaunchesBefore) {
    state.making = Making::wanted;
    choice.wanted = state.woken = true;
  }
  if (state.versionCount < 2)
    return choice;
  ClassSlot *slot = classOf(state, launched);
  if (!slot || slot->versions < 2)
    return choice;
  choice.timing.launch = slot->trial.next(state.budget, timers);
  choice.timing.state = &state;
  choice.timing.generation = state.generation;
  choice.timing.slot = static_cast<uint8_t>(slot - state.classes.data());
  const KernelVersion &version = state.versions[slot->map[choice.timing.launch.version]];
  const auto sizes =
      packetFor(original.sizes, version.sizes, {dispatch.groupSegment, dispatch.privateSegment});
  if (!sizes) { // this packet asks for less than the version needs: the original, and no time
    slot->trial.discarded(choice.timing.launch);
    return choice;
  }
  choice.timed = choice.timing.launch.timed;
  choice.variant = version.object != original.object;
  if (choice.variant) {
    dispatch.object = version.object;
    dispatch.groupSegment = sizes->groupBytes;
    dispatch.privateSegment = sizes->privateBytes;
  }
  return choice;
}

bool KernelTable::timed(const Timing &timing, double nanoseconds) noexcept {
  KernelState &state = *timing.state;
  Hold hold(state);
  if (hold && state.generation == timing.generation)
    state.classes[timing.slot % kClasses].trial.finished(timing.launch, nanoseconds, state.budget);
  return bool(hold);
}

void KernelTable::untimed(const Timing &timing) noexcept {
  while (!timed(timing, 0))
    letOthersRun();
}

size_t KernelTable::places() const {
  std::lock_guard lock(writers_);
  size_t sum = 0;
  for (const auto &entries : old_)
    sum += entries->places.size();
  return sum;
}

KernelTable::KernelReport KernelTable::report(uint64_t object) const {
  KernelReport report;
  KernelState *state = find(object);
  if (!state)
    return report;
  report.classes.reserve(kClasses);
  whenHeld(*state, [&] {
    report.asleep = !state->woken;
    report.budget = state->budget;
    for (const ClassSlot &slot : state->classes) {
      if (!slot.launchClass)
        continue;
      ClassReport one{slot.launchClass, slot.trial, {}, slot.versions};
      for (unsigned v = 0; v < slot.versions; ++v)
        one.kinds[v] = state->versions[slot.map[v]].kind;
      report.classes.push_back(one);
    }
  });
  return report;
}

KernelTable &kernelTable() noexcept {
  static KernelTable &table = *new KernelTable;
  return table;
}

} // namespace meld::adapt
