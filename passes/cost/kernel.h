// One kernel of a finished code object as the estimator takes it: its machine code, and the
// resources that the code object's metadata note declares.
//
// Source: LLVM AMDGPU usage, "Code Object Metadata V3/V4/V5". Thread rule: plain values.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace meld::passes {

struct KernelResources {
  uint32_t vgprs = 0; ///< .vgpr_count (unified file: includes AGPRs on gfx90a)
  uint32_t agprs = 0;
  uint32_t sgprs = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0;     ///< per work-group
  uint32_t scratchBytes = 0; ///< per work-item
  uint32_t waveSize = 64;
  uint32_t maxWorkgroup = 0; ///< .max_flat_workgroup_size
};

struct MachineKernel {
  std::string name;
  KernelResources resources;
  uint64_t descriptor = 0; ///< address of <name>.kd in the code object
  uint64_t address = 0;    ///< address of the code
  llvm::ArrayRef<uint8_t> code;
};

} // namespace meld::passes
