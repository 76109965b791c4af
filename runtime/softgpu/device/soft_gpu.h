// The GPU behind Gpu: dispatches from packet to result, with whatever watches, times, translates or
// compares them.
#pragma once

#include "runtime/softgpu/device/gpu.h"

namespace meld::softgpu {

/// Gpu::create without the check of the host's instruction set.
std::unique_ptr<Gpu> makeGpu(const DeviceConfig &config, AddressMapper *mapper);

} // namespace meld::softgpu
