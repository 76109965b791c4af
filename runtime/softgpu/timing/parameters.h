// Every number of the timing model, by name; docs/timing-model.md gives the sources of the defaults.
#pragma once

#include "runtime/settings/kinds.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdint>

namespace meld::softgpu {

struct TimingParameters {
#define MELD_TIMING_PARAMETER(name, byDefault, least, most) uint32_t name = byDefault;
#include "runtime/softgpu/timing/parameter_table.def"

  static TimingParameters of(isa::Target target);
  void apply(const TimingChanges &changes);

  /// Cycles for which an instruction of the vector ALU keeps its SIMD.
  uint32_t issueOf(isa::ValuRate rate) const {
    switch (rate) {
    case isa::ValuRate::full:
      return valu;
    case isa::ValuRate::half:
      return valuHalf;
    case isa::ValuRate::quarter:
      return valuQuarter;
    case isa::ValuRate::transcendental:
      return transcendental;
    case isa::ValuRate::f64:
      return f64;
    case isa::ValuRate::mulHi32:
      return mulHi32;
    case isa::ValuRate::mfma:
      return mfma;
    }
    return valu;
  }
};

} // namespace meld::softgpu
