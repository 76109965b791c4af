// Every number of the timing model, by name; docs/timing-model.md gives the sources of the defaults.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace meld::softgpu {

struct TimingParameters {
  // Issue, in cycles
  uint32_t valu = 4, valuHalf = 8, valuQuarter = 16, transcendental = 16, mulHi32 = 16, f64 = 8,
           mfma = 32;
  uint32_t salu = 4, branchNotTaken = 8, branchTaken = 16, internal = 4, sleepUnit = 64;
  // LDS: banks and bytes per cycle are in the trace; a read costs its bytes per lane, a write 4
  // more
  uint32_t ldsMin = 4, ldsBytesPerLaneCycle = 1, ldsWriteExtra = 4, ldsConflict = 1,
           ldsLatency = 64;
  // Vector memory
  uint32_t vmemMin = 4, vmemPerLine = 1;
  uint32_t l1Bytes = 16 << 10, l1Ways = 4, l1Latency = 120;
  uint32_t l2Bytes = 8 << 20, l2Ways = 16, l2Latency = 220;
  uint32_t hbmLatency = 350;
  uint32_t l2BytesPerCycle = 64;         ///< per compute unit
  uint32_t hbmMilliBytesPerCycle = 9267; ///< per compute unit, in 1/1000 byte
  uint32_t scalarBytes = 16 << 10, scalarWays = 4, scalarLatency = 64;
  // The dispatch
  uint32_t turn = 128;            ///< cycles a compute unit advances before the next one does
  uint32_t launchOverhead = 5000; ///< reported separately, never part of `cycles`

  static TimingParameters of(isa::Target target);
  /// Changes one field by name; false: no such field.
  bool set(std::string_view name, uint32_t value);
  /// "name=value,name=value"; the first part that does not parse, empty when all did.
  std::string apply(std::string_view settings);
};

} // namespace meld::softgpu
