// Minimum, maximum and median of floats as the hardware defines them ("Vega" ISA manual, 12.8
// V_MIN_F32): a quiet NaN loses against a number, -0 is below +0, and in IEEE mode a signalling NaN
// operand gives that NaN quieted. Written for F32 and F64.
#pragma once

#include "runtime/softgpu/valu/lanes.h"

namespace meld::softgpu::valu {

MELD_INLINE F32 minNative(F32 a, F32 b) { return (F32)_mm256_min_ps((__m256)a, (__m256)b); }
MELD_INLINE F64 minNative(F64 a, F64 b) { return (F64)_mm256_min_pd((__m256d)a, (__m256d)b); }
MELD_INLINE F32 maxNative(F32 a, F32 b) { return (F32)_mm256_max_ps((__m256)a, (__m256)b); }
MELD_INLINE F64 maxNative(F64 a, F64 b) { return (F64)_mm256_max_pd((__m256d)a, (__m256d)b); }
MELD_INLINE F32 orBits(F32 a, F32 b) { return (F32)((U32)a | (U32)b); }
MELD_INLINE F64 orBits(F64 a, F64 b) { return (F64)((U64)a | (U64)b); }
MELD_INLINE F32 andBits(F32 a, F32 b) { return (F32)((U32)a & (U32)b); }
MELD_INLINE F64 andBits(F64 a, F64 b) { return (F64)((U64)a & (U64)b); }
MELD_INLINE F32 signalling(F32 a) {
  return andBits(unordered(a, a), (F32)(((U32)a & kQuiet32) == 0));
}
MELD_INLINE F64 signalling(F64 a) {
  return andBits(unordered(a, a), (F64)(((U64)a & kQuiet64) == 0));
}

MELD_INLINE F32 quietNan(F32 a) {
  return andBits(unordered(a, a), (F32)(((U32)a & kQuiet32) != 0));
}

MELD_INLINE F64 quietNan(F64 a) {
  return andBits(unordered(a, a), (F64)(((U64)a & kQuiet64) != 0));
}

/// Repairs `r` where a or b is a NaN.
template <class F> MELD_INLINE F numberWins(F r, F a, F b, bool ieee) {
  r = pick(unordered(b, b), a, r);
  r = pick(unordered(a, a), b, r);
  r = pick(andBits(unordered(a, a), unordered(b, b)), quiet(b), r); // both NaN
  if (ieee) {
    r = pick(signalling(b), quiet(b), r);
    r = pick(signalling(a), quiet(a), r);
  }
  return r;
}
// x86's min(a, b) gives b for equal operands: both orders together get the zeros right. `repair`
// says what the result is where a or b is a NaN: (result, a, b) -> result.
template <class F, class Repair> MELD_INLINE F lesser(F a, F b, Repair repair) {
  const F r = orBits(minNative(a, b), minNative(b, a));
  return __builtin_expect(any(unordered(a, b)), 0) ? repair(r, a, b) : r;
}
template <class F, class Repair> MELD_INLINE F greater(F a, F b, Repair repair) {
  const F r = andBits(maxNative(a, b), maxNative(b, a));
  return __builtin_expect(any(unordered(a, b)), 0) ? repair(r, a, b) : r;
}
/// Median of numbers; with a NaN operand it is `low`, the minimum of the three.
template <class F, class Min, class Max>
MELD_INLINE F medianOr(F low, F a, F b, F c, Min min, Max max) {
  const F mid = max(min(a, b), min(max(a, b), c));
  return pick(orBits(unordered(a, b), unordered(c, c)), low, mid);
}

template <bool Ieee, class F> MELD_INLINE F minOf(F a, F b) {
  return lesser(a, b, [](F r, F x, F y) { return numberWins(r, x, y, Ieee); });
}
template <bool Ieee, class F> MELD_INLINE F maxOf(F a, F b) {
  return greater(a, b, [](F r, F x, F y) { return numberWins(r, x, y, Ieee); });
}
/// Manual, V_MED3_F32.
template <bool Ieee, class F> MELD_INLINE F med3Of(F a, F b, F c) {
  return medianOr(minOf<Ieee>(minOf<Ieee>(a, b), c), a, b, c, minOf<false, F>, maxOf<false, F>);
}

/// minimumNumber and maximumNumber of IEEE 754-2019, which GFX12 has: any NaN loses against a
/// number, of two NaNs the first is passed on and quieted ("RDNA4" ISA, V_MIN_NUM_F32).
template <class F> MELD_INLINE F onlyNumberWins(F r, F a, F b) {
  r = pick(unordered(b, b), a, r);
  r = pick(unordered(a, a), b, r);
  return pick(andBits(unordered(a, a), unordered(b, b)), quiet(a), r);
}
template <class F> MELD_INLINE F minNumOf(F a, F b) { return lesser(a, b, onlyNumberWins<F>); }
template <class F> MELD_INLINE F maxNumOf(F a, F b) { return greater(a, b, onlyNumberWins<F>); }
/// V_MED3_NUM_F32.
template <class F> MELD_INLINE F med3NumOf(F a, F b, F c) {
  return medianOr(minNumOf(minNumOf(a, b), c), a, b, c, minNumOf<F>, maxNumOf<F>);
}

/// minimum and maximum of IEEE 754-2019, which gfx950 and GFX12 have: a NaN wins, a signalling one
/// over a quiet one, and is quieted; -0 is below +0 ("CDNA4" ISA, V_MINIMUM3_F32).
template <class F> MELD_INLINE F nanWins(F r, F a, F b) {
  r = pick(unordered(b, b), quiet(b), r);
  r = pick(unordered(a, a), quiet(a), r);
  r = pick(andBits(signalling(b), quietNan(a)), quiet(b), r);
  return r;
}
template <class F> MELD_INLINE F minimumOf(F a, F b) { return lesser(a, b, nanWins<F>); }
template <class F> MELD_INLINE F maximumOf(F a, F b) { return greater(a, b, nanWins<F>); }

} // namespace meld::softgpu::valu
