#include "runtime/softgpu/timing/parameters.h"

#include <iterator>
#include <string>

namespace meld::softgpu {

namespace {

/// A row that holds for one device instead of the table's general one.
struct DeviceRange {
  isa::Target target;
  TimingRange range;
};

constexpr TimingRange kGeneral[] = {
#define MELD_TIMING_PARAMETER(name, value, low, high, least, most) {#name, value, low, high},
#include "runtime/softgpu/timing/parameter_table.def"
};
constexpr DeviceRange kOfDevices[] = {
#define MELD_TIMING_PARAMETER(...)
#define MELD_TIMING_OF(device, name, value, low, high)                                             \
  {isa::Target::device, {#name, value, low, high}},
#include "runtime/softgpu/timing/parameter_table.def"
};

} // namespace

std::vector<TimingRange> timingRanges(isa::Target target) {
  std::vector<TimingRange> ranges(std::begin(kGeneral), std::end(kGeneral));
  for (const DeviceRange &row : kOfDevices)
    if (isa::targetName(row.target) == isa::targetName(target)) // whatever the size of waves
      for (TimingRange &range : ranges)
        if (range.name == row.range.name)
          range = row.range;
  return ranges;
}

TimingParameters TimingParameters::of(isa::Target target) {
  TimingParameters p;
  for (const TimingRange &range : timingRanges(target))
    p.apply({{std::string(range.name), range.value}});
  p.lineShift = isa::traitsOf(target).generation >= 10 ? 7 : 6;
  return p;
}

void TimingParameters::apply(const TimingChanges &changes) {
  for (const auto &[changed, to] : changes) {
#define MELD_TIMING_PARAMETER(name, value, low, high, least, most)                                 \
  if (changed == #name)                                                                            \
    name = to;
#include "runtime/softgpu/timing/parameter_table.def"
  }
}

} // namespace meld::softgpu
