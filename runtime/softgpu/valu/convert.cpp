// Conversions. To integers they truncate, saturate and turn NaN into 0; to floats they round as
// MODE says. "Vega" ISA manual, chapters 12.8 and 12.10; "CDNA4" ISA.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/slow.h"
#include "runtime/softgpu/valu/small_float.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

MELD_INLINE U32 toI32(F32 a) {
  const U32 big = (U32)(a >= 2147483648.f);
  const U32 nan = (U32)unordered(a, a);
  const U32 r = (U32)_mm256_cvttps_epi32((__m256)a); // 0x80000000 where out of range
  return (r ^ big) & ~nan;                           // too large: 0x7fffffff
}
MELD_INLINE U32 toU32(F32 a) {
  const F32 half = splatF(2147483648.f);
  const U32 low = (U32)_mm256_cvttps_epi32((__m256)a);
  const U32 high = (U32)_mm256_cvttps_epi32((__m256)(a - half)) ^ 0x80000000u;
  U32 r = select((U32)(a >= half), high, low);
  r |= (U32)(a >= 4294967296.f);
  return r & (U32)(a > 0.f); // negative and NaN: 0
}
MELD_INLINE F32 fromU32(U32 a) {
  // Both halves are exact in f32 and their sum rounds once. 0 stays +0 when rounding down.
  const F32 hi = __builtin_convertvector((I32)(a >> 16), F32) * splatF(65536.f);
  const F32 lo = __builtin_convertvector((I32)(a & 0xffffu), F32);
  return (F32)((U32)(hi + lo) & 0x7fffffffu);
}
template <unsigned Byte> MELD_INLINE F32 fromByte(U32 a) {
  return __builtin_convertvector((I32)(a >> (8 * Byte) & 0xffu), F32);
}

/// Doubles that fit -> dwords in the low half of each 64-bit lane.
MELD_INLINE F64 truncate(F64 a) {
  return (F64)_mm256_round_pd((__m256d)a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
MELD_INLINE U64 integerBits(F64 integral) { // |integral| < 2^51
  return (U64)(integral + splatD(6755399441055744.0));
}
MELD_INLINE U64 d2i(F64 a) {
  F64 x = (F64)_mm256_max_pd((__m256d)a, (__m256d)splatD(-2147483648.0)); // NaN becomes the limit
  x = (F64)_mm256_min_pd((__m256d)x, (__m256d)splatD(2147483647.0));
  return integerBits(truncate(x)) & ~(U64)unordered(a, a);
}
MELD_INLINE U64 d2u(F64 a) {
  F64 x = (F64)_mm256_max_pd((__m256d)a, (__m256d)splatD(0));
  x = (F64)_mm256_min_pd((__m256d)x, (__m256d)splatD(4294967295.0));
  return integerBits(truncate(x)) & ~(U64)unordered(a, a);
}
MELD_INLINE F64 u2d(U64 zeroExtended) {
  return (F64)(zeroExtended | 0x4330000000000000ull) - splatD(4503599627370496.0);
}
MELD_INLINE F64 positiveZero(F64 a) {
  return (F64)((U64)a & ~(U64)(a == 0.0));
} // x - x rounds to -0 downwards
MELD_INLINE F64 i2d(U64 x) {
  return positiveZero((F64)((x ^ 0x80000000ull) | 0x4330000000000000ull) -
                      splatD(4503599627370496.0 + 2147483648.0));
}
MELD_INLINE F64 f2d(U64 x) {
  const F64 r = (F64)_mm256_cvtps_pd(_mm_castsi128_ps(lowDwords(x)));
  return r; // a NaN keeps its payload and is quieted
}
MELD_INLINE U64 d2f(F64 a) { return zeroExtend(_mm_castps_si128(_mm256_cvtpd_ps((__m256d)a))); }

template <int Mode> MELD_INLINE F32 roundTo(F32 a) {
  return (F32)_mm256_round_ps((__m256)a, Mode | _MM_FROUND_NO_EXC);
}
/// floor(a + 1/2) without the rounding of the addition.
MELD_INLINE F32 roundHalfUp(F32 a) {
  const F32 f = roundTo<_MM_FROUND_TO_NEG_INF>(a);
  const F32 up = f + splatF(1);
  return pick((F32)(a - f >= 0.5f), up, f);
}

float fromHalf(uint32_t h) { return _cvtsh_ss((uint16_t)h); }
float asFloat(uint64_t x) { return __builtin_bit_cast(float, (uint32_t)x); }
uint64_t pack(uint32_t lo, uint32_t hi) { return (lo & 0xffff) | hi << 16; }
int32_t clampTo(int64_t x, int64_t lo, int64_t hi) {
  return (int32_t)(x < lo ? lo : x > hi ? hi : x);
}

/// Rounds to nearest even and saturates; NaN gives 0.
int32_t roundSaturate(double x, double lo, double hi) {
  if (!(x == x))
    return 0;
  x = __builtin_rint(x);
  return (int32_t)(x < lo ? lo : x > hi ? hi : x);
}
uint32_t norm16(float x) { return (uint32_t)roundSaturate((double)x * 32767.0, -32767, 32767); }
uint32_t unorm16(float x) { return (uint32_t)roundSaturate((double)x * 65535.0, 0, 65535); }

uint64_t pknormI16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(norm16(asFloat(a)), norm16(asFloat(b)));
}
uint64_t pknormU16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(unorm16(asFloat(a)), unorm16(asFloat(b)));
}
uint64_t pknormI16F16(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(norm16(fromHalf((uint32_t)a)), norm16(fromHalf((uint32_t)b)));
}
uint64_t pknormU16F16(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(unorm16(fromHalf((uint32_t)a)), unorm16(fromHalf((uint32_t)b)));
}
uint64_t normI16F16(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  return norm16(fromHalf((uint32_t)a)) & 0xffff;
}
uint64_t normU16F16(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  return unorm16(fromHalf((uint32_t)a));
}
uint64_t pkrtz(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(_cvtss_sh(asFloat(a), _MM_FROUND_TO_ZERO), _cvtss_sh(asFloat(b), _MM_FROUND_TO_ZERO));
}
uint64_t pkU16U32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack((uint32_t)(a > 0xffff ? 0xffff : a), (uint32_t)(b > 0xffff ? 0xffff : b));
}
uint64_t pkI16I32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack((uint32_t)clampTo((int32_t)a, -32768, 32767),
              (uint32_t)clampTo((int32_t)b, -32768, 32767));
}
/// Towards zero, and no further than 16 bits reach; NaN gives 0.
uint32_t truncateTo(float x, float lo, float hi) {
  return x != x ? 0 : (uint32_t)(int32_t)(x < lo ? lo : x > hi ? hi : x);
}
uint64_t pkI16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(truncateTo(asFloat(a), -32768, 32767), truncateTo(asFloat(b), -32768, 32767));
}
uint64_t pkU16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(truncateTo(asFloat(a), 0, 65535), truncateTo(asFloat(b), 0, 65535));
}
/// Replaces byte src1[1:0] of src2 with the float as an unsigned byte.
uint64_t pkU8F32(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const float x = asFloat(a);
  const uint32_t byte = x >= 255.f ? 255 : x > 0.f ? (uint32_t)x : 0, at = 8 * ((uint32_t)b & 3);
  return ((uint32_t)c & ~(0xffu << at)) | byte << at;
}
uint64_t offF32I4(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  const int x = (int)(a & 15);
  return __builtin_bit_cast(uint32_t, (float)(x < 8 ? x : x - 16) / 16.0f);
}
uint64_t satPkU8I16(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  return (uint32_t)clampTo((int16_t)a, 0, 255) | (uint32_t)clampTo((int16_t)(a >> 16), 0, 255) << 8;
}

uint64_t pkF16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &ctx) {
  const auto one = [&](float x) {
    return limitedHalf(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT), std::isinf(x), ctx.mode);
  };
  return pack(one(asFloat(a)), one(asFloat(b)));
}
uint64_t pkBf16F32(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  return pack(nearestBf16((uint32_t)a), nearestBf16((uint32_t)b));
}
/// The highest random bits, as many as are dropped, decide.
uint64_t randomBf16(uint64_t a, uint64_t random, uint64_t, LaneCtx &) {
  return bf16Of((uint32_t)a, (uint32_t)random >> 16);
}
uint64_t randomF16(uint64_t a, uint64_t random, uint64_t, LaneCtx &ctx) {
  const float x = asFloat(a);
  return x != x ? _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)
                : limitedHalf(Half::encodeStochastic(x, (uint32_t)random, false), std::isinf(x),
                              ctx.mode);
}

} // namespace

void addConversions(OpTable &t) {
  t[Op::v_cvt_i32_f32] = vec<Sig<b32, f32>, [](F32 a) { return toI32(a); }>();
  t[Op::v_cvt_u32_f32] = vec<Sig<b32, f32>, [](F32 a) { return toU32(a); }>();
  t[Op::v_cvt_f32_i32] =
      vec<Sig<f32, b32>, [](I32 a) { return __builtin_convertvector(a, F32); }>();
  t[Op::v_cvt_f32_u32] = vec<Sig<f32, b32>, [](U32 a) { return fromU32(a); }>();
  t[Op::v_cvt_f32_ubyte0] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<0>(a); }>();
  t[Op::v_cvt_f32_ubyte1] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<1>(a); }>();
  t[Op::v_cvt_f32_ubyte2] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<2>(a); }>();
  t[Op::v_cvt_f32_ubyte3] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<3>(a); }>();

  t[Op::v_cvt_rpi_i32_f32] =
      vec<Sig<b32, f32>, [](F32 a) { return toI32(roundHalfUp(a)); }, kNearest>();
  t[Op::v_cvt_flr_i32_f32] =
      vec<Sig<b32, f32>, [](F32 a) { return toI32(roundTo<_MM_FROUND_TO_NEG_INF>(a)); }>();

  t[Op::v_cvt_f64_i32] = vec<Sig<f64, b32>, [](U64 a) { return i2d(a); }>();
  t[Op::v_cvt_f64_u32] = vec<Sig<f64, b32>, [](U64 a) { return positiveZero(u2d(a)); }>();
  t[Op::v_cvt_i32_f64] = vec<Sig<b32, f64>, [](F64 a) { return d2i(a); }, kNearest>();
  t[Op::v_cvt_u32_f64] = vec<Sig<b32, f64>, [](F64 a) { return d2u(a); }, kNearest>();
  t[Op::v_cvt_f64_f32] = vec<Sig<f64, f32>, [](U64 a) { return f2d(a); }>();
  t[Op::v_cvt_f32_f64] = vec<Sig<f32, f64>, [](F64 a) { return d2f(a); }>();

  t[Op::v_cvt_f16_f32] = vec<Sig<f16, f32>, [](F32 a) { return a; }>();
  t[Op::v_cvt_f32_f16] = vec<Sig<f32, f16>, [](F32 a) { return a; }>();
  t[Op::v_cvt_f16_u16] =
      vec<Sig<f16, b16>, [](I32 a) { return __builtin_convertvector(a, F32); }>();
  t[Op::v_cvt_f16_i16] =
      vec<Sig<f16, i16>, [](I32 a) { return __builtin_convertvector(a, F32); }>();
  t[Op::v_cvt_i32_i16] = vec<Sig<b32, i16>, [](U32 a) { return a; }>();
  t[Op::v_cvt_u32_u16] = vec<Sig<b32, b16>, [](U32 a) { return a; }>();
  t[Op::v_cvt_u16_f16] = vec<Sig<b16, f16>, [](F32 a) {
    const U32 r = toI32(a); // f16 reaches 65504 only: infinity saturates
    const I32 s = (I32)r;
    return (U32)(s < 0 ? I32{} : s > 65535 ? I32{} + 65535 : s);
  }>();
  t[Op::v_cvt_i16_f16] = vec<Sig<b16, f16>, [](F32 a) {
    const I32 s = (I32)toI32(a);
    return (U32)(s < -32768 ? I32{} - 32768 : s > 32767 ? I32{} + 32767 : s);
  }>();

  using P32 = Sig<b32, f32, f32>;
  using P16 = Sig<b32, f16, f16>;
  t[Op::v_cvt_pknorm_i16_f32] = lanes<P32, pknormI16F32>(kNearest);
  t[Op::v_cvt_pknorm_u16_f32] = lanes<P32, pknormU16F32>(kNearest);
  t[Op::v_cvt_pknorm_i16_f16] = lanes<P16, pknormI16F16>(kNearest);
  t[Op::v_cvt_pknorm_u16_f16] = lanes<P16, pknormU16F16>(kNearest);
  t[Op::v_cvt_norm_i16_f16] = lanes<Sig<b16, f16>, normI16F16>(kNearest);
  t[Op::v_cvt_norm_u16_f16] = lanes<Sig<b16, f16>, normU16F16>(kNearest);
  t[Op::v_cvt_pkrtz_f16_f32] = lanes<P32, pkrtz>();
  t[Op::v_cvt_pk_u16_u32] = lanes<Sig<b32, b32, b32>, pkU16U32>();
  t[Op::v_cvt_pk_i16_i32] = lanes<Sig<b32, b32, b32>, pkI16I32>();
  t[Op::v_cvt_pk_i16_f32] = lanes<P32, pkI16F32>();
  t[Op::v_cvt_pk_u16_f32] = lanes<P32, pkU16F32>();
  t[Op::v_cvt_pk_u8_f32] = lanes<Sig<b32, f32, b32, b32>, pkU8F32>(kNearest);
  t[Op::v_cvt_pkaccum_u8_f32] = lanes<Sig<b32, f32, b32, b32>, pkU8F32>(kNearest | kAccumulate);
  t[Op::v_cvt_off_f32_i4] = lanes<Sig<f32, b32>, offF32I4>();
  t[Op::v_cvt_pk_f16_f32] = lanes<P32, pkF16F32>(kNearest | kPlain);
  t[Op::v_cvt_pk_bf16_f32] = lanes<P32, pkBf16F32>(kNearest | kPlain);
  t[Op::v_cvt_sr_f16_f32] = lanes<Sig<b16, f32, b32>, randomF16>(kPreserveHigh | kNearest | kPlain);
  t[Op::v_cvt_sr_bf16_f32] =
      lanes<Sig<b16, f32, b32>, randomBf16>(kPreserveHigh | kNearest | kPlain);
  // A bf16 is the higher half of an f32.
  t[Op::v_cvt_f32_bf16] = vec<Sig<f32, f16>, [](U32 a) { return a << 16; }, kNoFlush>();
  t[Op::v_sat_pk_u8_i16] = lanes<Sig<b16, b32>, satPkU8I16>(kClearHigh10);
}

} // namespace meld::softgpu::valu
