// The clocks of the emulated device. Any thread.
#pragma once

#include <cstdint>

namespace meld::softgpu {

/// The device's clock: nanoseconds of CLOCK_MONOTONIC_RAW.
uint64_t gpuClock();
/// The clock of hsa_system_get_info: nanoseconds of CLOCK_BOOTTIME.
uint64_t systemClock();

} // namespace meld::softgpu
