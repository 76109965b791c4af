// The timing model: how many cycles a dispatch takes on the modelled device.
//
// What: an interpreter of its own that runs the dispatch with instructions issued at modelled
// times. Every number it uses is a field of TimingParameters; docs/timing-model.md gives rules,
// values and sources.
//
//   cycle      0     1     2     3     4     5   ...
//   visits   SIMD0 SIMD1 SIMD2 SIMD3 SIMD0 SIMD1         (GFX9; on GFX10 all, in every cycle)
//
// At a visit the oldest wave comes first, with one instruction per wave and category: VALU,
// SALU/SMEM, VMEM, LDS, branch.
//
// Determinism: one thread, compute units advance in turns of `turn` cycles, caches start empty in
// every dispatch. The result depends on kernel, launch, data and addresses only. Cost: 9 to 70 M
// wave instructions a second (docs/software-gpu.md, Speed). Not modelled: register bank conflicts,
// L2 channels, DRAM pages, cache contents between dispatches.
#pragma once

#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/timing/parameters.h"

#include <cstdint>

namespace meld::softgpu {

/// Runs `job` on the calling thread; returns the modelled cycles. Failures and counters go into the
/// job, as with Worker::run. Never throws.
uint64_t runTimed(Job &job, const TimingParameters &parameters) noexcept;

} // namespace meld::softgpu
