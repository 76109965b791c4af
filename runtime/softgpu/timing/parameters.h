// Every number of the timing model, by name; docs/timing-model.md gives the sources of the defaults.
#pragma once

#include "runtime/settings/kinds.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace meld::softgpu {

/// What is known of one parameter: the value that is modelled, and between what it may lie. A
/// parameter whose source is firm has low == high.
struct TimingRange {
  std::string_view name;
  uint32_t value = 0, low = 0, high = 0;
};

/// Every parameter for a device, in the order of the table.
std::vector<TimingRange> timingRanges(isa::Target target);

struct TimingParameters {
#define MELD_TIMING_PARAMETER(name, value, low, high, least, most) uint32_t name = value;
#include "runtime/softgpu/timing/parameter_table.def"

  uint32_t lineShift = 6; ///< cache lines of 2^lineShift bytes, as Wave::lineShift

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
