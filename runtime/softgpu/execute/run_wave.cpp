// The interpreter's loop, and the one that lets watchers see every instruction.
#include "runtime/softgpu/execute/chain.h"
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/translated.h"
#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/isa/decoder.h"

#include <bit>

namespace meld::softgpu {

namespace {

constexpr bool in(uint8_t category, isa::Category first, isa::Category last) {
  return category >= uint8_t(first) && category <= uint8_t(last);
}

// The loop asks "does it touch vector memory or LDS" with one range check.
static_assert(uint8_t(isa::Category::vmemRead) + 1 == uint8_t(isa::Category::vmemWrite) &&
              uint8_t(isa::Category::vmemRead) + 2 == uint8_t(isa::Category::flat) &&
              uint8_t(isa::Category::vmemRead) + 3 == uint8_t(isa::Category::lds));
static_assert(WaveCounters::kCategories == unsigned(isa::Category::other) + 1);

} // namespace

namespace {

/// One instruction; `Chains`: with those behind it that its handler goes on to.
template <bool Chains> inline const ExecInst *step(const ExecInst *i, Wave &w, WaveCounters &c) {
  const uint8_t category = i->category;
  w.next = i; // where a fault happened
  if (Chains && i->flags & chains) [[likely]] {
    const ExecInst *next = i->run(i, w);
    c.insts[uint8_t(isa::Category::salu)] += uint64_t(next - i);
    return next;
  }
  if (category == uint8_t(isa::Category::valu)) {
    c.activeLanesValu += unsigned(std::popcount(w.exec()));
    ++c.insts[uint8_t(isa::Category::valu)];
    return i->run(i, w);
  }
  if (in(category, isa::Category::vmemRead, isa::Category::lds)) {
    ++c.insts[category];
    i = i->run(i, w);
    c.cacheLines += w.trace.cacheLines;
    c.ldsBankConflicts += w.trace.ldsBankConflicts;
    return i;
  }
  if (category != kCoreEntry)
    ++c.insts[category];
  return i->run(i, w);
}

} // namespace

void countPassed(Wave &w, WaveCounters &c) {
  if (!w.chained)
    return;
  for (unsigned k = 0; k < WaveCounters::kCategories; ++k) {
    c.insts[k] += w.passed[k];
    c.insts[uint8_t(isa::Category::salu)] -= w.passed[k];
  }
  c.activeLanesValu += w.passedLanes;
  w.chained = 0;
}

void runWave(Wave &w, WaveCounters &c) {
  const ExecInst *i = w.next;
  w.chained = chains;
  std::memset(w.passed, 0, sizeof w.passed);
  w.passedLanes = 0;
  do {
    i = step<true>(i, w, c);
  } while (i);
  countPassed(w, c);
}

void runWaveTranslated(Wave &w, WaveCounters &c) {
  const ExecInst *i = w.next;
  do {
    const translate::UnitEntry *t = translate::entryAt(i);
    if (t && (w.mode & translate::kModeMask) == w.usualMode && !w.mapper)
      i = t->code(&w, &c, t->index);
    else
      i = step<false>(i, w, c);
  } while (i);
}

bool stepWave(Wave &w, WaveCounters &c) {
  const ExecInst *i = step<false>(w.next, w, c);
  if (i)
    w.next = i;
  return i != nullptr;
}

void runWatched(Wave &w, WaveCounters &c, Watch &watch) {
  bool more = true;
  while (more) {
    const ExecInst *i = w.next;
    const bool real = i->category != kCoreEntry;
    if (real)
      watch.before(i, w);
    more = stepWave(w, c);
    if (real)
      watch.after(i, w);
  }
}

} // namespace meld::softgpu
