#include "shim/adapt/kernel_state.h"

#include <algorithm>

namespace meld::adapt {

const KnownClass *knownClass(const KernelState &state, uint32_t launchClass, Guards guards) {
  const auto end = state.known.begin() + state.knownCount;
  const auto it = std::find_if(state.known.begin(), end, [&](const KnownClass &known) {
    return known.launchClass == launchClass && known.guards == guards;
  });
  return it == end ? nullptr : it;
}

bool isAllowed(const KernelVersion &version, Guards guards) {
  return !version.specialised() || (guards & guardOf(version.kind)) != 0;
}

namespace {

/// May `version` run where the original was launched with this much LDS? The address of dynamic
/// LDS is the static size: it has to be the same there.
bool fits(const KernelVersion &version, const KernelVersion &original, bool dynamicLds) {
  return version.sizes.groupBytes == original.sizes.groupBytes || !dynamicLds;
}

/// What is told beside a winner of an earlier run was found out against that one: where it is not
/// there (yet), nothing is known.
PastDuel pastDuel(const KernelState &state, const ClassSlot &slot, uint8_t kind) {
  const KnownClass *known = knownClass(state, slot.launchClass, slot.guards);
  if (known && known->winner && !slot.trial.incumbent())
    return {};
  const auto it = std::find_if(state.duels.begin(), state.duels.end(), [&](const KnownDuel &duel) {
    return duel.launchClass == slot.launchClass && duel.version == kind;
  });
  return slot.guards || it == state.duels.end() ? PastDuel() : it->past;
}

void addTo(ClassSlot &slot, const KernelState &state, unsigned version) {
  const bool dynamicLds = (slot.launchClass & 0xff) != 0; // see launchClass()
  if (!isAllowed(state.versions[version], slot.guards) ||
      !fits(state.versions[version], state.versions[0], dynamicLds))
    return;
  const KnownClass *known = knownClass(state, slot.launchClass, slot.guards);
  const bool wins = known && known->winner == state.versions[version].kind;
  if (known && !known->open && !wins)
    return;
  slot.map[slot.versions++] = static_cast<uint8_t>(version);
  if (wins && known->open)
    slot.trial.addWinner(known->ratio);
  else if (known && !known->open)
    slot.trial.resume(slot.versions, slot.versions - 1, 0);
  else
    slot.trial.addVersion(pastDuel(state, slot, state.versions[version].kind));
}

/// The versions without a guard that are worth trying in launches for which guards hold: where it is
/// decided which of them is the best in this class, only that one.
bool isBeaten(const KernelState &state, uint32_t launchClass, unsigned version) {
  const auto general =
      std::find_if(state.classes.begin(), state.classes.end(), [&](const ClassSlot &slot) {
        return slot.launchClass == launchClass && !slot.guards;
      });
  return general != state.classes.end() && general->versions > 1 &&
         general->trial.phase() != Trial::Phase::open &&
         general->map[general->trial.incumbent()] != version;
}

} // namespace

ClassSlot *classOf(KernelState &state, uint32_t launchClass, Guards guards) {
  ClassSlot *free = nullptr;
  for (ClassSlot &slot : state.classes) {
    if (slot.launchClass == launchClass && slot.guards == guards)
      return &slot;
    if (!slot.launchClass && !free)
      free = &slot;
  }
  if (!free)
    return nullptr;
  *free = ClassSlot();
  free->launchClass = launchClass;
  free->guards = guards;
  free->serial = ++state.slotSerial;
  free->trial.begin(1, 0);
  // What is made for such launches is hoped for most.
  for (const bool specialised : {true, false})
    for (unsigned v = 1; v < state.versionCount; ++v)
      if (state.versions[v].specialised() == specialised &&
          !(guards && !specialised && isBeaten(state, launchClass, v)))
        addTo(*free, state, v);
  return free;
}

void addToClasses(KernelState &state, unsigned version) {
  for (ClassSlot &slot : state.classes)
    if (slot.launchClass)
      addTo(slot, state, version);
}

void removeFromClasses(KernelState &state, unsigned version) {
  const Guards guard = guardOf(state.versions[version].kind);
  std::move(state.versions.begin() + version + 1, state.versions.begin() + state.versionCount,
            state.versions.begin() + version);
  --state.versionCount;
  for (ClassSlot &slot : state.classes) {
    if (slot.guards & guard)
      slot = ClassSlot();
    for (unsigned v = 1; v < slot.versions; ++v)
      slot.map[v] = static_cast<uint8_t>(slot.map[v] - (slot.map[v] > version));
  }
}

void updateArgumentBytes(KernelState &state) {
  size_t bytes = 0;
  for (unsigned v = 1; v < state.versionCount; ++v)
    bytes = std::max(bytes, state.versions[v].guard.argumentBytes());
  if (state.candidates && !state.candidates->hopeless())
    bytes = std::max(bytes, state.candidates->argumentBytes());
  state.argumentBytes.store(static_cast<uint32_t>(bytes), std::memory_order_relaxed);
}

Guards lookAtFacts(KernelState &state, const Dispatch &dispatch, bool &wanted) {
  Arguments arguments;
  arguments.take(dispatch.arguments, dispatch.readable,
                 state.argumentBytes.load(std::memory_order_relaxed));
  Guards held = 0;
  bool taken = false;
  for (unsigned v = 1; v < state.versionCount; ++v) {
    const KernelVersion &version = state.versions[v];
    if (!version.specialised())
      continue;
    auto &seen = state.specialised[(version.kind - kFirstSpecialised) % kMostSpecialised];
    if (!version.guard.holds(dispatch.shape, arguments)) {
      ++seen.failed;
      continue;
    }
    held |= guardOf(version.kind);
    // One for the shape of launches alone is in the way of none for their arguments.
    taken |= version.guard.argumentBytes() != 0;
    ++seen.held;
    seen.lastUsed = ++state.uses;
  }
  Candidates *candidates = state.candidates.get();
  if (taken || !candidates || candidates->hopeless() || state.making == Making::wanted ||
      state.making == Making::making)
    return held;
  state.factsWanted = candidates->add(dispatch.shape, arguments);
  const bool over = candidates->hopeless();
  if (over)
    updateArgumentBytes(state);
  // Also when nothing is hoped for any more: the maker may find that the kernel has no versions.
  if (state.factsWanted || (over && state.versionCount < 2 && state.making == Making::done)) {
    state.making = Making::wanted;
    state.woken = wanted = true;
  }
  return held;
}

void start(KernelState &state, const KernelVersion &original) {
  state.versions[0] = original;
  state.versionCount = 1;
  state.budget = {};
  state.making = Making::done;
  state.woken = state.versionsWanted = state.factsWanted = false;
  state.launches = state.knownCount = 0;
  state.duels.clear();
  state.candidates.reset();
  state.specialised = {};
  state.uses = 0;
  updateArgumentBytes(state);
  std::fill(state.classes.begin(), state.classes.end(), ClassSlot());
}

} // namespace meld::adapt
