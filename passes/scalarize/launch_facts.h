// What every launch guarantees, whatever its shape.
//
//   g = wg.x * blockDim.x            blockDim.x from the dispatch packet or the implicit arguments,
//   i = g + tid.x                    cut down to what is left in the grid's last workgroup or not
//
// i is a work-item's place in the grid, and the packet holds the grid's size in 32 bits: neither
// the product nor the sum wraps as an unsigned number (HSA runtime specification 1.2, "Kernel
// dispatch packet": grid_size_x, uint32, "in work-items"). LLVM does not know that and the source
// has no flags for it. With a constant in place of blockDim.x nothing is guaranteed: the launch may
// use another size.
//
// Ends: a fixed number of steps. Unsafe: nothing is said about i as a signed number.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/IR/DataLayout.h"

namespace meld::passes {

/// `value` is at most the workgroup's size in `dimension`: blockDim or what is left of it.
bool isAtMostWorkgroupSize(const llvm::Value &value, unsigned dimension, const GpuInfo &gpu,
                           const llvm::DataLayout &layout);

/// `value` adds a work-item id to its workgroup's place: exact as an unsigned number of 32 bits.
bool isPlaceInGrid(const llvm::Value &value, const GpuInfo &gpu, const llvm::DataLayout &layout);

} // namespace meld::passes
