// Which wave issues when: the visits of a compute unit's SIMDs.
#include "runtime/softgpu/timing/compute_unit.h"

#include "runtime/softgpu/execute/code_cache.h"

#include <algorithm>

namespace meld::softgpu::timing {

using isa::Category;

ComputeUnit::ComputeUnit(Shared &shared, unsigned index)
    : shared_(shared), index_(index), simdCount_(std::min(shared.job.launch->simds, kSimds)) {
  for (unsigned k = 0; k < simdCount_; k += shared.simdsPerPath)
    memory_.push_back(std::make_unique<MemoryPath>(shared.p, shared.memory));
  if (!shared.instructionCaches.empty())
    for (unsigned k = 0; k < (shared.p.fetchPerSimd ? simdCount_ : 1); ++k)
      fetch_.emplace_back(shared.p, *shared.instructionCaches[index / shared.sharing]);
}

bool ComputeUnit::advance(uint64_t end) {
  end_ = end;
  while (true) {
    if (groups_.empty()) {
      fill();
      if (groups_.empty()) {
        now_ = std::max(now_, end);
        return shared_.dispatcher.left(index_) && !shared_.job.stop.load(std::memory_order_relaxed);
      }
    }
    // The next visit of each SIMD that can do something, on its own cycles.
    unsigned best = 0;
    uint64_t when = kNever;
    const unsigned later = shared_.cadence - 1;
    for (unsigned k = 0; k < simdCount_; ++k) {
      uint64_t at = simds_[k].next;
      if (at == kNever)
        continue;
      at = std::max(at, now_);
      at += (k - at) & later;
      if (at < when)
        when = at, best = k;
    }
    if (when >= end) {
      now_ = std::max(now_, end);
      return true;
    }
    now_ = when;
    if (!visit(simds_[best], best))
      return false;
  }
}

namespace {

/// Units of one visit, one instruction each; 0: needs none.
unsigned unitBit(Category c) {
  switch (c) {
  case Category::valu:
    return 1;
  case Category::salu:
  case Category::smem:
    return 2;
  case Category::vmemRead:
  case Category::vmemWrite:
  case Category::flat:
    return 4;
  case Category::lds:
    return 8;
  case Category::branch:
    return 16;
  default:
    return 0;
  }
}

} // namespace

uint64_t ComputeUnit::unitFree(const Simd &s, unsigned index, Category c) const {
  switch (c) {
  case Category::valu:
    return s.valuFree;
  case Category::vmemRead:
  case Category::vmemWrite:
  case Category::flat:
    return vmemFree_[index / shared_.simdsPerPath];
  case Category::lds:
    return ldsFree_[index / 2];
  default:
    return 0; // the scalar and branch units take one instruction per visit, waits and barriers need
              // none
  }
}

bool ComputeUnit::visit(Simd &s, unsigned index) {
  unsigned used = 0;
  for (size_t k = 0; k < s.waves.size(); ++k) {
    TimedWave &t = *s.waves[k];
    if (t.ready > now_)
      continue;
    Wave &w = *t.wave;
    while (t.next == kCoreEntry) {
      const ExecInst *to = w.next->run(w.next, w);
      if (!to)
        break;
      w.next = to;
      t.next = to->category;
    }
    const Category c = Category(t.next);
    const unsigned unit = t.next == kCoreEntry ? 0 : unitBit(c);
    if ((used & unit) || unitFree(s, index, c) > now_)
      continue;
    used |= unit;
    issue(s, index, t, w.next);
    if (w.status == WaveStatus::faulted) {
      shared_.job.fail(describeFault(w, *shared_.job.launch, shared_.job.env.code->target()));
      return false;
    }
  }
  if (shared_.job.stop.load(std::memory_order_relaxed))
    return false;
  if (anyEnded_)
    std::erase_if(s.waves, [](const auto &t) { return t->wave->status == WaveStatus::ended; });
  // When does the next one want to go on?
  uint64_t next = kNever;
  for (const auto &t : s.waves)
    if (t->ready != kNever)
      next = std::min(next, std::max(t->ready, unitFree(s, index, Category(t->next))));
  s.next = std::max(next, now_ + 1);
  if (anyEnded_)
    retireGroups();
  return true;
}

} // namespace meld::softgpu::timing
