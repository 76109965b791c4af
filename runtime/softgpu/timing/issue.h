// What an instruction costs: how long it keeps its unit, when its wave may issue again, when its
// result counts as arrived.
//
// Part of visits.cpp, which has it once for each category of instruction, all of it inlined: one
// branch on the category, taken by a call through a table, instead of one at each step.
#pragma once

#include "runtime/softgpu/timing/compute_unit.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/isa/control_flow.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace meld::softgpu::timing {

using isa::Category;
using isa::Op;

/// The instruction's effect, counted and watched. A memory fault leaves by a long jump to runTimed().
template <Category C>
[[gnu::always_inline]] inline const ExecInst *ComputeUnit::execute(Wave &w, const ExecInst *i) {
  WaveCounters &counters = shared_.counters;
  if constexpr (C == Category::valu)
    counters.activeLanesValu += unsigned(std::popcount(w.exec()));
  if (C != Category::other || i->category < WaveCounters::kCategories)
    ++counters.insts[i->category];

  const bool watched = shared_.watch && (C != Category::other || i->category != kCoreEntry);
  if (watched) [[unlikely]]
    shared_.watch->before(i, w);
  shared_.running = &w;
  shared_.guard.arm();
  const ExecInst *next = i->run(i, w);
  shared_.guard.disarm();
  if (watched) [[unlikely]]
    shared_.watch->after(i, w);
  if (next)
    w.next = next;
  return next;
}

inline Access accessOf(const OpTraits &traits, const isa::Inst &in) {
  if (traits.atomic)
    return Access::atomic;
  if (traits.store)
    return Access::store;
  // GFX12: a scope beyond the compute unit is not its cache's.
  return in.glc || in.scope ? Access::loadPastL1 : Access::load;
}

/// Vector memory keeps its unit for its lines and answers in order; when the wave may issue again.
inline uint64_t ComputeUnit::chargeVectorMemory(unsigned index, TimedWave &t, const isa::Inst &in,
                                                Category c) {
  const TimingParameters &p = shared_.p;
  const MemoryTrace &trace = t.wave->trace;
  shared_.counters.cacheLines += trace.cacheLines;
  shared_.counters.ldsBankConflicts += trace.ldsBankConflicts;
  const OpTraits &traits = shared_.traits[size_t(in.op)];
  const unsigned path = index / shared_.simdsPerPath;
  MemoryPath &memory = *memory_[path];
  if (traits.clearsL1)
    memory.clearL1();
  vmemFree_[path] = now_ + std::max(p.vmemMin * shared_.passes, p.vmemPerLine * trace.cacheLines);
  const uint64_t done = memory.vector(trace, accessOf(traits, in), now_, vmemFree_[path]);
  const bool store = traits.store || (traits.atomic && !in.glc);
  (store && shared_.separateStores ? t.vs : t.vm).add(done, now_);
  if (c == Category::flat)
    t.lgkm.add(done, now_);
  return now_ + p.vmemMin;
}

/// When the counters are as low as a wait wants them.
inline uint64_t ComputeUnit::waitedFor(const TimedWave &t, const isa::Inst &in) const {
  using Waits = OpTraits::Waits;
  const uint32_t imm = uint32_t(in.simm) & 0xffff;
  switch (shared_.traits[size_t(in.op)].waits) {
  case Waits::all:
    return std::max(t.vm.until(shared_.wait.vm(imm)), t.lgkm.until(shared_.wait.lgkm(imm)));
  case Waits::vm:
    return t.vm.until(imm & 63);
  case Waits::vs:
    return t.vs.until(imm & 63);
  case Waits::lgkm:
    return t.lgkm.until(imm & 63);
  case Waits::km:
    return t.km.until(imm & 31);
  case Waits::vmLds:
    return std::max(t.vm.until(imm >> 8 & 63), t.lgkm.until(imm & 63));
  case Waits::vsLds:
    return std::max(t.vs.until(imm >> 8 & 63), t.lgkm.until(imm & 63));
  case Waits::nothing:
    break;
  }
  return 0;
}

/// Keeps the unit that `i` needed, and notes when its result arrives; when the wave may issue again.
template <Category C>
[[gnu::always_inline]] inline uint64_t ComputeUnit::charge(Simd &s, unsigned index, TimedWave &t,
                                                           const ExecInst *i,
                                                           const ExecInst *next) {
  const TimingParameters &p = shared_.p;
  const isa::Inst &in = *i->inst;
  const MemoryTrace &trace = t.wave->trace;
  switch (C) {
  case Category::valu: {
    const isa::OperandRanges &ranges = rangesOf(i);
    s.valuFree = now_ + shared_.valuCycles[size_t(shared_.traits[size_t(ranges.op)].rate)];
    if (p.valuResult)
      for (const isa::OperandRange &written : ranges.writes) {
        if (written.empty())
          break;
        t.results.add(written, s.valuFree + p.valuResult);
      }
    if (ranges.writesSgpr)
      t.scalarFrom = s.valuFree + p.scalarAfterVector;
    return s.valuFree;
  }
  case Category::salu:
    if (shared_.traits[size_t(in.op)].answers)
      (shared_.separateScalars ? t.km : t.lgkm).add(now_ + p.scalarLatency, now_);
    return now_ + (p.saveExec && shared_.traits[size_t(in.op)].savesExec ? p.saveExec : p.salu);
  case Category::smem:
    return now_ + p.salu;
  case Category::branch:
    return now_ + (next == following(i) ? p.branchNotTaken : p.branchTaken);
  case Category::lds: {
    shared_.counters.ldsBankConflicts += trace.ldsBankConflicts;
    const uint64_t through = now_ + ldsCycles(trace, in, p, shared_.passes);
    ldsFree_[index / 2] = through;
    t.lgkm.add(through + p.ldsLatency, now_);
    return now_ + p.internal;
  }
  case Category::vmemRead:
  case Category::vmemWrite:
  case Category::flat:
    return chargeVectorMemory(index, t, in, C);
  case Category::waitcnt:
    return std::max(now_ + p.internal, waitedFor(t, in));
  default:
    return now_ + p.internal * (in.op == Op::s_nop ? (uint32_t(in.simm) & 15) + 1 : 1);
  }
}

/// Whether `in` sets what the branch decides by.
inline bool setsCondition(const ExecInst *i, const OpTraits &traits, isa::Branch::On on) {
  const isa::Inst &in = *i->inst;
  const auto writes = [&in](unsigned slot) {
    const auto is = [slot](const isa::Operand &o) {
      return o.kind == isa::Operand::Kind::sgpr && (o.index & ~1u) == slot;
    };
    return is(in.dst) || is(in.sdst);
  };
  switch (on) {
  case isa::Branch::scc:
    return traits.writesScc && Category(i->category) == Category::salu;
  case isa::Branch::vcc:
    return writes(isa::Sgpr::vcc);
  case isa::Branch::exec:
    return traits.savesExec || writes(isa::Sgpr::exec);
  default:
    return false;
  }
}

/// When the wave's next instruction may use what `i` and those before it have written.
[[gnu::always_inline]] inline uint64_t ComputeUnit::beforeNext(TimedWave &t,
                                                               const ExecInst *i) const {
  const ExecInst *next = t.wave->next;
  switch (Category(t.next)) {
  case Category::valu:
    return t.ready;
  case Category::branch: {
    const uint32_t wait = shared_.p.branchAfterCondition;
    const bool waits = wait && setsCondition(i, shared_.traits[size_t(i->inst->op)],
                                             isa::branchOf(next->inst->op).on);
    return t.ready + (waits ? wait : 0); // VCC and EXEC come sooner here than in a scalar register
  }
  case Category::salu:
  case Category::smem:
    return std::max(t.ready, t.scalarFrom);
  default:
    // The end of a wave waits for all that is outstanding ("Vega" and "RDNA 2" ISA, S_ENDPGM).
    if (shared_.p.endWaits && next->inst->op == Op::s_endpgm)
      return std::max({t.ready, t.vm.until(0), t.lgkm.until(0), t.vs.until(0), t.km.until(0)});
    return t.ready;
  }
}

/// When the wave's next instruction is in its buffer.
[[gnu::always_inline]] inline uint64_t ComputeUnit::fetch(unsigned index, TimedWave &t,
                                                          bool jumped) {
  const uint32_t line = lineOf(t.wave->next);
  if (line == t.fetched.line && !jumped) [[likely]]
    return t.ready;
  FetchPort &port = fetch_[fetch_.size() > 1 ? index : 0];
  return port.enter(t.fetched, line, jumped, now_, t.ready);
}

inline uint32_t sleepsFor(const Wave &w, const isa::Inst &in) {
  if (in.op == Op::s_sleep)
    return uint32_t(in.simm) & 127;
  const isa::Operand &o = in.src[0];
  return (o.kind == isa::Operand::Kind::sgpr ? w.s[o.index] : uint32_t(o.value)) & 127;
}

/// What the wave stopped for, if it did.
inline void ComputeUnit::obeyStatus(TimedWave &t, const isa::Inst &in) {
  const TimingParameters &p = shared_.p;
  Wave &w = *t.wave;
  switch (w.status) {
  case WaveStatus::ready:
    if (isa::signalsBarrier(in.op)) // perhaps the last one
      barrier(*t.group);
    break;
  case WaveStatus::yielded: // s_sleep, or 2^31 loops
    w.status = WaveStatus::ready;
    w.quantum = std::numeric_limits<int32_t>::max();
    if (in.op == Op::s_sleep || in.op == Op::s_sleep_var) {
      t.ready = now_ + std::max(p.internal, p.sleepUnit * sleepsFor(w, in));
      shared_.slept = true;
    }
    break;
  case WaveStatus::barrier:
    t.ready = kNever;
    waitAtBarrier(*t.group, w);
    barrier(*t.group);
    break;
  case WaveStatus::ended:
    finished_ = std::max(
        {finished_, now_ + p.internal, t.vm.last(), t.lgkm.last(), t.vs.last(), t.km.last()});
    t.ready = kNever;
    endWave(*t.group, w);
    anyEnded_ = true;
    barrier(*t.group);
    break;
  case WaveStatus::faulted:
    break;
  }
}

/// S_DELAY_ALU may go beside the instruction before it ("RDNA3" ISA, 5.7). What it says is to be
/// waited for, the model knows by itself.
[[gnu::always_inline]] inline void ComputeUnit::skipDelays(Wave &w) {
  while (Category(w.next->category) == Category::other && w.next->inst->op == Op::s_delay_alu &&
         w.status == WaveStatus::ready)
    if (!execute<Category::other>(w, w.next))
      return;
}

/// Whether an instruction may be the last one that a counter has room for. Behind it the wave waits
/// until there is room again, so that others need not ask.
constexpr bool mayFill(Category c) {
  return c != Category::valu && c != Category::branch && c != Category::waitcnt;
}

template <Category C>
inline void ComputeUnit::issue(Simd &s, unsigned index, TimedWave &t, const ExecInst *i) {
  const TimingParameters &p = shared_.p;
  Wave &w = *t.wave;
  const isa::Inst &in = *i->inst;
  constexpr bool smem = C == Category::smem;
  constexpr bool vector = C == Category::valu; // which goes on behind it, or faults
  // Sources are read before they are overwritten: the scalar address is needed for the cache.
  const uint64_t smemDone = smem ? memory_.front()->scalar(w, in, now_) : 0;
  const ExecInst *next = execute<C>(w, i);
  const bool jumped = !vector && next != following(i) && w.status != WaveStatus::ended;
  if (smem)
    (shared_.separateScalars ? t.km : t.lgkm).add(smemDone, now_);
  t.ready = charge<C>(s, index, t, i, next);
  if constexpr (mayFill(C))
    for (const Outstanding *counter : {&t.vm, &t.vs, &t.lgkm})
      if (counter->full())
        t.ready = std::max(t.ready, counter->until(62));
  skipDelays(w);
  t.next = w.next->category;
  t.ready = beforeNext(t, i);
  if (p.valuResult && t.results.last() > t.ready && (vector || w.status != WaveStatus::ended))
    t.ready = t.results.neededBy(rangesOf(w.next), t.ready);
  if (!fetch_.empty())
    t.ready = fetch(index, t, jumped);
  if (vector)
    return;
  if (w.status != WaveStatus::ready || (C == Category::other && isa::signalsBarrier(in.op)))
      [[unlikely]]
    obeyStatus(t, in);
}

} // namespace meld::softgpu::timing
