#include "shim/adapt/kernel_table.h"

#include "shim/adapt/kernel_state.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace meld::adapt {

namespace {

/// Until who holds the state has been given the processor: a thread of a real-time class must not
/// keep it from a thread that has to give the state back.
void letOthersRun() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

/// For who can do without, as at the end of a process: exit() may be called in a signal handler of
/// the thread that holds the state.
template <class F> void whenHeldSoon(KernelState &state, F f) {
  constexpr unsigned kLooks = 500; // some 20 to 80 microseconds each
  for (unsigned look = 0; look < kLooks; ++look, letOthersRun())
    if (Hold hold(state); hold)
      return f();
}

/// For writers: until it is had. Nobody holds one for long.
template <class F> void whenHeld(KernelState &state, F f) {
  for (;; letOthersRun())
    if (Hold hold(state); hold)
      return f();
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
                        bool wanted, std::unique_ptr<Candidates> candidates,
                        std::vector<KnownDuel> duels) {
  std::lock_guard lock(writers_);
  if (!original.object || find(original.object))
    return;
  KernelState *state = fresh();
  whenHeld(*state, [&] {
    start(*state, original);
    state->making = wanted ? Making::wanted : Making::asleep;
    state->woken = state->versionsWanted = wanted;
    state->candidates = std::move(candidates);
    state->duels = std::move(duels);
    updateArgumentBytes(*state);
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

KernelTable::Wanted KernelTable::wanted(uint64_t object) const {
  Wanted wanted;
  std::lock_guard lock(writers_);
  if (KernelState *state = find(object))
    whenHeld(*state, [&] {
      wanted.versions = state->versionsWanted;
      wanted.moreFacts = state->candidates && !state->candidates->hopeless();
      wanted.purposes = state->candidates ? state->candidates->purposes() : 1;
      if (state->factsWanted)
        wanted.facts = state->candidates->facts();
    });
  return wanted;
}

void KernelTable::made(uint64_t object, bool more) {
  std::lock_guard lock(writers_);
  if (KernelState *state = find(object))
    whenHeld(*state, [&] {
      state->making = more ? Making::asleep : Making::done;
      state->launches = 0;
      state->versionsWanted = state->factsWanted = false;
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
    else if (state->versionCount == kMaxVersions ||
             (variant.specialised() && std::any_of(state->versions.begin(), end, [&](auto &v) {
                return v.kind == variant.kind;
              })))
      added = Added::full;
    if (added != Added::yes)
      return;
    state->versions[state->versionCount++] = variant;
    addToClasses(*state, state->versionCount - 1);
    updateArgumentBytes(*state);
  });
  if (fromNothing && added == Added::yes)
    publish(original.object, state);
  else if (fromNothing)
    spare_.push_back(state);
  return added;
}

bool KernelTable::removeVariant(uint64_t original, uint64_t variant) {
  std::lock_guard lock(writers_);
  KernelState *state = find(original);
  bool removed = false;
  if (state)
    whenHeld(*state, [&] {
      const auto end = state->versions.begin() + state->versionCount;
      const auto it = std::find_if(state->versions.begin(), end, [&](const KernelVersion &v) {
        return v.object == variant && v.specialised();
      });
      if (it == end)
        return;
      removed = true;
      removeFromClasses(*state, static_cast<unsigned>(it - state->versions.begin()));
      updateArgumentBytes(*state);
    });
  return removed;
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
      state->candidates.reset();
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

bool KernelTable::looksAtArguments(const KernelState &state) noexcept {
  return state.argumentBytes.load(std::memory_order_relaxed) != 0;
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
  const Making before = state.making;
  const Guards guards = lookAtFacts(state, dispatch, choice.wanted);
  if (before == Making::asleep && !knownClass(state, launched, guards) &&
      ++state.launches >= kLaunchesBefore) {
    state.making = Making::wanted;
    choice.wanted = state.woken = state.versionsWanted = true;
  }
  if (state.versionCount < 2)
    return choice;
  ClassSlot *slot = classOf(state, launched, guards);
  if (!slot || slot->versions < 2)
    return choice;
  choice.timing.launch = slot->trial.next(state.budget, timers);
  choice.timing.state = &state;
  choice.timing.generation = state.generation;
  choice.timing.slot = static_cast<uint8_t>(slot - state.classes.data());
  choice.timing.serial = slot->serial;
  const KernelVersion &version = state.versions[slot->map[choice.timing.launch.version]];
  const auto sizes =
      packetFor(original.sizes, version.sizes, {dispatch.groupSegment, dispatch.privateSegment});
  if (!sizes ||
      !isAllowed(
          version,
          guards)) { // this packet asks for less than the version needs: the original, and no time
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
  if (!hold || state.generation != timing.generation)
    return bool(hold);
  if (ClassSlot &slot = state.classes[timing.slot % kClasses]; slot.serial == timing.serial)
    slot.trial.finished(timing.launch, nanoseconds, state.budget);
  return true;
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
  whenHeldSoon(*state, [&] {
    report.asleep = !state->woken;
    report.budget = state->budget;
    report.specialised = state->specialised;
    for (const ClassSlot &slot : state->classes) {
      if (!slot.launchClass)
        continue;
      ClassReport one{slot.launchClass, slot.guards, slot.trial, {}, slot.versions};
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
