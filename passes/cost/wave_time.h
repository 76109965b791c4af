// How long a wave of a kernel takes, by itself and among others on its SIMD: what each unit has to
// do for it, and how long it takes from its first instruction to its last.
//
//   alone:  v_add | ds_read |......waiting......| v_add | s_cbranch |       one wave: all of it counts
//   four:   v_add | v_add(2) | v_add(3) | v_add(4) | v_add | ...            the busiest unit counts
//
// With n waves on a SIMD a wave takes about max(alone / n, the busiest unit's time for a wave):
// Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level
// parallelism awareness" (ISCA 2009), with units instead of memory alone. Waves also stand in each
// other's way, so instead of the maximum the 4-norm is taken, which is a fifth more where two are
// equal and the maximum where one is larger by far.
//
// Rates are those of docs/timing-model.md, with their sources there, by processor and wave size. Of
// latencies half is charged, and only where an s_waitcnt of the code waits for them: they are the
// least certain numbers of that page, and part of them passes in ways that are not seen here.
// Vector memory outside of loops is taken for the first access to its lines, which comes from
// memory; inside for a hit. Addresses are taken for consecutive.
//
// Not seen: how often a loop runs (all alike), that one of two codes was unrolled further than the
// other, bank conflicts, called functions.
//
// Terminates: one walk over the blocks. Costs O(instructions + edges * 63). Thread rule: pure.
#pragma once

#include "passes/cost/machine_code.h"

#include "llvm/ADT/StringRef.h"

namespace meld::passes {

/// Cycles of one wave, weighted by the blocks' frequencies.
struct WaveTime {
  double alone = 0; ///< from first to last instruction, when nothing else runs
  // What keeps the units of one SIMD busy; of units that several SIMDs share, their share of it.
  double vectorAlu = 0, scalar = 0, branch = 0, vectorMemory = 0, lds = 0;
  double memory = 0; ///< bytes from memory at the bandwidth of one SIMD

  /// Per wave, when `waves` of them are on the SIMD; fewer than one counts as one.
  double among(double waves) const;
};

WaveTime waveTime(const MachineFunction &function, llvm::StringRef processor, unsigned waveSize);

} // namespace meld::passes
