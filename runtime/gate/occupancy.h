// How many waves of a kernel fit on one SIMD: registers, and LDS where it is the tighter limit.
//
// Source: LLVM AMDGPUUsage (register granules, "Kernel Descriptor", GRANULATED_WORKITEM_VGPR_COUNT
// and GRANULATED_WAVEFRONT_SGPR_COUNT), the GCN3, Vega, CDNA2 and RDNA ISA manuals (register file
// sizes).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meld {

/// What bounds the workgroups that are resident on a compute unit at once.
struct WorkgroupSize {
  uint64_t ldsBytes = 0;    ///< static LDS; dynamic LDS only makes fewer workgroups fit
  uint64_t mostThreads = 0; ///< .max_flat_workgroup_size; a smaller launch has fewer waves still
};

/// `vgprs` is the total a wave allocates (with AGPRs where the file is unified, as .vgpr_count
/// says). Nothing for a processor we have no numbers for. LDS is counted on GFX9 alone, where a
/// workgroup stays on one compute unit of four SIMDs.
std::optional<unsigned> wavesPerSimd(std::string_view processor, unsigned wavefrontSize,
                                     uint64_t vgprs, uint64_t agprs, uint64_t sgprs,
                                     const WorkgroupSize &workgroup = {});

} // namespace meld
