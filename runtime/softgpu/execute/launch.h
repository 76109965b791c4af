// One kernel launch, read from an AQL packet and the kernel's descriptor.
//
// From GFX10 on a kernel's descriptor says how many lanes its waves have (ENABLE_WAVEFRONT_SIZE32). The
// device's target is that of waves of 32; the launch's is chosen here and goes with it.
//
// Sources: HSA Platform System Architecture 1.2, 2.9.6 (packet); LLVM "User Guide for AMDGPU
// Backend", "Code Object V3 Kernel Descriptor", "compute_pgm_rsrc1/2/3", "Initial Kernel Execution
// State". The legacy amd_kernel_code_t of ROCr's own shaders has the fields used here at the same
// offsets.
#pragma once

#include "runtime/gpu/processor.h"
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/execute/wave.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld::softgpu {

/// hsa_kernel_dispatch_packet_t.
struct AqlPacket {
  uint16_t header, setup, workgroup[3], reserved0;
  uint32_t grid[3], privateSegment, groupSegment;
  uint64_t kernelObject, kernarg, reserved2, completionSignal;
};
static_assert(sizeof(AqlPacket) == 64);

struct Launch {
  /// The device's, for waves as large as the kernel was compiled for: by it code is decoded and run.
  isa::Target target = isa::Target::gfx90a;
  std::string kernel; ///< name, or kernel@0x<descriptor>
  std::string device; ///< deviceLabel()
  bool replaced = false;
  uint64_t descriptor = 0, entry = 0;
  uint32_t grid[3] = {}, workgroup[3] = {}, groups[3] = {};
  uint64_t totalGroups = 0;
  uint32_t wavesPerGroup = 0; ///< of a full workgroup

  uint32_t vgprs = 0; ///< architectural VGPRs allocated
  uint32_t accOffset = 0, agprs = 0;
  uint32_t sgprs = 0, ldsBytes = 0, scratchPerLane = 0;
  uint32_t mode = 0;
  uint32_t waveSize = kWaveSize; ///< lanes
  uint8_t lineShift = 6;         ///< see Wave::lineShift
  /// What a workgroup is placed on: one compute unit, or both of a pair (WGP_MODE), with so many SIMDs.
  uint32_t unitsPerGroup = 1, simds = 4;
  uint32_t groupsPerUnit = 0, wavesPerSimd = 0; ///< how many fit there: the occupancy

  // Initial registers
  uint32_t properties = 0, rsrc2 = 0; ///< as in the descriptor
  uint64_t kernarg = 0;
  bool packedIds = false; ///< work-item ids in v0, 10 bits each (from gfx90a on)
  /// The hardware puts the wave's scratch base in FLAT_SCRATCH; no SGPR tells an offset (gfx942).
  bool hardwareScratch = false;
  /// The first dwords of the kernel's arguments, in the SGPRs behind the other user SGPRs.
  std::vector<uint32_t> preloaded;
  unsigned idDimensions() const { return (rsrc2 >> 11 & 3) + 1; }
  /// Bytes.
  size_t scratchPerWave() const { return size_t(scratchPerLane) * isa::traitsOf(target).waveSize; }
};

/// What a compute unit of the target has, or a pair of them.
Processor processorOf(isa::Target target, Placement placement = Placement::computeUnit);

/// How many of what a workgroup of the launch is placed on the device has; at least one.
inline uint32_t placesOf(const Launch &launch, uint32_t computeUnits) {
  return computeUnits > launch.unitsPerGroup ? computeUnits / launch.unitsPerGroup : 1;
}

/// Reads packet and descriptor and checks them against the device's limits.
DispatchResult readLaunch(const DispatchRequest &request, const DeviceConfig &config, Launch &out);

/// Bits of kernel_code_properties, and of the legacy code's properties.
namespace KernelProperty {
enum : uint32_t {
  privateSegmentBuffer = 1,
  dispatchPtr = 2,
  queuePtr = 4,
  kernargPtr = 8,
  dispatchIdSgpr = 16,
  flatScratchInit = 32,
  privateSegmentSize = 64,
  gridX = 128,
  gridY = 256,
  gridZ = 512,
  wave32 = 1024,
};
}

} // namespace meld::softgpu
