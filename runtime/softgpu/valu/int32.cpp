// 32-bit integer operations with one or two sources, carries, selects. "Vega" ISA manual,
// chapters 12.7-12.9.
#include "runtime/softgpu/valu/scaled.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using B1 = Sig<b32, b32>;
using B2 = Sig<b32, b32, b32>;
using Carry2 = Sig<b32, b32, b32>;
using Carry3 = Sig<b32, b32, b32, mask>;

namespace {

MELD_INLINE I32 sext24(U32 x) { return (I32)(x << 8) >> 8; }
MELD_INLINE U32 zext24(U32 x) { return x & 0xffffffu; }

/// High dwords of the eight 32x32 products.
MELD_INLINE U32 mulHi(U32 a, U32 b) {
  U64 even = (U64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
  U64 odd = (U64)_mm256_mul_epu32((__m256i)((U64)a >> 32), (__m256i)((U64)b >> 32));
  return (U32)_mm256_blend_epi32((__m256i)(even >> 32), (__m256i)odd, 0xaa);
}
MELD_INLINE U32 mulHiSigned(I32 a, I32 b) {
  U64 even = (U64)_mm256_mul_epi32((__m256i)a, (__m256i)b);
  U64 odd = (U64)_mm256_mul_epi32((__m256i)((U64)a >> 32), (__m256i)((U64)b >> 32));
  return (U32)_mm256_blend_epi32((__m256i)(even >> 32), (__m256i)odd, 0xaa);
}

MELD_INLINE I32 minOf(I32 a, I32 b) { return a < b ? a : b; }
MELD_INLINE I32 maxOf(I32 a, I32 b) { return a > b ? a : b; }
MELD_INLINE U32 shl(U32 x, U32 n) { return (U32)_mm256_sllv_epi32((__m256i)x, (__m256i)(n & 31u)); }
MELD_INLINE U32 shr(U32 x, U32 n) { return (U32)_mm256_srlv_epi32((__m256i)x, (__m256i)(n & 31u)); }
MELD_INLINE U32 sar(U32 x, U32 n) { return (U32)_mm256_srav_epi32((__m256i)x, (__m256i)(n & 31u)); }

MELD_INLINE WithCarry addCarry(U32 a, U32 b) {
  const U32 r = a + b;
  return {r, (a & b) | ((a | b) & ~r)};
}
MELD_INLINE WithCarry subBorrow(U32 a, U32 b) {
  const U32 r = a - b;
  return {r, (~a & b) | ((~a | b) & r)};
}
MELD_INLINE WithCarry addCarry(U32 a, U32 b, U32 in) {
  const U32 r = a + b - in; // `in` is all ones = -1 where the carry is set
  return {r, (a & b) | ((a | b) & ~r)};
}
MELD_INLINE WithCarry subBorrow(U32 a, U32 b, U32 in) {
  const U32 r = a - b + in;
  return {r, (~a & b) | ((~a | b) & r)};
}

MELD_INLINE WithCarry saturateUp(WithCarry x) {
  return {x.value | (U32)((I32)x.carry >> 31), x.carry};
}
MELD_INLINE WithCarry saturateDown(WithCarry x) {
  return {x.value & ~(U32)((I32)x.carry >> 31), x.carry};
}

template <auto F, auto Clamped> OpInfo carry2() {
  OpInfo info = carry<Carry2, F>();
  info.rowClamp = rowCarry<Carry2, Clamped>;
  return info;
}
template <auto F, auto Clamped> OpInfo carry3() {
  OpInfo info = carry<Carry3, F>();
  info.rowClamp = rowCarry<Carry3, Clamped>;
  return info;
}
template <class S, auto F, auto Clamped, Speed Sp> OpInfo saturating() {
  OpInfo info = vec<S, F, 0, Sp>();
  info.rowClamp = rowVec<S, Clamped, 0>;
  return info;
}

MELD_INLINE U32 addSat(U32 a, U32 b) { return saturateUp(addCarry(a, b)).value; }
MELD_INLINE U32 subSat(U32 a, U32 b) { return saturateDown(subBorrow(a, b)).value; }
MELD_INLINE U32 limitOf(U32 a) { return (U32)((I32)a >> 31) ^ 0x7fffffffu; }
MELD_INLINE U32 addSatSigned(U32 a, U32 b) {
  const U32 r = a + b;
  return select((~(a ^ b) & (a ^ r)), limitOf(a), r);
}
MELD_INLINE U32 subSatSigned(U32 a, U32 b) {
  const U32 r = a - b;
  return select(((a ^ b) & (a ^ r)), limitOf(a), r);
}

MELD_INLINE U32 reverseBits(U32 x) {
  const __m256i nib = _mm256_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15, 0, 8,
                                       4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
  const __m256i swap = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2,
                                        1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i v = _mm256_shuffle_epi8((__m256i)x, swap);
  const __m256i l = _mm256_shuffle_epi8(nib, _mm256_and_si256(v, low));
  const __m256i h = _mm256_shuffle_epi8(nib, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
  return (U32)_mm256_or_si256(_mm256_slli_epi16(l, 4), h);
}
// Position of a bit by way of f32's exponent; -1 when there is none.
/// Leading zeros of x != 0.
MELD_INLINE U32 leadingZeros(U32 x) {
  const U32 top = x & ~(x >> 1); // rounding up must not carry into the next power of two
  const U32 f = (U32) __builtin_convertvector((I32)top, F32);
  const U32 n = splat(158) - (f >> 23);
  return n & (U32)((I32)x >= 0); // bit 31 converts as a negative number
}
MELD_INLINE U32 ffbh(U32 x) { return leadingZeros(x) | (U32)(x == 0u); }
MELD_INLINE U32 ffbl(U32 x) { return (splat(31) - leadingZeros(x & (0u - x))) | (U32)(x == 0u); }

} // namespace

void addInteger32(OpTable &t) {
  t[Op::v_mov_b32] = vec<Sig<m32, m32>, [](U32 a) { return a; }, 0, hot>();
  t[Op::v_not_b32] = vec<B1, [](U32 a) { return ~a; }, 0, hot>();
  t[Op::v_bfrev_b32] = vec<B1, [](U32 a) { return reverseBits(a); }>();
  t[Op::v_ffbh_u32] = vec<B1, [](U32 a) { return ffbh(a); }>();
  t[Op::v_ffbh_i32] = vec<B1, [](U32 a) { return ffbh(a ^ (U32)((I32)a >> 31)); }>();
  t[Op::v_ffbl_b32] = vec<B1, [](U32 a) { return ffbl(a); }>();

  t[Op::v_add_u32] = saturating<B2, [](U32 a, U32 b) { return a + b; },
                                [](U32 a, U32 b) { return addSat(a, b); }, hot>();
  t[Op::v_sub_u32] = saturating<B2, [](U32 a, U32 b) { return a - b; },
                                [](U32 a, U32 b) { return subSat(a, b); }, hot>();
  t[Op::v_subrev_u32] = saturating<B2, [](U32 a, U32 b) { return b - a; },
                                   [](U32 a, U32 b) { return subSat(b, a); }, hot>();
  t[Op::v_add_i32] = saturating<B2, [](U32 a, U32 b) { return a + b; },
                                [](U32 a, U32 b) { return addSatSigned(a, b); }, normal>();
  t[Op::v_sub_i32] = saturating<B2, [](U32 a, U32 b) { return a - b; },
                                [](U32 a, U32 b) { return subSatSigned(a, b); }, normal>();

  t[Op::v_add_co_u32] = carry2<[](U32 a, U32 b) { return addCarry(a, b); },
                               [](U32 a, U32 b) { return saturateUp(addCarry(a, b)); }>();
  t[Op::v_sub_co_u32] = carry2<[](U32 a, U32 b) { return subBorrow(a, b); },
                               [](U32 a, U32 b) { return saturateDown(subBorrow(a, b)); }>();
  t[Op::v_subrev_co_u32] = carry2<[](U32 a, U32 b) { return subBorrow(b, a); },
                                  [](U32 a, U32 b) { return saturateDown(subBorrow(b, a)); }>();
  t[Op::v_addc_co_u32] =
      carry3<[](U32 a, U32 b, U32 c) { return addCarry(a, b, c); },
             [](U32 a, U32 b, U32 c) { return saturateUp(addCarry(a, b, c)); }>();
  t[Op::v_subb_co_u32] =
      carry3<[](U32 a, U32 b, U32 c) { return subBorrow(a, b, c); },
             [](U32 a, U32 b, U32 c) { return saturateDown(subBorrow(a, b, c)); }>();
  t[Op::v_subbrev_co_u32] =
      carry3<[](U32 a, U32 b, U32 c) { return subBorrow(b, a, c); },
             [](U32 a, U32 b, U32 c) { return saturateDown(subBorrow(b, a, c)); }>();

  // The next of gfx950's random numbers.
  t[Op::v_prng_b32] = vec<Sig<b32, b32>, [](U32 a) { return nextRandom(a); }>();

  t[Op::v_and_b32] = vec<B2, [](U32 a, U32 b) { return a & b; }, 0, hot>();
  t[Op::v_or_b32] = vec<B2, [](U32 a, U32 b) { return a | b; }, 0, hot>();
  t[Op::v_xor_b32] = vec<B2, [](U32 a, U32 b) { return a ^ b; }, 0, hot>();
  t[Op::v_xnor_b32] = vec<B2, [](U32 a, U32 b) { return ~(a ^ b); }>();
  t[Op::v_lshlrev_b32] = vec<B2, [](U32 a, U32 b) { return shl(b, a); }, 0, hot>();
  t[Op::v_lshrrev_b32] = vec<B2, [](U32 a, U32 b) { return shr(b, a); }, 0, hot>();
  t[Op::v_ashrrev_i32] = vec<B2, [](U32 a, U32 b) { return sar(b, a); }, 0, hot>();
  t[Op::v_min_i32] = vec<B2, [](I32 a, I32 b) { return minOf(a, b); }, 0, hot>();
  t[Op::v_max_i32] = vec<B2, [](I32 a, I32 b) { return maxOf(a, b); }, 0, hot>();
  t[Op::v_min_u32] =
      vec<B2, [](U32 a, U32 b) { return (U32)_mm256_min_epu32((__m256i)a, (__m256i)b); }, 0, hot>();
  t[Op::v_max_u32] =
      vec<B2, [](U32 a, U32 b) { return (U32)_mm256_max_epu32((__m256i)a, (__m256i)b); }, 0, hot>();

  t[Op::v_mul_lo_u32] = vec<B2, [](U32 a, U32 b) { return a * b; }, 0, hot>();
  t[Op::v_mul_hi_u32] = vec<B2, [](U32 a, U32 b) { return mulHi(a, b); }, 0, hot>();
  t[Op::v_mul_hi_i32] = vec<B2, [](I32 a, I32 b) { return mulHiSigned(a, b); }>();
  t[Op::v_mul_i32_i24] = vec<B2, [](U32 a, U32 b) { return (U32)sext24(a) * (U32)sext24(b); }>();
  t[Op::v_mul_u32_u24] = vec<B2, [](U32 a, U32 b) { return zext24(a) * zext24(b); }, 0, hot>();
  t[Op::v_mul_hi_i32_i24] =
      vec<B2, [](U32 a, U32 b) { return mulHiSigned(sext24(a), sext24(b)); }>();
  t[Op::v_mul_hi_u32_u24] = vec<B2, [](U32 a, U32 b) { return mulHi(zext24(a), zext24(b)); }>();
  t[Op::v_bcnt_u32_b32] = vec<B2, [](U32 a, U32 b) { return popcount(a) + b; }>();
  t[Op::v_bfm_b32] = vec<B2, [](U32 a, U32 b) { return shl(shl(splat(1), a) - 1u, b); }>();
  t[Op::v_cndmask_b32] =
      vec<Sig<m32, m32, m32, mask>, [](U32 a, U32 b, U32 m) { return select(m, b, a); }, 0, hot>();
}

} // namespace meld::softgpu::valu
