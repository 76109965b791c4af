// The devices that the settings ask for (MELD_GPU and what goes with it: runtime/settings/table.h), and
// what the driver says to the user.
#pragma once

#include "runtime/settings/settings.h"
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/kfd/device_table.h"

#include <string>
#include <vector>

namespace meld::softgpu {

/// One device.
struct DeviceSettings {
  DeviceModel model =
      deviceOf(isa::Target::gfx90a); ///< with computeUnits and memoryBytes already overridden
  unsigned threads = 0;
  bool timing = false;
  TimeNoise noise;
  CheckSettings checks;
  unsigned index = 0, count = 1; ///< which of how many devices, as HIP numbers them

  DeviceConfig toConfig() const;
};

/// One entry per device, at least one. What a device cannot have is said in `warnings`, a line each.
std::vector<DeviceSettings> devicesOf(const Settings &settings, std::vector<std::string> &warnings);

/// The process's devices, read once.
const std::vector<DeviceSettings> &processDevices();
/// Prints the warnings about the software GPU's settings, once per process. Called when the device
/// is opened: the many small processes that merely inherit the library (shells, lsmod) stay silent.
void sayProcessWarnings();

/// One line on stderr, prefixed "meld-softgpu: ". Never throws.
void say(const std::string &line) noexcept;

} // namespace meld::softgpu
