// Source operands whose value exists only when an instruction executes.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu {

/// The value of source operand `code`: 235..238 apertures (src_shared_base, src_shared_limit,
/// src_private_base, src_private_limit), 251 VCCZ, 252 EXECZ, 253 SCC. 0 for the others, which only
/// graphics has (POPS_EXITING_WAVE_ID, LDS_DIRECT). Source: "Vega" ISA, "Scalar ALU Operands".
inline uint64_t specialSource(const Wave &w, unsigned code) {
  switch (code) {
  case 235:
  case 236:
  case 237:
  case 238:
    return w.apertures[code - 235];
  case 251:
    return w.mask(isa::Sgpr::vcc) == 0;
  case 252:
    return w.exec() == 0;
  case 253:
    return w.scc;
  default:
    return 0;
  }
}

} // namespace meld::softgpu
