// How many waves fit on one SIMD: registers, and LDS where it is the tighter limit.
//
// A wave takes its registers, a workgroup its LDS, rounded up to the granule in which the hardware
// hands them out (runtime/gpu/processor.h). LLVM's own comment in the assembly ("; Occupancy:")
// counts scalar registers without the granule (97 on GFX9 as 8 waves, though they take 112 and 7
// fit); its budget of registers for a number of waves (IsaInfo::getMaxNumSGPRs) counts as we do.
//
// Thread rule: pure functions. Any numbers will do: they come from objects that anyone may have
// written.
#pragma once

#include "runtime/gpu/processor.h"

namespace meld {

/// What one wave needs, as a code object's metadata says. `vgprs` is the total where AGPRs are
/// among them (as in .vgpr_count).
struct WaveRegisters {
  uint64_t vgprs = 0, agprs = 0, sgprs = 0;
};

/// What bounds the workgroups that are resident on a compute unit at once.
struct WorkgroupSize {
  uint64_t ldsBytes = 0;    ///< static LDS; dynamic LDS only makes fewer workgroups fit
  uint64_t mostThreads = 0; ///< .max_flat_workgroup_size; a smaller launch has fewer waves still
};

/// Waves per SIMD that the registers allow; 0: not even one.
unsigned wavesByRegisters(const Processor &processor, const WaveRegisters &registers);

/// Workgroups on a compute unit that so much LDS allows; nothing: LDS limits nothing.
std::optional<uint64_t> workgroupsByLds(const Processor &processor, uint64_t ldsBytes);

/// Both. Nothing for a processor that findProcessor() does not know.
std::optional<unsigned> wavesPerSimd(std::string_view processor, unsigned waveSize,
                                     const WaveRegisters &registers,
                                     const WorkgroupSize &workgroup = {});

} // namespace meld
