// What a kernel's machine code costs, statically, and whether a melded version is better.
//
// Unit: cycles of one wave (wave_time.h), weighted by the block frequencies of machine_code.h. When
// code is judged nobody knows yet how it will be launched, so a wave is looked at alone on its SIMD
// and among as many as fit, and the geometric mean of both is what is compared: a gain of the one
// and a loss of the other cancel when they are equal in percent. Where the launch is known, among()
// tells more. The numbers rank two versions of the same kernel made by the same compiler; they are
// not a prediction of time.
//
// Thread rule: pure functions.
#pragma once

#include "passes/cost/wave_time.h"

#include <cstdint>
#include <string>

namespace meld::passes {

struct Estimate {
  double cycles = 0; ///< of a wave, in its launch or between alone and among as many as fit
  WaveTime wave;
  uint32_t instructions = 0, valu = 0, salu = 0, scalarMemory = 0, vectorMemory = 0, lds = 0,
           branches = 0;     ///< static counts
  unsigned wavesPerSimd = 0; ///< occupancy()
  /// v_swap_b32 in blocks with a call. SIShrinkInstructions makes a swap of three moves (t = x, x =
  /// y, y = t), where the first or the second was, and overlooks that a call between them writes t
  /// (matchSwap, LLVM 15 to 21).
  uint32_t swapsBesideCalls = 0;
  uint32_t lanesMoved = 0; ///< of the machine code (machine_code.h)
  /// Vector instructions of which only the lanes of one side may see the effect, or none: those
  /// before EXEC is written in a block that a wave comes to without lanes, where others are turned
  /// on.
  uint32_t beforeLanesMeet = 0;
  /// Blocks of loops that turn off the lanes that leave, and do not ask whether any is left.
  uint32_t endsWithoutBranch = 0;
  /// Upper halves of products of signed numbers of 24 bits (V_MUL_HI_I32_I24).
  uint32_t signedUppers = 0;
  /// Atomics, and how many of them a wave may do as one: LLVM's atomic optimizer counts the lanes
  /// below (v_mbcnt) for each, adds up, and lets one lane do it. No cycles of ours say what it
  /// costs when 64 lanes hit one address.
  uint32_t atomics = 0, combinedAtomics = 0;

  /// Cycles per wave in a launch with so many for each SIMD.
  double among(double waves) const;
};

/// `wavesPerSimd`: of its launches, where that is known; 0: it is not.
Estimate estimate(const MachineFunction &function, const KernelResources &resources,
                  llvm::StringRef processor, double wavesPerSimd = 0);

/// Waves per SIMD that registers and LDS allow, as the gate counts them (runtime/gpu/occupancy.h);
/// 0 for a processor that nobody has the sizes of.
unsigned occupancy(const KernelResources &resources, llvm::StringRef processor);

struct Verdict {
  bool better = false;
  double gain = 0; ///< percent of weighted cycles
  std::string reason;
};

/// What LLVM may have got wrong in the machine code `after`; empty: nothing known. Of the first two
/// only what `before` has less of.
/// - swaps beside calls (see Estimate);
/// - from LLVM 18 on, scalars that are kept in the lanes of vector registers, where these are moved or kept elsewhere themselves: its greedy
///   allocator splits them, and lanes are lost (tests/fuzz: --nests, seed 20, LLVM 21; right with -wwm-regalloc=basic,
///   and with -amdgpu-prealloc-sgpr-spill-vgprs, which moves none).
/// - up to LLVM 18, upper halves of products of signed numbers of 24 bits. Programs that want one are rare; an unsigned product may have been
///   taken for one (performMulLoHiCombine, llvm_fixes/wide_products.h; tests/fuzz: seed 11041713, where code generation alone sees that a
///   divisor is 1, and multiplies by its reciprocal, 2^32 - 1). Where the original has some, too, melding may have made one of two of them.
/// - where sides come together, what was put before their lanes are on again: the allocator splits a vector register's live range at the
///   top of the block, and where it has put a scalar's copy there before it does not look further (isBasicBlockPrologue(); tests/fuzz:
///   seed 13004975, gfx942, LLVM 21; LLVM 15 may store there, too). The original may have been lucky with the same. Not seen where sides
///   come together without a branch for them.
/// - ends of loops from which no branch leads when no lane is left, so that a wave never leaves. SIPreEmitPeephole takes branches over a
///   few instructions away, and overlooks that the last of them jumps back (LLVM 15; not seen with 17). The original may have been lucky.
std::string mayBeWrong(const Estimate &before, const Estimate &after);

/// Better: at least `minProfit` percent (and any) fewer cycles, no fewer waves (no more registers
/// where waves are unknown), no more LDS, scratch or VGPR spills, nothing that mayBeWrong(), and
/// what atomics are left are combined as they were. With `force` cycles, waves and atomics count
/// for nothing.
Verdict judge(const Estimate &before, const KernelResources &resourcesBefore, const Estimate &after,
              const KernelResources &resourcesAfter, double minProfit, bool force = false);

} // namespace meld::passes
