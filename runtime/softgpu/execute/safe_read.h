// Reads memory of this process that may not be mapped, without faulting.
//
// Cost: one system call (about 0.3 us) per call. Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meld::softgpu {

/// Copies up to `size` bytes from `address` to `out`; returns how many bytes, from the start, could
/// be read.
size_t safeRead(uint64_t address, void *out, size_t size);

} // namespace meld::softgpu
