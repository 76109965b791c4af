// What a kernel's machine code costs, statically, and whether a melded version is better.
//
// Unit: issue cycles of one wave, weighted by the block frequencies of machine_code.h. One table of
// costs per instruction class (estimate.cpp, the same figures as the software GPU's timing model).
// The numbers rank two versions of the same kernel made by the same compiler; they are not a
// prediction of time. Not seen: the cost of called functions, cache behaviour, trip counts.
#pragma once

#include "jit/code_object.h"
#include "jit/machine_code.h"

#include <cstdint>
#include <string>

namespace meld::jit {

struct Estimate {
  double cycles = 0; ///< weighted
  uint32_t instructions = 0, valu = 0, salu = 0, scalarMemory = 0, vectorMemory = 0, lds = 0,
           branches = 0;     ///< static counts
  unsigned wavesPerSimd = 0; ///< the registers' limit
};

Estimate estimate(const MachineFunction &function, const KernelResources &resources,
                  llvm::StringRef processor);

/// Waves per SIMD that the register counts allow.
unsigned occupancy(const KernelResources &resources, llvm::StringRef processor);

struct Verdict {
  bool better = false;
  double gain = 0; ///< percent of weighted cycles
  std::string reason;
};

/// Better: at least `minProfit` percent (and any) fewer cycles, no fewer waves, no more LDS,
/// scratch or spills.
Verdict judge(const Estimate &before, const KernelResources &resourcesBefore, const Estimate &after,
              const KernelResources &resourcesAfter, double minProfit);

} // namespace meld::jit
