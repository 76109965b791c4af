// How many waves of a kernel fit on one SIMD, as far as registers decide.
//
// Source: LLVM AMDGPUUsage (register granules, "Kernel Descriptor", GRANULATED_WORKITEM_VGPR_COUNT
// and GRANULATED_WAVEFRONT_SGPR_COUNT), the GCN3, Vega, CDNA2 and RDNA ISA manuals (register file
// sizes).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meld {

/// `vgprs` is the total a wave allocates (with AGPRs where the file is unified, as .vgpr_count
/// says). Nothing for a processor we have no numbers for.
std::optional<unsigned> wavesPerSimd(std::string_view processor, unsigned wavefrontSize,
                                     uint64_t vgprs, uint64_t agprs, uint64_t sgprs);

} // namespace meld
