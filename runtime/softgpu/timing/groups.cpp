// Workgroups of a compute unit: where they start, what a barrier lets go on, what an end frees.
#include "runtime/softgpu/timing/compute_unit.h"
#include "runtime/softgpu/timing/spare_groups.h"

#include <algorithm>
#include <limits>

namespace meld::softgpu::timing {

thread_local Shared *current = nullptr;

namespace {

void sendInterrupt(Workgroup &g, uint32_t eventId) {
  if (!g.request->interrupt)
    return;
  Shared *shared = current;
  shared->guard.disarm(); // a fault in there is the process's own
  g.request->interrupt(eventId);
  shared->guard.arm();
}

} // namespace

ComputeUnit::~ComputeUnit() {
  for (std::unique_ptr<Workgroup> &group : spare_)
    SpareGroups::ofThisThread().keep(std::move(group));
}

/// Takes workgroups as long as there is room and the dispatcher has some.
void ComputeUnit::fill() {
  while (hasRoom()) {
    const auto next = shared_.dispatcher.take(index_, now_, end_);
    if (!next || !start(*next))
      return;
  }
}

bool ComputeUnit::start(const Dispatcher::Start &start) {
  Job &job = shared_.job;
  std::unique_ptr<Workgroup> g;
  if (spare_.empty()) {
    g = SpareGroups::ofThisThread().take();
    if (uint8_t *place = shared_.scratch.take())
      g->scratch.use(place, shared_.scratch.bytes());
  } else {
    g = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!startWorkgroup(*g, start.group, *job.launch, job.env, *job.request)) {
    DispatchResult r;
    r.code = DispatchCode::scratchTooLarge;
    r.message =
        "kernel " + job.launch->kernel + ": no host memory for a workgroup's registers and scratch";
    job.fail(std::move(r));
    return false;
  }
  g->interrupt = sendInterrupt;
  if (shared_.watch)
    shared_.watch->groupStarted(*g);
  shared_.counters.waves += g->numWaves;
  for (uint32_t k = 0; k < g->numWaves; ++k) {
    auto t =
        std::make_unique_for_overwrite<TimedWave>(); // its lists begin empty, whatever lies in them
    t->wave = &g->waves[k];
    t->group = g.get();
    t->ready = start.at;
    t->next = t->wave->next->category;
    if (!fetch_.empty()) // takes nothing of the port
      t->ready = fetch_.front().begin(t->fetched, lineOf(t->wave->next), start.at);
    t->wave->quantum = std::numeric_limits<int32_t>::max();
    t->wave->tags = shared_.memory.l2.memory();
    const unsigned simd = placeWave_++ % simdCount_;
    next_[simd] = std::min(next_[simd], visitFrom(simd, std::max(t->ready, now_)));
    simds_[simd].waves.push_back(std::move(t));
  }
  groups_.push_back(std::move(g));
  return true;
}

/// Workgroups whose last wave ended make room for others.
void ComputeUnit::retireGroups() {
  anyEnded_ = false;
  for (size_t k = 0; k < groups_.size();) {
    if (!groups_[k]->done()) {
      ++k;
      continue;
    }
    spare_.push_back(std::move(groups_[k]));
    groups_.erase(groups_.begin() + ptrdiff_t(k));
  }
  fill();
}

/// The last one to arrive, or to end, lets the others go on.
void ComputeUnit::barrier(Workgroup &g) {
  if (!releaseBarrier(g))
    return;
  if (shared_.watch)
    shared_.watch->barrierOpened(g);
  for (unsigned k = 0; k < simdCount_; ++k)
    for (auto &t : simds_[k].waves)
      if (t->group == &g && t->wave->status == WaveStatus::ready && t->ready == kNever) {
        t->ready = now_ + shared_.p.internal;
        next_[k] = std::min(next_[k], visitFrom(k, t->ready));
      }
}

} // namespace meld::softgpu::timing
