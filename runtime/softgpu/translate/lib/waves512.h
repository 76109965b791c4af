// What the stand-ins for memory instructions share: the instructions of the host that they may use, the
// shapes of waves, and how one is done.
#pragma once

#include "runtime/softgpu/execute/wave.h"

/// Around the functions with AVX-512, behind all includes: what headers define stays executable everywhere.
#define MELD_AVX512_FEATURES "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi2,lzcnt,popcnt"
#define MELD_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#define MELD_PUSH_TARGET(features)                                                                 \
  MELD_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define MELD_AVX512_BEGIN MELD_PUSH_TARGET(MELD_AVX512_FEATURES)
#define MELD_AVX512_END MELD_PRAGMA(clang attribute pop)
#else
#define MELD_PUSH_TARGET(features) MELD_PRAGMA(GCC push_options) MELD_PRAGMA(GCC target(features))
#define MELD_AVX512_BEGIN MELD_PUSH_TARGET(MELD_AVX512_FEATURES)
#define MELD_AVX512_END MELD_PRAGMA(GCC pop_options)
#endif

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
