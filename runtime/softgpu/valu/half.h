// f16 helpers: exact ways to round to half precision, and raw handling of NaNs and denormals.
#pragma once

#include "runtime/softgpu/valu/lanes.h"
#include "runtime/softgpu/valu/minmax.h"

namespace meld::softgpu::valu {

/// Double -> f32 such that a further rounding to f16 gives what one rounding would have given: the
/// bits that f32 cannot hold are folded into its last one (round to odd). For magnitudes in f32's
/// normal range.
MELD_INLINE F64 oddFor32(F64 a) {
  const U64 low = (U64)a & 0x1fffffffull;
  const U64 sticky = (U64)(low != 0) & 0x20000000ull;
  return (F64)(((U64)a & ~0x1fffffffull) | sticky);
}

/// fma of eight f16 values held as f32, with the single rounding left to the narrowing that
/// follows. Exact because a product of halves has 22 bits and the sum, where it does not fit 53
/// bits, lies nowhere near a rounding boundary of f16.
MELD_INLINE F32 fmaForHalf(F32 a, F32 b, F32 c) {
  const auto half4 = [](__m128 x, __m128 y, __m128 z) {
    const __m256d r = _mm256_fmadd_pd(_mm256_cvtps_pd(x), _mm256_cvtps_pd(y), _mm256_cvtps_pd(z));
    return _mm256_cvtpd_ps((__m256d)oddFor32((F64)r));
  };
  const __m128 lo = half4(_mm256_castps256_ps128((__m256)a), _mm256_castps256_ps128((__m256)b),
                          _mm256_castps256_ps128((__m256)c));
  const __m128 hi = half4(_mm256_extractf128_ps((__m256)a, 1), _mm256_extractf128_ps((__m256)b, 1),
                          _mm256_extractf128_ps((__m256)c, 1));
  const F32 r = (F32)_mm256_set_m128(hi, lo);
  return __builtin_expect(any(unordered(r, r)), 0) ? fixNan(r, a, b, c) : r;
}

MELD_INLINE U32 flushHalf(U32 x) {
  const U32 denorm = (U32)((x & 0x7c00u) == 0);
  return x & ~(denorm & 0x7fffu);
}
/// Like widenHalf, but a signalling NaN stays one.
MELD_INLINE F32 widenKeep(U32 x) {
  const F32 w = widenHalf(x);
  const U32 signals = (U32)((x & 0x200u) == 0) & (U32)unordered(w, w);
  return (F32)((U32)w & ~(signals & kQuiet32));
}

} // namespace meld::softgpu::valu
