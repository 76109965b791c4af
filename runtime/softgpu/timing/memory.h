// The timing model's memory: one compute unit's L1, scalar cache and ports, and what the device
// shares behind them.
//
//   vector lanes -> TLB -> L1 -> port -> L2 (shared) -> HBM       stores, atomics: past L1
//   scalar       -> scalar cache -> port -> L2
//
// The bandwidth behind the port is one for the device (`sharedMemory`), or every unit has its share
// of the memory's and the L2 is never busy. With `writeBack` a store is done in the L2 and its line
// goes to the memory when it has to make room; without, a store that misses passes the memory as a
// load does. What is on its way into a cache is waited for (pending.h); where every unit has its share
// the L2 has at once what it asks for.
//
// All times are cycles; an answer is the cycle at which the last byte has arrived. Not thread-safe.
#pragma once

#include "runtime/softgpu/timing/cache.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/parts.h"
#include "runtime/softgpu/timing/pending.h"
#include "runtime/softgpu/timing/shared_rate.h"
#include "runtime/softgpu/timing/tlb.h"

#include <optional>

namespace meld::softgpu::timing {

/// What the compute units of a device share.
class DeviceMemory {
public:
  DeviceMemory(const TimingParameters &p, unsigned computeUnits);

  /// A turn begins: nothing will be asked for before `now` any more.
  void begin(uint64_t now) {
    l2Rate.begin(now);
    hbmRate.begin(now);
  }

  TagCache l2;
  Pending l2Pending; ///< what comes from the memory; there when a hit has it in l2Latency
  SharedRate l2Rate, hbmRate;
  uint64_t l2Line = 0, l2StoreLine = 0, hbmLine = 0; ///< the work of a line, in SharedRate::kUnit
  std::optional<SecondTlb> tlb;                      ///< none: not modelled
};

enum class Access : uint8_t {
  load,
  loadPastL1, ///< glc
  store,
  atomic,
};

class MemoryPath {
public:
  MemoryPath(const TimingParameters &p, DeviceMemory &device);

  /// The lines of `trace`, one after the other from `now` on; `done` when there are none.
  uint64_t vector(const MemoryTrace &trace, Access access, uint64_t now, uint64_t done);
  /// An SMEM instruction; before it runs, while its address is in the registers.
  uint64_t scalar(const Wave &w, const isa::Inst &in, uint64_t now);
  void clearL1() { l1_.clear(); }

private:
  struct Asked {
    uint64_t line, at;
    uint64_t arrives; ///< at the wave
  };
  uint64_t translated(const MemoryTrace &trace, uint64_t now);
  uint64_t behindShare(Asked *asked, uint32_t count, Access access, uint64_t delay);
  uint64_t behindShared(Asked *asked, uint32_t count, Access access, uint64_t delay);

  const TimingParameters &p_;
  DeviceMemory &device_;
  TagCache l1_, scalarCache_;
  Pending pending_;           ///< into the L1; there when they arrive at the wave
  Pending scalarPending_{64}; ///< into the scalar cache; there when a hit has them in scalarLatency
  std::optional<FirstTlb> tlb_;
  Pipe l2Port_, hbm_;
  const uint64_t l2Line_, hbmLine_; ///< what a line takes of the port and of the share
};

/// Cycles an LDS instruction keeps its unit; `passes` as Shared's.
uint32_t ldsCycles(const MemoryTrace &trace, const isa::Inst &in, const TimingParameters &p,
                   uint32_t passes = 1);

} // namespace meld::softgpu::timing
