// f16 arithmetic. Sums, products and roots are computed in f32, which has enough bits that rounding
// twice equals rounding once (24 >= 2 * 11 + 2); v_fma_f16 goes through double (half.h). "Vega" ISA
// manual, chapters 12.7, 12.8, 12.10.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/half.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using U1 = Sig<f16, f16>;
using B2 = Sig<f16, f16, f16>;
using T3 = Sig<f16, f16, f16, f16>;

namespace {

template <int Mode> MELD_INLINE F32 roundTo(F32 a) {
  return (F32)_mm256_round_ps((__m256)a, Mode | _MM_FROUND_NO_EXC);
}
/// Two roundings, denormals always flushed.
MELD_INLINE U32 mad(U32 a, U32 b, U32 c) {
  const F32 x = widenHalf(flushHalf(a)), y = widenHalf(flushHalf(b)), z = widenHalf(flushHalf(c));
  const F32 p = widenHalf(flushHalf(narrowHalf(x * y)));
  return flushHalf(narrowHalf(fixNan(p + z, x, y, z)));
}
MELD_INLINE F32 fract(F32 a) {
  const F32 r =
      minNative(a - roundTo<_MM_FROUND_TO_NEG_INF>(a), (F32)splat(0x3f7fe000)); // 1 - 2^-11
  const F32 bad = (F32)(((U32)a & 0x7f800000u) == 0x7f800000u);
  return pick(bad, pick(unordered(a, a), a, nanOf(a)), r);
}

template <bool Ieee>
constexpr auto kMin =
    [](U32 a, U32 b) { return narrowHalf(minOf<Ieee>(widenKeep(a), widenKeep(b))); };
template <bool Ieee>
constexpr auto kMax =
    [](U32 a, U32 b) { return narrowHalf(maxOf<Ieee>(widenKeep(a), widenKeep(b))); };
template <bool Ieee>
constexpr auto kMin3 = [](U32 a, U32 b, U32 c) {
  return narrowHalf(minOf<Ieee>(minOf<Ieee>(widenKeep(a), widenKeep(b)), widenKeep(c)));
};
template <bool Ieee>
constexpr auto kMax3 = [](U32 a, U32 b, U32 c) {
  return narrowHalf(maxOf<Ieee>(maxOf<Ieee>(widenKeep(a), widenKeep(b)), widenKeep(c)));
};
template <bool Ieee>
constexpr auto kMaxMin = [](U32 a, U32 b, U32 c) {
  return narrowHalf(minOf<Ieee>(maxOf<Ieee>(widenKeep(a), widenKeep(b)), widenKeep(c)));
};
template <bool Ieee>
constexpr auto kMinMax = [](U32 a, U32 b, U32 c) {
  return narrowHalf(maxOf<Ieee>(minOf<Ieee>(widenKeep(a), widenKeep(b)), widenKeep(c)));
};
template <bool Ieee>
constexpr auto kMed3 = [](U32 a, U32 b, U32 c) {
  return narrowHalf(med3Of<Ieee>(widenKeep(a), widenKeep(b), widenKeep(c)));
};
template <auto Ieee, auto Plain> void rowByIeee(RowCtx &ctx) {
  (ctx.mode & Mode::ieee ? Ieee : Plain)(ctx);
}
template <class S, auto F, auto FPlain, unsigned Flags = 0> OpInfo ieeeOp() {
  OpInfo info = vec<S, F, kIeee | Flags, normal>();
  info.row = rowByIeee<rowVec<S, F, 0>, rowVec<S, FPlain, 0>>;
  return info;
}

uint64_t ldexp16(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  const uint32_t x = (uint32_t)a;
  if ((x & 0x7fff) > 0x7c00)
    return x | 0x200;
  int e = (int16_t)b;
  e = e > 64 ? 64 : e < -64 ? -64 : e;
  const float scale = __builtin_bit_cast(float, (uint32_t)(127 + e) << 23);
  return _cvtss_sh(_cvtsh_ss((uint16_t)x) * scale, _MM_FROUND_CUR_DIRECTION);
}
uint64_t frexpMant16(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  const uint32_t x = (uint32_t)a, e = x >> 10 & 31, m = x & 0x3ff;
  if (e == 31)
    return m ? x | 0x200 : x;
  if (e == 0) {
    if (!m)
      return x;
    const int s = __builtin_clz(m) - 21;
    return (x & 0x8000) | 14u << 10 | (m << s & 0x3ff);
  }
  return (x & 0x83ff) | 14u << 10;
}
uint64_t frexpExp16(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  const uint32_t x = (uint32_t)a, e = x >> 10 & 31, m = x & 0x3ff;
  if (e == 31 || (e == 0 && !m))
    return 0;
  return (uint32_t)(e ? (int)e - 14 : 1 - (__builtin_clz(m) - 21) - 14) & 0xffff;
}

} // namespace

void addFloat16(OpTable &t) {
  t[Op::v_add_f16] = vec<B2, [](F32 a, F32 b) { return a + b; }, kNan>();
  t[Op::v_sub_f16] = vec<B2, [](F32 a, F32 b) { return a - b; }, kNan>();
  t[Op::v_subrev_f16] = vec<B2, [](F32 a, F32 b) { return b - a; }, kNan>();
  t[Op::v_mul_f16] = vec<B2, [](F32 a, F32 b) { return a * b; }, kNan>();
  t[Op::v_fma_f16] =
      vec<T3, [](F32 a, F32 b, F32 c) { return fmaForHalf(a, b, c); }, kPreserveHigh>();
  t[Op::v_fmac_f16] = vec<T3, [](F32 a, F32 b, F32 c) { return fmaForHalf(a, b, c); },
                          kPreserveHigh | kAccumulate>();
  t[Op::v_fmamk_f16] = t[Op::v_fma_f16];
  t[Op::v_fmaak_f16] = t[Op::v_fma_f16];
  t[Op::v_fma_legacy_f16] = vec<T3, [](F32 a, F32 b, F32 c) { return fmaForHalf(a, b, c); }>();
  t[Op::v_mad_f16] = vec<T3, [](U32 a, U32 b, U32 c) { return mad(a, b, c); }, kPreserveHigh>();
  t[Op::v_madmk_f16] = t[Op::v_mad_f16];
  t[Op::v_madak_f16] = t[Op::v_mad_f16];
  t[Op::v_mad_legacy_f16] = vec<T3, [](U32 a, U32 b, U32 c) { return mad(a, b, c); }>();
  t[Op::v_mac_f16] =
      vec<T3, [](U32 a, U32 b, U32 c) { return mad(a, b, c); }, kPreserveHigh | kAccumulate>();

  t[Op::v_min_f16] = ieeeOp<B2, kMin<true>, kMin<false>>();
  t[Op::v_max_f16] = ieeeOp<B2, kMax<true>, kMax<false>>();
  t[Op::v_min3_f16] = ieeeOp<T3, kMin3<true>, kMin3<false>, kPreserveHigh>();
  t[Op::v_max3_f16] = ieeeOp<T3, kMax3<true>, kMax3<false>, kPreserveHigh>();
  t[Op::v_maxmin_f16] = ieeeOp<T3, kMaxMin<true>, kMaxMin<false>>();
  t[Op::v_minmax_f16] = ieeeOp<T3, kMinMax<true>, kMinMax<false>>();
  t[Op::v_med3_f16] = ieeeOp<T3, kMed3<true>, kMed3<false>, kPreserveHigh>();

  t[Op::v_trunc_f16] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_ZERO>(a); }>();
  t[Op::v_ceil_f16] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_POS_INF>(a); }>();
  t[Op::v_floor_f16] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_NEG_INF>(a); }>();
  t[Op::v_rndne_f16] = vec<U1, [](F32 a) { return roundTo<_MM_FROUND_TO_NEAREST_INT>(a); }>();
  t[Op::v_fract_f16] = vec<U1, [](F32 a) { return fract(a); }>();
  t[Op::v_ldexp_f16] = lanes<Sig<f16, f16, b16>, ldexp16>();
  t[Op::v_frexp_mant_f16] = lanes<U1, frexpMant16>();
  t[Op::v_frexp_exp_i16_f16] = lanes<Sig<b16, f16>, frexpExp16>();
}

} // namespace meld::softgpu::valu
