// What one machine instruction costs to issue, by its name in LLVM, and what it is to wait for.
//
// Cycles of one wave on its SIMD, as in the software GPU's timing model; the sources stand in
// docs/timing-model.md, Parameters. Up to GFX9 a SIMD has 16 lanes and a wave 64; from GFX10 on it has 32,
// and a wave of 64 passes it twice. Thread rule: pure functions.
#pragma once

#include "passes/cost/machine_code.h"

#include "llvm/ADT/StringRef.h"

namespace meld::passes {

/// As initialised, those of a wave of 64 on GFX9.
struct Rates {
  double valu = 4, half = 8, quarter = 16, f64 = 8;
  double mfma = 32, salu = 4, internal = 4, barrier = 8;
  double branch = 12; ///< between 8 not taken and 16 taken
  double ldsWord = 4, ldsWrite = 4;
  double vectorMemoryWord = 4;        ///< 64 consecutive words are four lines
  double memoryBytesPerCycle = 9.267; ///< of a compute unit
  /// Half of the time that results take: of the vector ALU beyond its issue, of an L2 hit, of LDS and
  /// of the scalar cache.
  double valuResult = 0, vectorLatency = 110, ldsLatency = 32, scalarLatency = 32;
  double simdsOfMemory = 4, simdsOfLds = 2; ///< that share a vector memory unit, a port of the LDS
  bool storesApart = false;                 ///< they have a counter of their own
};

/// Of a processor, for waves of 32 or 64 lanes; those of gfx90a where nothing else is known of it, of
/// gfx1030 for GFX10, of gfx1100 for what came later.
Rates ratesOf(llvm::StringRef processor, unsigned waveSize = 64);

enum class InstructionKind : uint8_t {
  valu,
  salu,
  scalarMemory,
  vectorMemory,
  lds,
  branch, ///< jumps, calls, the end
  wait,   ///< for counters
  other,
};

struct InstructionCost {
  InstructionKind kind = InstructionKind::other;
  double issue = 4;
  double words = 0;    ///< of 32 bits that a lane reads or writes in memory or LDS
  bool flat = false;   ///< counts as both kinds of memory
  bool stores = false; ///< vector memory from which nothing comes back
};

InstructionCost costOf(const MachineInstruction &instruction, const Rates &rates);

/// How many operations a wait leaves outstanding.
struct WaitCounts {
  static constexpr size_t any = SIZE_MAX; ///< it is not for these
  size_t vector = any, local = any, stores = any;
};
WaitCounts waitCountsOf(const MachineInstruction &instruction);

} // namespace meld::passes
