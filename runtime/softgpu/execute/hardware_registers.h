// The hardware registers that s_getreg and s_setreg reach. "Vega" ISA, "RDNA 2" ISA, "RDNA3" ISA
// and "RDNA4" ISA, "Hardware Register Values"; numbers as in LLVM's guide for AMDGPU.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu {

/// Register `id` of a wave on `target`. One that has no meaning here is 0.
uint32_t readHardwareRegister(const Wave &w, isa::Target target, unsigned id);

/// Writes the bits of `mask` on a processor of `generation` (9, 10, 11 or 12); what user waves may
/// not write stays.
void writeHardwareRegister(Wave &w, unsigned generation, unsigned id, uint32_t mask,
                           uint32_t value);

} // namespace meld::softgpu
