// Every number of the timing model, by name; docs/timing-model.md gives the sources of the defaults.
#pragma once

#include "runtime/settings/kinds.h"
#include "runtime/softgpu/isa/inst.h"

#include <cstdint>

namespace meld::softgpu {

struct TimingParameters {
#define MELD_TIMING_PARAMETER(name, byDefault, least, most) uint32_t name = byDefault;
#include "runtime/softgpu/timing/parameter_table.def"

  static TimingParameters of(isa::Target target);
  void apply(const TimingChanges &changes);
};

} // namespace meld::softgpu
