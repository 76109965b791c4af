// Which wave issues when: the visits of a compute unit's SIMDs.
#include "runtime/softgpu/timing/compute_unit.h"

#include "runtime/softgpu/timing/issue.h"

#include <algorithm>

namespace meld::softgpu::timing {

ComputeUnit::ComputeUnit(Shared &shared, unsigned index)
    : shared_(shared), index_(index), simdCount_(std::min(shared.job.launch->simds, kSimds)) {
  for (unsigned k = 0; k < simdCount_; k += shared.simdsPerPath)
    memory_.push_back(std::make_unique<MemoryPath>(shared.p, shared.memory));
  if (!shared.instructionCaches.empty())
    for (unsigned k = 0; k < (shared.p.fetchPerSimd ? simdCount_ : 1); ++k)
      fetch_.emplace_back(shared.p, *shared.instructionCaches[index / shared.sharing]);
  next_.fill(kNever);
  static constexpr uint64_t always = 0;
  for (unsigned k = 0; k < kSimds; ++k) {
    auto &free = simds_[k].unitFree;
    free.fill(&always);
    free[size_t(Category::valu)] = &simds_[k].valuFree;
    free[size_t(Category::lds)] = &ldsFree_[k / 2];
    for (Category c : {Category::vmemRead, Category::vmemWrite, Category::flat})
      free[size_t(c)] = &vmemFree_[k / shared.simdsPerPath];
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

template <Category C> constexpr ComputeUnit::Issue ComputeUnit::issueOf() {
  return [](ComputeUnit &unit, Simd &s, unsigned index, TimedWave &t, const ExecInst *i) {
    unit.issue<C>(s, index, t, i);
  };
}

constexpr std::array<ComputeUnit::Issue, ComputeUnit::kCategories> ComputeUnit::kIssue = [] {
  std::array<Issue, kCategories> table{};
  table.fill(issueOf<Category::other>());
  table[size_t(Category::valu)] = issueOf<Category::valu>();
  table[size_t(Category::salu)] = issueOf<Category::salu>();
  table[size_t(Category::smem)] = issueOf<Category::smem>();
  table[size_t(Category::vmemRead)] = issueOf<Category::vmemRead>();
  table[size_t(Category::vmemWrite)] = issueOf<Category::vmemWrite>();
  table[size_t(Category::flat)] = issueOf<Category::flat>();
  table[size_t(Category::lds)] = issueOf<Category::lds>();
  table[size_t(Category::branch)] = issueOf<Category::branch>();
  table[size_t(Category::waitcnt)] = issueOf<Category::waitcnt>();
  return table;
}();

/// The wave's fault is the job's.
[[gnu::cold]] bool ComputeUnit::failed(const Wave &w) {
  shared_.job.fail(describeFault(w, *shared_.job.launch, shared_.job.env.code->target()));
  return false;
}

[[gnu::always_inline]] inline bool ComputeUnit::visit(unsigned index) {
  Simd &s = simds_[index];
  unsigned used = 0;
  const uint64_t now = now_;
  for (const auto &wave : s.waves) {
    TimedWave &t = *wave;
    if (t.ready > now)
      continue;
    Wave &w = *t.wave;
    while (t.next == kCoreEntry) [[unlikely]] {
      const ExecInst *to = w.next->run(w.next, w);
      if (!to)
        break;
      w.next = to;
      t.next = to->category;
    }
    const unsigned unit = t.next == kCoreEntry ? 0 : unitBit(Category(t.next));
    if ((used & unit) || *s.unitFree[t.next] > now)
      continue;
    used |= unit;
    kIssue[t.next](*this, s, index, t, w.next);
    if (w.status == WaveStatus::faulted) [[unlikely]]
      return failed(w);
  }
  if (shared_.job.stop.load(std::memory_order_relaxed))
    return false;
  if (anyEnded_)
    std::erase_if(s.waves, [](const auto &t) { return t->wave->status == WaveStatus::ended; });
  // When does the next one want to go on?
  uint64_t next = kNever;
  for (const auto &t : s.waves)
    next = std::min(next, std::max(t->ready, *s.unitFree[t->next]));
  next_[index] = next == kNever ? kNever : visitFrom(index, std::max(next, now + 1));
  if (anyEnded_)
    retireGroups();
  return true;
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
    unsigned best = 0; // of two at once the first one's
    for (unsigned k = 1; k < kSimds; ++k)
      if (next_[k] < next_[best])
        best = k;
    const uint64_t when = next_[best];
    if (when >= end) {
      now_ = std::max(now_, end);
      return true;
    }
    now_ = when;
    if (!visit(best))
      return false;
  }
}

} // namespace meld::softgpu::timing
