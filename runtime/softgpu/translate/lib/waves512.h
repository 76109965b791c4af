// What the stand-ins for memory instructions share: the shapes of waves, and how one is done.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::translate {

/// Waves: how many vectors of 16 lanes they have, and cache lines of how many bytes.
template <unsigned V, unsigned Line> struct Waves {
  static constexpr unsigned vectors = V, lanes = 16 * V, line = Line;
  static constexpr uint64_t full = lanes == 64 ? kFullExec : kLowExec;
};
using Gfx9 = Waves<4, 64>;
using Gfx10 = Waves<4, 128>;
using Gfx10Wave32 = Waves<2, 128>;

/// f.template operator()<W>() for the waves that `e` is code for.
template <class F> Handler forWaves(const ExecInst *e, F f) {
  const isa::TargetTraits traits = isa::traitsOf(e->inst->target);
  if (traits.generation < 10)
    return f.template operator()<Gfx9>();
  return traits.waveSize == kWaveSize ? f.template operator()<Gfx10>()
                                      : f.template operator()<Gfx10Wave32>();
}

/// `lines`: cache lines touched.
inline const ExecInst *memoryDone(const ExecInst *i, Wave &w, uint32_t lines) {
  w.trace.cacheLines = lines;
  w.trace.ldsBankConflicts = w.trace.numLines = 0;
  return following(i);
}

} // namespace meld::softgpu::translate
