// The timing model's memory: one compute unit's L1, scalar cache and ports, the device's L2 behind.
//
//   vector lanes -> L1 -> port -> L2 (shared) -> HBM share        stores, atomics: past L1
//   scalar       -> scalar cache -> port -> L2
//
// All times are cycles; an answer is the cycle at which the last byte has arrived. Not thread-safe.
#pragma once

#include "runtime/softgpu/timing/cache.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/parts.h"

namespace meld::softgpu::timing {

class MemoryPath {
public:
  MemoryPath(const TimingParameters &p, TagCache &l2)
      : p_(p), l2_(l2), l1_(p.l1Bytes, p.l1Ways), scalarCache_(p.scalarBytes, p.scalarWays) {}

  /// The lines of `trace`, one after the other from `now` on; `done` when there are none.
  uint64_t vector(const MemoryTrace &trace, bool pastL1, uint64_t now, uint64_t done);
  /// An SMEM instruction; before it runs, while its address is in the registers.
  uint64_t scalar(const Wave &w, const isa::Inst &in, uint64_t now);
  void clearL1() { l1_.clear(); }

private:
  const TimingParameters &p_;
  TagCache &l2_;
  TagCache l1_, scalarCache_;
  Pipe l2Port_, hbm_;
};

/// Cycles an LDS instruction keeps its unit.
uint32_t ldsCycles(const MemoryTrace &trace, const isa::Inst &in, const TimingParameters &p);

} // namespace meld::softgpu::timing
