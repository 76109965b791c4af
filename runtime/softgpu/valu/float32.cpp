// f32 arithmetic. Results are IEEE 754 with one rounding per operation; v_mad and v_mac round twice
// and always flush denormals ("Vega" ISA manual, chapters 6.4 and 12.7-12.10).
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/minmax.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using U1 = Sig<f32, f32>;
using B2 = Sig<f32, f32, f32>;
using T3 = Sig<f32, f32, f32, f32>;

namespace {

MELD_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return (F32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
MELD_INLINE F32 mad(F32 a, F32 b, F32 c) { return flush(flush(flush(a) * flush(b)) + flush(c)); }
/// 0 * anything is +0.
MELD_INLINE F32 zeroProduct(F32 a, F32 b, F32 r) {
  const I32 zero = (I32)(a == 0.f) | (I32)(b == 0.f);
  return (F32)((U32)r & ~(U32)zero);
}
/// A product with 0 adds nothing at all, not even +0.
MELD_INLINE F32 fmaLegacy(F32 a, F32 b, F32 c) {
  const I32 zero = (I32)(a == 0.f) | (I32)(b == 0.f);
  return select(zero, fixNan(c, c), fixNan(fma(a, b, c), a, b, c));
}
template <int Mode> MELD_INLINE F32 roundTo(F32 a) {
  return (F32)_mm256_round_ps((__m256)a, Mode | _MM_FROUND_NO_EXC);
}
MELD_INLINE F32 fract(F32 a) {
  // x - floor(x), but never 1.0; infinities give NaN... by way of inf - inf.
  const F32 r = a - roundTo<_MM_FROUND_TO_NEG_INF>(a);
  return minNative(r, (F32)splat(0x3f7fffff)); // NaN: the second operand, repaired below
}
MELD_INLINE F32 fractFixed(F32 a) {
  const F32 r = fract(a);
  const F32 bad = (F32)(((U32)a & 0x7f800000u) == 0x7f800000u);
  const F32 nan = pick(unordered(a, a), quiet(a), nanOf(a));
  return pick(bad, nan, r);
}

template <auto Ieee, auto Plain> void rowByIeee(RowCtx &ctx) {
  (ctx.mode & Mode::ieee ? Ieee : Plain)(ctx);
}
/// Operations whose NaN rule depends on MODE.ieee: the fast handler is for IEEE mode only.
template <class S, auto F, auto FPlain> OpInfo ieeeOp() {
  OpInfo info = vec<S, F, kIeee, normal>();
  info.row = rowByIeee<rowVec<S, F, 0>, rowVec<S, FPlain, 0>>;
  return info;
}

/// Scales in double: exact up to the one rounding at the end, for any exponent that matters.
MELD_INLINE F32 ldexp32(F32 a, I32 e) {
  e = e > 512 ? I32{} + 512 : e;
  e = e < -512 ? I32{} - 512 : e;
  const U32 biased = (U32)(e + 1023);
  const auto half = [](__m128 x, __m128i n) {
    const __m256i scale = _mm256_slli_epi64(_mm256_cvtepu32_epi64(n), 52);
    return _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_cvtps_pd(x), _mm256_castsi256_pd(scale)));
  };
  const __m256 x = (__m256)a;
  const __m256i n = (__m256i)biased;
  return (F32)_mm256_set_m128(half(_mm256_extractf128_ps(x, 1), _mm256_extracti128_si256(n, 1)),
                              half(_mm256_castps256_ps128(x), _mm256_castsi256_si128(n)));
}
/// Mantissa bits of a denormal moved up, and by how many places, through an exact scaling by 2^32.
MELD_INLINE F32 normalised(F32 a, U32 &shift) {
  const U32 denorm = (U32)(((U32)a & 0x7f800000u) == 0);
  shift = denorm & 32u;
  return select((I32)denorm, a * splatF(4294967296.f), a);
}
MELD_INLINE U32 isSpecial(F32 a) { // zero, infinity, NaN
  const U32 m = (U32)a & 0x7fffffffu;
  return (U32)(m == 0u) | (U32)((I32)m >= 0x7f800000);
}
MELD_INLINE F32 frexpMant32(F32 a) {
  U32 shift;
  const U32 r = ((U32)normalised(a, shift) & 0x807fffffu) | 0x3f000000u;
  return pick((F32)isSpecial(a), pick(unordered(a, a), quiet(a), a), (F32)r);
}
MELD_INLINE U32 frexpExp32(F32 a) {
  U32 shift;
  const U32 e = ((U32)normalised(a, shift) >> 23) & 0xffu;
  return (e - 126u - shift) & ~isSpecial(a);
}

// Cube map face selection, manual 12.10 V_CUBEID_F32 and following.
struct Cube {
  float x, y, z;
  int major; // 0 x, 1 y, 2 z
};
Cube cube(uint64_t a, uint64_t b, uint64_t c) {
  Cube q{__builtin_bit_cast(float, (uint32_t)a), __builtin_bit_cast(float, (uint32_t)b),
         __builtin_bit_cast(float, (uint32_t)c), 0};
  const float ax = __builtin_fabsf(q.x), ay = __builtin_fabsf(q.y), az = __builtin_fabsf(q.z);
  q.major = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  return q;
}
uint64_t bits(float f) { return __builtin_bit_cast(uint32_t, f); }
/// The lighting product: the least number where the light does not reach, and 0 times anything is 0.
uint64_t mullit(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const float x = __builtin_bit_cast(float, (uint32_t)a),
              y = __builtin_bit_cast(float, (uint32_t)b);
  const float limit = __builtin_bit_cast(float, (uint32_t)c), least = -__FLT_MAX__;
  if (!(y > least) || !(limit > 0.f))
    return bits(least);
  if (x == 0.f || y == 0.f)
    return 0;
  if (x != x)
    return (uint32_t)a | kQuiet32;
  return bits(x * y);
}
uint64_t cubeId(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const Cube q = cube(a, b, c);
  return bits(q.major == 2   ? (q.z < 0 ? 5.f : 4.f)
              : q.major == 1 ? (q.y < 0 ? 3.f : 2.f)
                             : (q.x < 0 ? 1.f : 0.f));
}
uint64_t cubeSc(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const Cube q = cube(a, b, c);
  return bits(q.major == 2 ? (q.z < 0 ? -q.x : q.x) : q.major == 1 ? q.x : (q.x < 0 ? q.z : -q.z));
}
uint64_t cubeTc(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const Cube q = cube(a, b, c);
  return bits(q.major == 1 ? (q.y < 0 ? -q.z : q.z) : -q.y);
}
uint64_t cubeMa(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const Cube q = cube(a, b, c);
  return bits(2.f * (q.major == 2 ? q.z : q.major == 1 ? q.y : q.x));
}

} // namespace

void addFloat32(OpTable &t) {
  t[Op::v_add_f32] = vec<B2, [](F32 a, F32 b) { return a + b; }, kNan, hot>();
  t[Op::v_sub_f32] = vec<B2, [](F32 a, F32 b) { return a - b; }, kNan, hot>();
  t[Op::v_subrev_f32] = vec<B2, [](F32 a, F32 b) { return b - a; }, kNan, hot>();
  t[Op::v_mul_f32] = vec<B2, [](F32 a, F32 b) { return a * b; }, kNan, hot>();
  t[Op::v_fma_f32] = vec<T3, [](F32 a, F32 b, F32 c) { return fma(a, b, c); }, kNan, hot>();
  t[Op::v_fmac_f32] =
      vec<T3, [](F32 a, F32 b, F32 c) { return fma(a, b, c); }, kNan | kAccumulate, hot>();
  t[Op::v_mad_f32] = vec<T3, [](F32 a, F32 b, F32 c) { return mad(a, b, c); }, kNan>();
  t[Op::v_madmk_f32] = t[Op::v_mad_f32];
  t[Op::v_madak_f32] = t[Op::v_mad_f32];
  t[Op::v_fmamk_f32] = t[Op::v_fma_f32];
  t[Op::v_fmaak_f32] = t[Op::v_fma_f32];
  t[Op::v_fma_legacy_f32] = vec<T3, [](F32 a, F32 b, F32 c) { return fmaLegacy(a, b, c); }>();
  t[Op::v_fmac_legacy_f32] =
      vec<T3, [](F32 a, F32 b, F32 c) { return fmaLegacy(a, b, c); }, kAccumulate>();
  t[Op::v_mullit_f32] = lanes<T3, mullit>();
  t[Op::v_mac_f32] =
      vec<T3, [](F32 a, F32 b, F32 c) { return mad(a, b, c); }, kNan | kAccumulate>();
  t[Op::v_mul_legacy_f32] = vec<B2, [](F32 a, F32 b) {
    const F32 r = a * b;
    return zeroProduct(a, b, fixNan(r, a, b));
  }>();
  t[Op::v_mad_legacy_f32] = vec<T3, [](F32 a, F32 b, F32 c) {
    const F32 x = flush(a), y = flush(b), z = flush(c);
    const F32 p = zeroProduct(x, y, fixNan(x * y, x, y));
    return fixNan(flush(flush(p) + z), p, z);
  }>();

  t[Op::v_min_f32] = ieeeOp<B2, [](F32 a, F32 b) { return minOf<true>(a, b); },
                            [](F32 a, F32 b) { return minOf<false>(a, b); }>();
  t[Op::v_max_f32] = ieeeOp<B2, [](F32 a, F32 b) { return maxOf<true>(a, b); },
                            [](F32 a, F32 b) { return maxOf<false>(a, b); }>();
  t[Op::v_min3_f32] =
      ieeeOp<T3, [](F32 a, F32 b, F32 c) { return minOf<true>(minOf<true>(a, b), c); },
             [](F32 a, F32 b, F32 c) { return minOf<false>(minOf<false>(a, b), c); }>();
  t[Op::v_max3_f32] =
      ieeeOp<T3, [](F32 a, F32 b, F32 c) { return maxOf<true>(maxOf<true>(a, b), c); },
             [](F32 a, F32 b, F32 c) { return maxOf<false>(maxOf<false>(a, b), c); }>();
  t[Op::v_maxmin_f32] =
      ieeeOp<T3, [](F32 a, F32 b, F32 c) { return minOf<true>(maxOf<true>(a, b), c); },
             [](F32 a, F32 b, F32 c) { return minOf<false>(maxOf<false>(a, b), c); }>();
  t[Op::v_minmax_f32] =
      ieeeOp<T3, [](F32 a, F32 b, F32 c) { return maxOf<true>(minOf<true>(a, b), c); },
             [](F32 a, F32 b, F32 c) { return maxOf<false>(minOf<false>(a, b), c); }>();
  t[Op::v_med3_f32] = ieeeOp<T3, [](F32 a, F32 b, F32 c) { return med3Of<true>(a, b, c); },
                             [](F32 a, F32 b, F32 c) { return med3Of<false>(a, b, c); }>();
  t[Op::v_minimum3_f32] =
      vec<T3, [](F32 a, F32 b, F32 c) { return minimumOf(minimumOf(a, b), c); }>();
  t[Op::v_maximum3_f32] =
      vec<T3, [](F32 a, F32 b, F32 c) { return maximumOf(maximumOf(a, b), c); }>();

  t[Op::v_trunc_f32] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_ZERO>(a); }>();
  t[Op::v_ceil_f32] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_POS_INF>(a); }>();
  t[Op::v_floor_f32] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_NEG_INF>(a); }>();
  t[Op::v_rndne_f32] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_NEAREST_INT>(a); }>();
  t[Op::v_fract_f32] = vec<U1, [](F32 a) { return fractFixed(a); }>();
  t[Op::v_ldexp_f32] = vec<Sig<f32, f32, b32>, [](F32 a, I32 e) { return ldexp32(a, e); }>();
  t[Op::v_frexp_mant_f32] = vec<U1, [](F32 a) { return frexpMant32(a); }>();
  t[Op::v_frexp_exp_i32_f32] = vec<Sig<b32, f32>, [](F32 a) { return frexpExp32(a); }>();
  t[Op::v_cubeid_f32] = lanes<T3, cubeId>();
  t[Op::v_cubesc_f32] = lanes<T3, cubeSc>();
  t[Op::v_cubetc_f32] = lanes<T3, cubeTc>();
  t[Op::v_cubema_f32] = lanes<T3, cubeMa>();
}

} // namespace meld::softgpu::valu
