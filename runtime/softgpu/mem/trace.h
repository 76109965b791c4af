// What a memory instruction costs: distinct cache lines and LDS bank conflicts (MemoryTrace).
//
// Lines: TCP_TOTAL_CACHE_LINES counts, per vector memory instruction, the distinct lines its active
// lanes touch: of 64 bytes, on GFX10 of 128 (Wave::lineShift). Exact in every case:
//   lane-linear    closed form
//   window         all lines within 64 of each other: one bit each in a 64-bit word (vectorised)
//   narrow stride  all lines from the first lane to the last
//   wide stride    one line per lane
//   ascending      count the changes
//   private        one bit per row of private memory, for the lanes of each line of a row
//   else           lanes are chained by a hash of their line
// Bank conflicts: LDS has 32 banks of 4 bytes. One pass serves as many lanes as move 32 dwords (32
// lanes of b32, 16 of b64, 8 of b96 and b128); a pass costs max over banks of the distinct dword
// addresses in that bank, minus one, extra cycles. Lanes that read the same dword share it
// (broadcast).
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::mem {

inline void resetTrace(Wave &w) {
  w.trace.cacheLines = 0;
  w.trace.ldsBankConflicts = 0;
  w.trace.numLines = 0;
}

// trace*() set the trace, add*() add to it (for a part of an instruction whose lines no other part
// touches).

/// Out of line parts of traceLinear.
void listLines(Wave &w, uint64_t firstLine, uint32_t count);
void addLinearPartial(Wave &w, uint64_t base, uint32_t laneBytes, uint64_t exec);

/// Lanes touch [base + lane * laneBytes, + laneBytes).
inline void addLinear(Wave &w, uint64_t base, uint32_t laneBytes, uint64_t exec) {
  if (exec != kFullExec && exec != kLowExec)
    return addLinearPartial(w, base, laneBytes, exec);
  const unsigned shift = w.lineShift, lanes = exec == kFullExec ? kWaveSize : kWaveSize / 2;
  uint64_t first = base >> shift, last = (base + laneBytes * lanes - 1) >> shift;
  w.trace.cacheLines += uint32_t(last - first + 1);
  if (w.timing) [[unlikely]]
    listLines(w, first, uint32_t(last - first + 1));
}
inline void traceLinear(Wave &w, uint64_t base, uint32_t laneBytes, uint64_t exec) {
  resetTrace(w);
  addLinear(w, base, laneBytes, exec);
}

/// All lanes touch [address, + bytes), bytes <= 64.
inline void traceOne(Wave &w, uint64_t address, uint32_t bytes) {
  resetTrace(w);
  const unsigned shift = w.lineShift;
  uint64_t first = address >> shift, last = (address + bytes - 1) >> shift;
  w.trace.cacheLines = uint32_t(last - first + 1);
  if (w.timing) [[unlikely]]
    listLines(w, first, w.trace.cacheLines);
}

/// Lane l of `mask` touches [address[l], + bytes), bytes <= 64.
void traceLanes(Wave &w, const uint64_t *address, uint64_t mask, uint32_t bytes);

/// As traceLanes for lanes whose dwords are `dwordStride` bytes apart (swizzled memory).
void addSwizzled(Wave &w, const uint64_t *address, uint64_t mask, uint32_t bytes,
                 uint32_t dwordStride);

/// The same for private memory that starts at a line: lane l touches `dwords` dwords from byte
/// offset[l], a multiple of 4; dword d of the wave's lanes is row d. False, and nothing
/// added, when the offsets lie too far apart or lines are listed: addSwizzled does these.
bool addPrivate(Wave &w, const uint32_t *offset, uint64_t mask, uint32_t dwords);

/// Extra LDS cycles when lane l of `mask` touches LDS bytes [address[l], + bytes).
uint32_t bankConflicts(const uint32_t *address, uint64_t mask, uint32_t bytes);

} // namespace meld::softgpu::mem
