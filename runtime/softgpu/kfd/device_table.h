// What the devices are: the public facts of the cards we stand in for.
//
// Sources: AMD's product pages and the PCI id list (device ids, compute units, memory), the
// kernel's topology code (the property names that carry them). What a compute unit holds is in
// runtime/gpu/processor.h.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <string_view>

namespace meld::softgpu {

struct DeviceModel {
  isa::Target target;
  const char *isaName;       ///< gfx90a
  const char *marketingName; ///< what amdgpu_get_marketing_name answers
  uint32_t deviceId;         ///< PCI device id
  uint32_t gfxVersion;       ///< gfx_target_version: major * 10000 + minor * 100 + stepping
  uint32_t computeUnits;
  uint32_t shaderEngines, arraysPerEngine;
  uint32_t clockMhz;
  uint32_t l1KiB, l2KiB; ///< of a compute unit, of the device
  uint32_t memoryBusBits;
  uint32_t memoryClockMhz;
  uint64_t memoryBytes;
  bool sramEcc; ///< gives the agent's ISA sramecc+
  uint32_t sdmaEngines;
};

/// The model of a name such as "gfx90a"; nullptr when there is none.
const DeviceModel *findDevice(std::string_view isaName);
const DeviceModel &deviceOf(isa::Target target);

} // namespace meld::softgpu
