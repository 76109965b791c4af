// What the user asks of the software GPU, from the environment:
//   MELD_GPU=gfx90a|gfx900|gfx906|gfx908   the device; a comma list gives several (gfx90a,gfx900)
//   MELD_GPU_CUS=N                         compute units
//   MELD_GPU_MEM=BYTES                     device memory; suffixes K M G T
//   MELD_GPU_THREADS=N                     host threads that execute (0: one per core)
//   MELD_GPU_TIMING=0|1                    model cycles; time stamps are modelled, too
//   MELD_GPU_NOISE=P[,O[,SEED]]            for tests: noise on modelled times (model_clock.h)
//   MELD_GPU_CHECKED=0|1|all|LIST          1: every access against the allocations; or a list of
//                                          memory, hazard, undefined, race, barrier (check.h)
// With several devices, MELD_GPU_CUS and MELD_GPU_MEM may be lists, too: one value for each device.
// A bad value: one warning on stderr, the default.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/kfd/device_table.h"
#include "runtime/softgpu/kfd/model_clock.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meld::softgpu {

/// One device.
struct DeviceSettings {
  DeviceModel model =
      deviceOf(isa::Target::gfx90a); ///< with computeUnits and memoryBytes already overridden
  unsigned threads = 0;
  bool timing = false;
  TimeNoise noise;
  bool checked = false;
  unsigned checks = 0;           ///< bits of Check
  unsigned index = 0, count = 1; ///< which of how many devices, as HIP numbers them

  DeviceConfig toConfig() const;
};

/// The most devices MELD_GPU may list, as many as the largest machines have.
inline constexpr unsigned kMaxDevices = 16;

/// Reads the settings through `get` (name -> value or nullptr); every bad value adds one line to
/// `warnings`. One entry per device, at least one.
std::vector<DeviceSettings> readDevices(const std::function<const char *(const char *)> &get,
                                        std::vector<std::string> &warnings);

/// The process's devices, read once.
const std::vector<DeviceSettings> &processDevices();
/// Prints the warnings about them, once per process. Called when the device is opened: the many
/// small processes that merely inherit the library (shells, lsmod) stay silent.
void sayProcessWarnings();

/// "4G" -> 4294967296; nothing when `text` is not a size.
std::optional<uint64_t> parseSize(std::string_view text);

/// One line on stderr, prefixed "meld-softgpu: ". Never throws.
void say(const std::string &line) noexcept;

} // namespace meld::softgpu
