// What every launch guarantees, whatever its shape.
//
//   g = wg.x * blockDim.x            blockDim.x from the dispatch packet or the implicit arguments,
//   i = g + tid.x                    cut down to what is left in the grid's last workgroup or not
//
// i is a work-item's place in the grid, and the packet holds the grid's size in 32 bits: neither
// the product nor the sum wraps as an unsigned number (HSA runtime specification 1.2, "Kernel
// dispatch packet": grid_size_x, uint32, "in work-items"). LLVM does not know that and the source
// has no flags for it.
//
//   i = (wg.x << k) + tid.x          a size that the program takes for granted, a power of two C
//
// The launch may use another size S, but this sum does not wrap either. S >= C: wg * C + tid is at
// most wg * S + tid, which is a place in the grid. S < C: tid < C, and wg * C modulo 2^32 ends in k
// zeros. (The product itself may wrap; it stays in one piece.) Other constants guarantee nothing.
//
// Terminates: a fixed number of steps. Unsafe: nothing is said about i as a signed number.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/IR/DataLayout.h"

namespace meld::passes {

/// `value` is at most the workgroup's size in `dimension`: blockDim or what is left of it.
bool isAtMostWorkgroupSize(const llvm::Value &value, unsigned dimension, const GpuInfo &gpu,
                           const llvm::DataLayout &layout);

/// `value` adds a work-item id to its workgroup's place: the addition is exact as one of unsigned
/// numbers of 32 bits.
bool isPlaceInGrid(const llvm::Value &value, const GpuInfo &gpu, const llvm::DataLayout &layout);

} // namespace meld::passes
