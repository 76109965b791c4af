// One kernel launch, read from an AQL packet and the kernel's descriptor.
//
// Sources: HSA Platform System Architecture 1.2, 2.9.6 (packet); LLVM "User Guide for AMDGPU
// Backend", "Code Object V3 Kernel Descriptor", "compute_pgm_rsrc1/2/3", "Initial Kernel Execution
// State". The legacy amd_kernel_code_t of ROCr's own shaders has the fields used here at the same
// offsets.
#pragma once

#include "runtime/gpu/processor.h"
#include "runtime/softgpu/execute/dispatch.h"

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
  uint32_t groupsPerCu = 0, wavesPerSimd = 0; ///< how many fit: the occupancy

  // Initial registers
  uint32_t properties = 0, rsrc2 = 0; ///< as in the descriptor
  uint64_t kernarg = 0;
  bool packedIds = false; ///< work-item ids in v0, 10 bits each (from gfx90a on)
  /// The hardware puts the wave's scratch base in FLAT_SCRATCH; no SGPR tells an offset (gfx942).
  bool hardwareScratch = false;
  /// The first dwords of the kernel's arguments, in the SGPRs behind the other user SGPRs.
  std::vector<uint32_t> preloaded;
  unsigned idDimensions() const { return (rsrc2 >> 11 & 3) + 1; }
};

/// What a compute unit of the target has.
Processor processorOf(isa::Target target);

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
