// What: one discrete-event simulation per compute unit.
//
//   for each compute unit in turn:            until every workgroup has ended
//     while its time < the end of the turn:
//       go to the next visit (cycle = SIMD number mod 4) at which some wave can issue
//       for its waves, oldest first: issue the next instruction if its unit is free
//
// An instruction is executed when it issues; the model then decides when its wave may issue again
// and when its result counts as arrived (vm and lgkm counters). All completion times are known at
// issue, so s_waitcnt is a plain wait until a known cycle. Terminates: each turn advances time;
// waves that wait for each other get turns as on the device, up to its occupancy. Cost: about
// 50-100 ns per instruction.
#include "runtime/softgpu/timing/timing.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/timing/memory.h"
#include "runtime/softgpu/timing/parts.h"
#include "runtime/softgpu/valu/host_float.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <sched.h>
#include <vector>

namespace meld::softgpu {

using namespace timing;

namespace {

using isa::Category;
using isa::Op;

class Device;

class ComputeUnit {
public:
  ComputeUnit(Device &device, unsigned index);
  /// Advances to `end`. False: nothing left to run here, ever.
  bool advance(uint64_t end);
  uint64_t finished() const { return finished_; }

private:
  struct Simd {
    std::vector<std::unique_ptr<TimedWave>> waves; ///< oldest first
    uint64_t next = 0;                             ///< no wave can issue before this visit
    uint64_t valuFree = 0;
  };

  void fill();
  void retireGroups();
  bool visit(Simd &s, unsigned index);
  void issue(Simd &s, unsigned index, TimedWave &t, const ExecInst *i);
  const ExecInst *execute(Wave &w, const ExecInst *i);
  uint64_t charge(Simd &s, unsigned index, TimedWave &t, const ExecInst *i, const ExecInst *next);
  uint64_t chargeVectorMemory(TimedWave &t, const isa::Inst &in, Category c);
  void obeyStatus(TimedWave &t, const isa::Inst &in);
  void barrier(Workgroup &g);
  uint64_t unitFree(const Simd &s, unsigned index, Category c) const;

  Device &device_;
  uint64_t nextGroup_, now_ = 0, finished_ = 0;
  std::array<Simd, kSimds> simds_;
  unsigned placeWave_ = 0;
  bool anyEnded_ = false; ///< in the current visit
  std::vector<std::unique_ptr<Workgroup>> groups_, spare_;
  std::array<uint64_t, 2> ldsFree_{};
  uint64_t vmemFree_ = 0;
  MemoryPath memory_;
};

class Device {
public:
  Device(Job &j, const TimingParameters &parameters, FaultGuard &g)
      : job(j), p(parameters), guard(g), l2(parameters.l2Bytes, parameters.l2Ways) {}

  uint64_t run();

  std::vector<std::unique_ptr<ComputeUnit>>
      units; ///< a member, so that a memory fault's long jump loses nothing
  Job &job;
  const TimingParameters &p;
  FaultGuard &guard;
  TagCache l2;
  const OpTraits *const traits = opTraits().data();
  WaveCounters counters;
  Wave *running = nullptr;
  std::unique_ptr<Watch> watch;
  bool slept = false;
};

ComputeUnit::ComputeUnit(Device &device, unsigned index)
    : device_(device), nextGroup_(index), memory_(device.p, device.l2) {}

thread_local Device *current = nullptr;

void sendInterrupt(Workgroup &g, uint32_t eventId) {
  if (!g.request->interrupt)
    return;
  Device *d = current;
  d->guard.disarm(); // a fault in there is the process's own
  g.request->interrupt(eventId);
  d->guard.arm();
}

/// Takes workgroups as long as there is room; they are dealt to compute units round robin.
void ComputeUnit::fill() {
  Job &job = device_.job;
  while (groups_.size() < job.launch->groupsPerCu && nextGroup_ < job.launch->totalGroups) {
    std::unique_ptr<Workgroup> g;
    if (spare_.empty()) {
      g = std::make_unique<Workgroup>();
    } else {
      g = std::move(spare_.back());
      spare_.pop_back();
    }
    if (!startWorkgroup(*g, nextGroup_, *job.launch, job.env, *job.request)) {
      DispatchResult r;
      r.code = DispatchCode::scratchTooLarge;
      r.message = "kernel " + job.launch->kernel +
                  ": no host memory for a workgroup's registers and scratch";
      job.fail(std::move(r));
      return;
    }
    nextGroup_ += job.env.config->computeUnits;
    g->interrupt = sendInterrupt;
    if (device_.watch)
      device_.watch->groupStarted(*g);
    device_.counters.waves += g->numWaves;
    for (uint32_t k = 0; k < g->numWaves; ++k) {
      auto t = std::make_unique<TimedWave>();
      t->wave = &g->waves[k];
      t->group = g.get();
      t->ready = now_;
      t->wave->quantum = std::numeric_limits<int32_t>::max();
      Simd &s = simds_[placeWave_++ % kSimds];
      s.next = std::min(s.next, now_);
      s.waves.push_back(std::move(t));
    }
    groups_.push_back(std::move(g));
  }
}

bool ComputeUnit::advance(uint64_t end) {
  while (true) {
    if (groups_.empty()) {
      fill();
      if (groups_.empty())
        return false;
    }
    // The next visit of each SIMD that can do something, on its own cycles.
    unsigned best = 0;
    uint64_t when = kNever;
    for (unsigned k = 0; k < kSimds; ++k) {
      uint64_t at = simds_[k].next;
      if (at == kNever)
        continue;
      at = std::max(at, now_);
      at += (k + kSimds - at % kSimds) % kSimds;
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

uint64_t ComputeUnit::unitFree(const Simd &s, unsigned index, Category c) const {
  switch (c) {
  case Category::valu:
    return s.valuFree;
  case Category::vmemRead:
  case Category::vmemWrite:
  case Category::flat:
    return vmemFree_;
  case Category::lds:
    return ldsFree_[index / 2];
  default:
    return 0; // the scalar and branch units take one instruction per visit, waits and barriers need
              // none
  }
}

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

bool ComputeUnit::visit(Simd &s, unsigned index) {
  unsigned used = 0;
  for (size_t k = 0; k < s.waves.size(); ++k) {
    TimedWave &t = *s.waves[k];
    if (t.ready > now_)
      continue;
    Wave &w = *t.wave;
    while (w.next->category == kCoreEntry) {
      const ExecInst *to = w.next->run(w.next, w);
      if (!to)
        break;
      w.next = to;
    }
    const Category c = Category(w.next->category);
    const unsigned unit = w.next->category == kCoreEntry ? 0 : unitBit(c);
    if ((used & unit) || unitFree(s, index, c) > now_)
      continue;
    used |= unit;
    issue(s, index, t, w.next);
    if (w.status == WaveStatus::faulted) {
      device_.job.fail(describeFault(w, *device_.job.launch, device_.job.env.code->target()));
      return false;
    }
    if (device_.job.stop.load(std::memory_order_relaxed))
      return false;
  }
  if (anyEnded_)
    std::erase_if(s.waves, [](const auto &t) { return t->wave->status == WaveStatus::ended; });
  // When does the next one want to go on?
  s.next = kNever;
  for (const auto &t : s.waves) {
    if (t->ready == kNever)
      continue;
    uint64_t at = t->ready;
    if (t->wave->next->category != kCoreEntry)
      at = std::max(at, unitFree(s, index, Category(t->wave->next->category)));
    s.next = std::min(s.next, std::max(at, now_ + 1));
  }
  if (anyEnded_)
    retireGroups();
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

/// The instruction's effect, counted and watched. A memory fault leaves by a long jump to runTimed().
const ExecInst *ComputeUnit::execute(Wave &w, const ExecInst *i) {
  WaveCounters &counters = device_.counters;
  if (Category(i->category) == Category::valu)
    counters.activeLanesValu += unsigned(std::popcount(w.exec()));
  if (i->category < WaveCounters::kCategories)
    ++counters.insts[i->category];

  const bool watched = device_.watch && i->category != kCoreEntry;
  if (watched) [[unlikely]]
    device_.watch->before(i, w);
  device_.running = &w;
  device_.guard.arm();
  const ExecInst *next = i->run(i, w);
  device_.guard.disarm();
  if (watched) [[unlikely]]
    device_.watch->after(i, w);
  if (next)
    w.next = next;
  return next;
}

/// Vector memory keeps its unit for its lines and answers in order; when the wave may issue again.
uint64_t ComputeUnit::chargeVectorMemory(TimedWave &t, const isa::Inst &in, Category c) {
  const TimingParameters &p = device_.p;
  const MemoryTrace &trace = t.wave->trace;
  device_.counters.cacheLines += trace.cacheLines;
  device_.counters.ldsBankConflicts += trace.ldsBankConflicts;
  const OpTraits &traits = device_.traits[size_t(in.op)];
  if (traits.clearsL1)
    memory_.clearL1();
  vmemFree_ = now_ + std::max(p.vmemMin, p.vmemPerLine * trace.cacheLines);
  const uint64_t done =
      memory_.vector(trace, traits.store || traits.atomic || in.glc, now_, vmemFree_);
  t.vm.add(done, now_);
  if (c == Category::flat)
    t.lgkm.add(done, now_);
  return now_ + p.vmemMin;
}

/// Keeps the unit that `i` needed, and notes when its result arrives; when the wave may issue again.
uint64_t ComputeUnit::charge(Simd &s, unsigned index, TimedWave &t, const ExecInst *i,
                             const ExecInst *next) {
  const TimingParameters &p = device_.p;
  const isa::Inst &in = *i->inst;
  const MemoryTrace &trace = t.wave->trace;
  switch (const Category c = Category(i->category)) {
  case Category::valu:
    return s.valuFree = now_ + p.issueOf(device_.traits[size_t(in.op)].rate);
  case Category::salu:
  case Category::smem:
    return now_ + p.salu;
  case Category::branch:
    return now_ + (next == following(i) ? p.branchNotTaken : p.branchTaken);
  case Category::lds: {
    device_.counters.ldsBankConflicts += trace.ldsBankConflicts;
    const uint64_t through = now_ + ldsCycles(trace, in, p);
    ldsFree_[index / 2] = through;
    t.lgkm.add(through + p.ldsLatency, now_);
    return now_ + p.internal;
  }
  case Category::vmemRead:
  case Category::vmemWrite:
  case Category::flat:
    return chargeVectorMemory(t, in, c);
  case Category::waitcnt: {
    const uint32_t imm = uint32_t(in.simm) & 0xffff;
    return std::max({now_ + p.internal, t.vm.until((imm & 15) | (imm >> 14 & 3) << 4),
                     t.lgkm.until(imm >> 8 & 15)});
  }
  default:
    return now_ + p.internal * (in.op == Op::s_nop ? (uint32_t(in.simm) & 15) + 1 : 1);
  }
}

/// What the wave stopped for, if it did.
void ComputeUnit::obeyStatus(TimedWave &t, const isa::Inst &in) {
  const TimingParameters &p = device_.p;
  Wave &w = *t.wave;
  switch (w.status) {
  case WaveStatus::ready:
    break;
  case WaveStatus::yielded: // s_sleep, or 2^31 loops
    w.status = WaveStatus::ready;
    w.quantum = std::numeric_limits<int32_t>::max();
    if (in.op == Op::s_sleep) {
      t.ready = now_ + std::max(p.internal, p.sleepUnit * (uint32_t(in.simm) & 127));
      device_.slept = true;
    }
    break;
  case WaveStatus::barrier:
    t.ready = kNever;
    ++t.group->arrived;
    barrier(*t.group);
    break;
  case WaveStatus::ended:
    finished_ = std::max({finished_, now_ + p.internal, t.vm.last(), t.lgkm.last()});
    t.ready = kNever;
    ++t.group->ended;
    anyEnded_ = true;
    barrier(*t.group);
    break;
  case WaveStatus::faulted:
    break;
  }
}

void ComputeUnit::issue(Simd &s, unsigned index, TimedWave &t, const ExecInst *i) {
  Wave &w = *t.wave;
  const isa::Inst &in = *i->inst;
  const bool smem = Category(i->category) == Category::smem;
  // Sources are read before they are overwritten: the scalar address is needed for the cache.
  const uint64_t smemDone = smem ? memory_.scalar(w, in, now_) : 0;
  const ExecInst *next = execute(w, i);
  if (smem)
    t.lgkm.add(smemDone, now_);
  t.ready = charge(s, index, t, i, next);
  if (t.vm.full())
    t.ready = std::max(t.ready, t.vm.until(62));
  if (t.lgkm.full())
    t.ready = std::max(t.ready, t.lgkm.until(62));
  obeyStatus(t, in);
}

/// The last one to arrive, or to end, lets the others go on.
void ComputeUnit::barrier(Workgroup &g) {
  if (!releaseBarrier(g))
    return;
  if (device_.watch)
    device_.watch->barrierOpened(g);
  for (unsigned k = 0; k < kSimds; ++k)
    for (auto &t : simds_[k].waves)
      if (t->group == &g && t->wave->status == WaveStatus::ready && t->ready == kNever) {
        t->ready = now_ + device_.p.internal;
        simds_[k].next = std::min(simds_[k].next, t->ready);
      }
}

uint64_t Device::run() {
  const uint64_t count = std::min<uint64_t>(job.env.config->computeUnits, job.launch->totalGroups);
  for (unsigned k = 0; k < count; ++k)
    units.push_back(std::make_unique<ComputeUnit>(*this, k));
  uint64_t cycles = 0;
  for (uint64_t end = p.turn; !units.empty() && !job.stop.load(std::memory_order_relaxed);
       end += std::max(p.turn, 1u)) {
    slept = false;
    for (size_t k = 0; k < units.size();) {
      if (units[k]->advance(end)) {
        ++k;
        continue;
      }
      cycles = std::max(cycles, units[k]->finished());
      units.erase(units.begin() + ptrdiff_t(k));
      if (job.stop.load(std::memory_order_relaxed))
        return cycles;
    }
    if (job.cancelled()) {
      DispatchResult r;
      r.code = DispatchCode::cancelled;
      r.message = "kernel " + job.launch->kernel + " was cancelled";
      job.fail(std::move(r));
    }
    if (slept)
      sched_yield(); // they may wait for the host
  }
  return cycles;
}

} // namespace

uint64_t runTimed(Job &job, const TimingParameters &parameters) noexcept {
  job.workers.fetch_add(1, std::memory_order_relaxed);
  const HostFloat hostFloat;
  FaultGuard guard;
  Device *const outer = current;
  std::unique_ptr<Device> device;
  volatile uint64_t cycles = 0;
  try {
    device = std::make_unique<Device>(job, parameters, guard);
    device->watch = job.watchers.empty() ? nullptr : makeWatch(job);
    current = device.get();
    if (sigsetjmp(guard.env, FaultGuard::kSaveMask) == 0) {
      cycles = device->run();
    } else {
      Wave &w = *device->running;
      w.fault = memoryFaultOf(w, guard);
      w.status = WaveStatus::faulted;
      job.fail(describeFault(w, *job.launch, job.env.code->target()));
    }
    if (device->watch)
      device->watch->finish();
  } catch (...) {
    DispatchResult r;
    r.code = DispatchCode::cancelled;
    r.message = "out of host memory";
    job.fail(std::move(r));
  }
  current = outer;
  std::lock_guard lock(job.mutex);
  if (device)
    job.counters.add(device->counters);
  return cycles;
}

} // namespace meld::softgpu
