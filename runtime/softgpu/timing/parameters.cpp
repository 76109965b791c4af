#include "runtime/softgpu/timing/parameters.h"

namespace meld::softgpu {

TimingParameters TimingParameters::of(isa::Target target) {
  TimingParameters p;
  if (target == isa::Target::gfx90a)
    p.f64 = 4; // CDNA2: as fast as f32; half of it on MI50 and MI100
  if (target == isa::Target::gfx900 || target == isa::Target::gfx906) {
    p.f64 = target == isa::Target::gfx900 ? 64 : 8;
    p.l2Bytes = 4 << 20;
    p.hbmMilliBytesPerCycle = 4892;
  }
  return p;
}

void TimingParameters::apply(const TimingChanges &changes) {
  for (const auto &[changed, value] : changes) {
#define MELD_TIMING_PARAMETER(name, byDefault, least, most)                                        \
  if (changed == #name)                                                                            \
    name = value;
#include "runtime/softgpu/timing/parameter_table.def"
  }
}

} // namespace meld::softgpu
