#include "shim/adapt/kernel_table.h"

#include <algorithm>

namespace meld::adapt {

namespace {
constexpr unsigned kClasses = 16; ///< launch classes of a kernel; further ones run the original
constexpr unsigned kLooks = 64;   ///< for a flag that another thread holds for some 100 ns
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

/// For writers: until it is had. Nobody holds one for long.
template <class F> void whenHeld(KernelState &state, F f) {
  for (;;)
    if (Hold hold(state); hold)
      return f();
}

/// May `version` run where the original was launched with this much LDS? The address of dynamic
/// LDS is the static size: it has to be the same there.
bool fits(const KernelVersion &version, const KernelVersion &original, bool dynamicLds) {
  return version.staticLds == original.staticLds || !dynamicLds;
}

void addTo(ClassSlot &slot, const KernelState &state, unsigned version) {
  const bool dynamicLds = (slot.launchClass & 0xff) != 0; // see launchClass()
  if (!fits(state.versions[version], state.versions[0], dynamicLds))
    return;
  slot.map[slot.versions++] = static_cast<uint8_t>(version);
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
    slot.trial.begin(1);
    for (unsigned v = 1; v < state.versionCount; ++v)
      addTo(slot, state, v);
    return &slot;
  }
  return nullptr;
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

void KernelTable::publish(uint64_t object, KernelState *state) {
  Entries *entries = entries_.load(std::memory_order_relaxed);
  if (!entries || 2 * (entries->used + 1) > entries->places.size()) {
    // Removed keys are left behind: what is alive fits into half of the new array.
    const size_t live = live_.load(std::memory_order_relaxed) + 1;
    size_t size = entries ? entries->places.size() : 64;
    while (4 * live > size)
      size *= 2;
    auto larger = std::make_unique<Entries>(size);
    if (entries)
      for (const Entry &entry : entries->places)
        if (KernelState *known = entry.state.load(std::memory_order_relaxed)) {
          Entry *to = place(*larger, entry.object.load(std::memory_order_relaxed));
          to->state.store(known, std::memory_order_relaxed);
          to->object.store(entry.object.load(std::memory_order_relaxed), std::memory_order_relaxed);
          ++larger->used;
        }
    old_.push_back(std::move(larger));
    entries = old_.back().get();
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

Added KernelTable::addVariant(const KernelVersion &original, const KernelVersion &variant) {
  if (variant.scratch > original.scratch || variant.dynamicStack != original.dynamicStack)
    return Added::unequal;
  std::lock_guard lock(writers_);
  KernelState *state = find(original.object);
  const bool made = !state;
  if (made)
    state = fresh();
  Added added = Added::yes;
  whenHeld(*state, [&] {
    if (made) {
      state->versions[0] = original;
      state->versionCount = 1;
      state->budget = {};
      std::fill(state->classes.begin(), state->classes.end(), ClassSlot());
    }
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
  if (made && added == Added::yes)
    publish(original.object, state);
  else if (made)
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
  if (!hold || state.versionCount < 2 || state.versions[0].object != dispatch.object)
    return choice;
  const KernelVersion &original = state.versions[0];
  if (dispatch.groupSegment < original.staticLds)
    return choice; // not filled in by the kernel's own metadata
  dispatch.shape.dynamicLds = dispatch.groupSegment - original.staticLds;
  ClassSlot *slot = classOf(state, launchClass(dispatch.shape));
  if (!slot || slot->versions < 2)
    return choice;
  choice.timing.launch = slot->trial.next(state.budget, timers);
  choice.timed = choice.timing.launch.timed;
  choice.timing.state = &state;
  choice.timing.generation = state.generation;
  choice.timing.slot = static_cast<uint8_t>(slot - state.classes.data());
  const KernelVersion &version = state.versions[slot->map[choice.timing.launch.version]];
  choice.variant = version.object != original.object;
  if (choice.variant) {
    dispatch.object = version.object;
    dispatch.groupSegment = dispatch.groupSegment - original.staticLds + version.staticLds;
    // More than the kernel's own is the program's wish: a stack whose size nobody knows.
    if (dispatch.privateSegment == original.scratch)
      dispatch.privateSegment = version.scratch;
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
  while (!timed(timing, 0)) {
  }
}

std::vector<KernelTable::ClassReport> KernelTable::report(uint64_t object) const {
  std::vector<ClassReport> classes;
  KernelState *state = find(object);
  if (!state)
    return classes;
  whenHeld(*state, [&] {
    for (const ClassSlot &slot : state->classes)
      if (slot.launchClass)
        classes.push_back({slot.launchClass, slot.trial, slot.map});
  });
  return classes;
}

KernelTable &kernelTable() noexcept {
  static KernelTable &table = *new KernelTable;
  return table;
}

} // namespace meld::adapt
