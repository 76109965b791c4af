// What a kernel's machine code costs, statically, and whether a melded version is better.
//
// Unit: issue cycles of one wave, weighted by the block frequencies of machine_code.h. One table of
// costs per instruction class (namespace cycles, the same figures as the software GPU's timing
// model). The numbers rank two versions of the same kernel made by the same compiler; they are not
// a prediction of time. Not seen: the cost of called functions, cache behaviour, trip counts.
//
// Thread rule: pure functions.
#pragma once

#include "passes/cost/machine_code.h"

#include <cstdint>
#include <string>

namespace meld::passes {

/// Cycles per instruction of one wave64 on a 16-lane SIMD. Sources: "Vega" ISA document, chapters 1
/// and 4; "AMD Instinct MI200" ISA document, chapter 4; quarter-rate and double rates as in the
/// CDNA2 white paper.
namespace cycles {
inline constexpr double plain = 4, transcendental = 16, doublePrecision = 8, multiply32 = 16;
inline constexpr double branch = 12; // between 8 not taken and 16 taken
inline constexpr double ldsRead = 8, ldsWrite = 12, vectorMemory = 16, scalarMemory = 8;
inline constexpr double barrier = 8;
} // namespace cycles

struct Estimate {
  double cycles = 0; ///< weighted
  uint32_t instructions = 0, valu = 0, salu = 0, scalarMemory = 0, vectorMemory = 0, lds = 0,
           branches = 0;     ///< static counts
  unsigned wavesPerSimd = 0; ///< occupancy()
  /// v_swap_b32 behind a call in one block. SIShrinkInstructions makes a swap of three moves (t =
  /// x, x = y, y = t) and overlooks that a call between them writes t (LLVM 15, matchSwap).
  uint32_t swapsBehindCalls = 0;
};

Estimate estimate(const MachineFunction &function, const KernelResources &resources,
                  llvm::StringRef processor);

/// Waves per SIMD that registers and LDS allow, as the gate counts them (runtime/gpu/occupancy.h);
/// 0 for a processor that nobody has the sizes of.
unsigned occupancy(const KernelResources &resources, llvm::StringRef processor);

struct Verdict {
  bool better = false;
  double gain = 0; ///< percent of weighted cycles
  std::string reason;
};

/// Better: at least `minProfit` percent (and any) fewer cycles, no fewer waves (no more registers
/// where waves are unknown), no more LDS, scratch, spills or swaps behind calls. With `force`
/// cycles and waves count for nothing.
Verdict judge(const Estimate &before, const KernelResources &resourcesBefore, const Estimate &after,
              const KernelResources &resourcesAfter, double minProfit, bool force = false);

} // namespace meld::passes
