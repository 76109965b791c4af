// Lane chunks: a wave64 register row is processed as eight vectors of eight dwords.
//
// 32-bit operations work on one U32 per chunk. 64-bit operations work on two U64 per chunk, in the
// order AVX2's unpack instructions give: half 0 holds lanes 0 1 4 5, half 1 lanes 2 3 6 7.
// Operations are lane-wise, so the order never matters; it makes splitting and joining the two rows
// one shuffle each. Cost: one AVX2 instruction per helper unless said otherwise.
#pragma once

#include <cstdint>
#include <immintrin.h>

namespace meld::softgpu::valu {

using U32 = uint32_t __attribute__((vector_size(32)));
using I32 = int32_t __attribute__((vector_size(32)));
using F32 = float __attribute__((vector_size(32)));
using U64 = uint64_t __attribute__((vector_size(32)));
using I64 = int64_t __attribute__((vector_size(32)));
using F64 = double __attribute__((vector_size(32)));
using F32x4 = float __attribute__((vector_size(16)));
using I32x4 = int32_t __attribute__((vector_size(16)));

inline constexpr unsigned kChunks = 8;

#define MELD_INLINE inline __attribute__((always_inline))

MELD_INLINE U32 load(const uint32_t *p) { return *reinterpret_cast<const U32 *>(p); }
MELD_INLINE void store(uint32_t *p, U32 x) { *reinterpret_cast<U32 *>(p) = x; }
MELD_INLINE U32 splat(uint32_t x) { return U32{} + x; }
MELD_INLINE U64 splat64(uint64_t x) { return U64{} + x; }
MELD_INLINE F32 splatF(float x) {
  return F32{} + x;
} // -0.0 becomes +0: use splat() for signed zeros
MELD_INLINE F64 splatD(double x) { return F64{} + x; }

MELD_INLINE U64 unpackLo(U32 lo, U32 hi) {
  return (U64)_mm256_unpacklo_epi32((__m256i)lo, (__m256i)hi);
}
MELD_INLINE U64 unpackHi(U32 lo, U32 hi) {
  return (U64)_mm256_unpackhi_epi32((__m256i)lo, (__m256i)hi);
}
/// Low (high) dwords of two halves, back in lane order.
MELD_INLINE U32 joinLow(U64 a, U64 b) { return (U32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88); }
MELD_INLINE U32 joinHigh(U64 a, U64 b) {
  return (U32)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
}

/// All-ones dwords for the lanes whose bit is set in `bits` (8 bits used). Two or three
/// instructions.
MELD_INLINE U32 maskOf(uint32_t bits) {
  const U32 lane = {1, 2, 4, 8, 16, 32, 64, 128};
  return (U32)((splat(bits) & lane) == lane);
}
/// The bits of a mask of eight dwords.
MELD_INLINE uint32_t bitsOf(U32 mask) { return (uint32_t)_mm256_movemask_ps((__m256)mask); }

MELD_INLINE U32 select(U32 mask, U32 yes, U32 no) {
  return (U32)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}
MELD_INLINE U64 select(U64 mask, U64 yes, U64 no) {
  return (U64)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
}
MELD_INLINE F32 select(I32 mask, F32 yes, F32 no) {
  return (F32)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}
MELD_INLINE F64 select(I64 mask, F64 yes, F64 no) {
  return (F64)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
}

MELD_INLINE F32 unordered(F32 a, F32 b) {
  return (F32)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}
MELD_INLINE F64 unordered(F64 a, F64 b) {
  return (F64)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q);
}
MELD_INLINE bool any(F32 mask) { return _mm256_movemask_ps((__m256)mask) != 0; }
MELD_INLINE bool any(F64 mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }

/// f16 in the low half of each dword <-> f32. Narrowing rounds as MXCSR says.
MELD_INLINE F32 widenHalf(U32 x) {
  __m256i even = _mm256_and_si256((__m256i)x, _mm256_set1_epi32(0xffff));
  __m128i h = _mm_packus_epi32(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1));
  return (F32)_mm256_cvtph_ps(h);
}
MELD_INLINE U32 narrowHalf(F32 x) {
  return (U32)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)x, _MM_FROUND_CUR_DIRECTION));
}

/// Dwords 0, 2, 4, 6 (the low dword of each 64-bit lane).
MELD_INLINE __m128i lowDwords(U64 x) {
  const __m256i pick = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32((__m256i)x, pick));
}
MELD_INLINE U64 zeroExtend(__m128i x) { return (U64)_mm256_cvtepu32_epi64(x); }

/// Bits set in each dword. About ten instructions.
MELD_INLINE U32 popcount(U32 x) {
  const __m256i lut = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2,
                                       1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i l = _mm256_shuffle_epi8(lut, _mm256_and_si256((__m256i)x, low));
  const __m256i h =
      _mm256_shuffle_epi8(lut, _mm256_and_si256(_mm256_srli_epi16((__m256i)x, 4), low));
  const __m256i bytes = _mm256_add_epi8(l, h);
  const __m256i words = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
  return (U32)_mm256_madd_epi16(words, _mm256_set1_epi16(1));
}

// --- NaN rules -----------------------------------------------------------------------------------
// A NaN operand is passed on, quieted, the first one winning; an invalid operation gives +qNaN
// (x86 gives -qNaN, and which operand wins depends on the instruction the compiler chose).

inline constexpr uint32_t kNan32 = 0x7fc00000, kQuiet32 = 0x00400000;
inline constexpr uint64_t kNan64 = 0x7ff8000000000000, kQuiet64 = 0x0008000000000000;

MELD_INLINE F32 nanOf(F32) { return (F32)splat(kNan32); }
MELD_INLINE F64 nanOf(F64) { return (F64)splat64(kNan64); }
MELD_INLINE F32 quiet(F32 a) { return (F32)((U32)a | kQuiet32); }
MELD_INLINE F64 quiet(F64 a) { return (F64)((U64)a | kQuiet64); }
MELD_INLINE F32 pick(F32 m, F32 y, F32 n) { return select((I32)m, y, n); }
MELD_INLINE F64 pick(F64 m, F64 y, F64 n) { return select((I64)m, y, n); }

template <class F> MELD_INLINE F fixNan(F r, F a) {
  F n = pick(unordered(a, a), quiet(a), nanOf(r));
  return pick(unordered(r, r), n, r);
}
template <class F> MELD_INLINE F fixNan(F r, F a, F b) {
  F n = pick(unordered(b, b), quiet(b), nanOf(r));
  n = pick(unordered(a, a), quiet(a), n);
  return pick(unordered(r, r), n, r);
}
template <class F> MELD_INLINE F fixNan(F r, F a, F b, F c) {
  F n = pick(unordered(c, c), quiet(c), nanOf(r));
  n = pick(unordered(b, b), quiet(b), n);
  n = pick(unordered(a, a), quiet(a), n);
  return pick(unordered(r, r), n, r);
}

/// Denormals become zeros of their sign.
MELD_INLINE F32 flush(F32 a) {
  U32 denorm = (U32)(((U32)a & 0x7f800000u) == 0);
  return (F32)((U32)a & ~(denorm & 0x7fffffffu));
}

} // namespace meld::softgpu::valu
