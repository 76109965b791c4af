#pragma once

#include "runtime/softgpu/cu/gpu.h"

namespace meld::softgpu {

/// Gpu::create without the check of the host's instruction set.
std::unique_ptr<Gpu> makeGpu(const DeviceConfig &config, AddressMapper *mapper);

} // namespace meld::softgpu
