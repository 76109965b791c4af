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
//   LDS                  the same manuals, "LDS"; AMDGPUUsage, GRANULATED_LDS_SIZE; pieces of 1024
//                        bytes from GFX10.3 on: Mesa, ac_gpu_info (lds_alloc_granularity)
//   workgroups           LLVM, IsaInfo::getMaxWorkGroupsPerCU: 16 barriers, 32 for a pair of units
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
  unsigned vgprEncoding = 0;    ///< the unit of a kernel descriptor's field; 0: vgprGranule
  bool agprsAmongVgprs = false; ///< one file for both; otherwise AGPRs have one of the same size
  unsigned sgprs = 0;           ///< of a SIMD; 0: scalar registers limit nothing
  unsigned sgprGranule = 0;
  uint64_t ldsBytes = 0; ///< of a compute unit; 0: not counted, as a workgroup may spread over two,
                         ///< or as not all processors of a generic target have as much
  unsigned ldsGranule = 0;     ///< bytes
  uint64_t ldsOfWorkgroup = 0; ///< what one workgroup may have of them; 0: all
};

/// `name` as in a target id ("gfx90a"), without features. Nothing for what we have no facts for: no
/// processor is guessed from its neighbours' names. `waveSize` is 32 or 64 lanes. A generic target has
/// the least that its processors have, which is what LLVM compiles for.
std::optional<Processor> findProcessor(std::string_view name, unsigned waveSize);

/// What a workgroup is placed on: one compute unit or, from GFX10 on, both of a pair, a "workgroup
/// processor" (the kernel descriptor's WGP_MODE).
enum class Placement : uint8_t { computeUnit, pair };

/// findProcessor() for what a launch is placed on, with all the figures that a launch needs (SIMDs and
/// LDS of that unit, barriers). Nothing where not all are known: of RDNA there are GFX10.3
/// and gfx1100 to gfx1103. Before GFX10 there are no pairs.
std::optional<Processor> findUnit(std::string_view name, unsigned waveSize, Placement placement);

} // namespace meld
