// What one machine instruction costs to issue, by its name in LLVM, and what it is to wait for.
//
// Cycles of one wave64 on a 16-lane SIMD, as in the software GPU's timing model; the sources stand
// in docs/timing-model.md, Parameters. Thread rule: pure functions.
#pragma once

#include "passes/cost/machine_code.h"

#include "llvm/ADT/StringRef.h"

namespace meld::passes {

struct Rates {
  double valu = 4, half = 8, quarter = 16, f64 = 8;
  double mfma = 32, salu = 4, internal = 4, barrier = 8;
  double branch = 12; ///< between 8 not taken and 16 taken
  double ldsWord = 4, ldsWrite = 4;
  double vectorMemoryWord = 4;        ///< 64 consecutive words are four lines
  double memoryBytesPerCycle = 9.267; ///< of a compute unit
};

/// Of a processor; those of gfx90a where nothing else is known of it.
Rates ratesOf(llvm::StringRef processor);

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
  double words = 0;  ///< of 32 bits that a lane reads or writes in memory or LDS
  bool flat = false; ///< counts as both kinds of memory
};

InstructionCost costOf(const MachineInstruction &instruction, const Rates &rates);

/// How many operations an s_waitcnt leaves outstanding.
struct WaitCounts {
  size_t vector = 0, local = 0;
};
/// GFX6 to GFX10; of later ones, whose instructions differ, nothing is left.
WaitCounts waitCountsOf(const MachineInstruction &instruction);

} // namespace meld::passes
