// What a compute unit of each AMDGPU processor holds: waves, registers, LDS, and in which pieces
// they are handed out. The one table of these: the gate, the estimate on machine code and the
// software GPU read it.
//
// Sources, by fact:
//   waves per SIMD       GCN3, Vega, CDNA and RDNA ISA manuals, "Kernel Processing"; LLVM,
//                        IsaInfo::getMaxWavesPerEU
//   vector registers     the same manuals, "VGPRs"; AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT;
//                        LLVM, IsaInfo::getTotalNumVGPRs and getVGPRAllocGranule (the feature
//                        "1_5xVGPRs": gfx1100, gfx1101, gfx1151 and GFX12)
//   scalar registers     the GCN3 and Vega manuals, "SGPRs"; AMDGPUUsage,
//                        GRANULATED_WAVEFRONT_SGPR_COUNT; LLVM, IsaInfo::getTotalNumSGPRs and
//                        getSGPRAllocGranule. From GFX10 on each wave has its own full set.
//   LDS                  the same manuals, "LDS"; AMDGPUUsage, GRANULATED_LDS_SIZE
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meld {

struct Processor {
  unsigned wavesPerSimd = 0;
  unsigned simds = 4;      ///< of the compute unit that a workgroup stays on
  unsigned workgroups = 0; ///< of several waves at once on a compute unit (barrier resources)
  unsigned vgprs = 0;      ///< rows of a SIMD's vector registers, shared by its waves
  unsigned vgprGranule = 0;
  bool agprsAmongVgprs = false; ///< one file for both; otherwise AGPRs have one of the same size
  unsigned sgprs = 0;           ///< of a SIMD; 0: scalar registers limit nothing
  unsigned sgprGranule = 0;
  uint64_t ldsBytes = 0; ///< of a compute unit; 0: not counted, as a workgroup may spread over two,
                         ///< or as not all processors of a generic target have as much
  unsigned ldsGranule = 0; ///< bytes
};

/// `name` as in a target id ("gfx90a"), without features. Nothing for what we have no facts for: no
/// processor is guessed from its neighbours' names. `waveSize` is 32 or 64 lanes. A generic target has
/// the least that its processors have, which is what LLVM compiles for.
std::optional<Processor> findProcessor(std::string_view name, unsigned waveSize);

} // namespace meld
