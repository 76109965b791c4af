// f64 arithmetic: one rounding per operation. "Vega" and "MI200" ISA manuals, chapters 12.8
// and 12.10.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/minmax.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using U1 = Sig<f64, f64>;
using B2 = Sig<f64, f64, f64>;
using T3 = Sig<f64, f64, f64, f64>;

namespace {

MELD_INLINE F64 fma(F64 a, F64 b, F64 c) {
  return (F64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
template <int Mode> MELD_INLINE F64 roundTo(F64 a) {
  return (F64)_mm256_round_pd((__m256d)a, Mode | _MM_FROUND_NO_EXC);
}
MELD_INLINE F64 fract(F64 a) {
  const F64 r = minNative(a - roundTo<_MM_FROUND_TO_NEG_INF>(a), (F64)splat64(0x3fefffffffffffff));
  const F64 bad = (F64)(((U64)a & 0x7ff0000000000000ull) == 0x7ff0000000000000ull);
  return pick(bad, pick(unordered(a, a), quiet(a), nanOf(a)), r);
}

template <auto Ieee, auto Plain> void rowByIeee(RowCtx &ctx) {
  (ctx.mode & Mode::ieee ? Ieee : Plain)(ctx);
}

uint64_t ldexp64(uint64_t x, uint64_t b, uint64_t, LaneCtx &) {
  const uint64_t sign = x & 1ull << 63, mag = x ^ sign;
  if (mag >= 0x7ff0000000000000)
    return mag > 0x7ff0000000000000 ? x | kQuiet64 : x;
  if (!mag)
    return x;
  int e = (int)(mag >> 52);
  uint64_t m = mag & 0xfffffffffffff;
  if (!e) { // normalise
    const int s = __builtin_clzll(m) - 11;
    m = m << s & 0xfffffffffffff;
    e = 1 - s;
  }
  int by = (int32_t)(uint32_t)b;
  by = by > 5000 ? 5000 : by < -5000 ? -5000 : by;
  e += by;
  const auto make = [](uint64_t s, int exponent, uint64_t mantissa) {
    return __builtin_bit_cast(double, s | (uint64_t)exponent << 52 | mantissa);
  };
  if (e >= 1 && e <= 2046)
    return __builtin_bit_cast(uint64_t, make(sign, e, m));
  // Out of range: one multiplication that rounds (or overflows) as MODE says.
  const double big = e > 2046 ? 2.0 : make(0, e < -1000 ? 22 : e + 1022, 0);
  volatile double start = make(sign, e > 2046 ? 2046 : 1, m);
  return __builtin_bit_cast(uint64_t, start * big);
}
uint64_t frexpMant64(uint64_t x, uint64_t, uint64_t, LaneCtx &) {
  const uint64_t e = x >> 52 & 2047, m = x & 0xfffffffffffff;
  if (e == 2047)
    return m ? x | kQuiet64 : x;
  if (e == 0) {
    if (!m)
      return x;
    const int s = __builtin_clzll(m) - 11;
    return (x & 1ull << 63) | 1022ull << 52 | (m << s & 0xfffffffffffff);
  }
  return (x & 0x800fffffffffffff) | 1022ull << 52;
}
uint64_t frexpExp64(uint64_t x, uint64_t, uint64_t, LaneCtx &) {
  const uint64_t e = x >> 52 & 2047, m = x & 0xfffffffffffff;
  if (e == 2047 || (e == 0 && !m))
    return 0;
  return (uint32_t)(e ? (int)e - 1022 : 1 - (__builtin_clzll(m) - 11) - 1022);
}

} // namespace

void addFloat64(OpTable &t) {
  t[Op::v_add_f64] = vec<B2, [](F64 a, F64 b) { return a + b; }, kNan, hot>();
  t[Op::v_mul_f64] = vec<B2, [](F64 a, F64 b) { return a * b; }, kNan, hot>();
  t[Op::v_fma_f64] = vec<T3, [](F64 a, F64 b, F64 c) { return fma(a, b, c); }, kNan, hot>();
  t[Op::v_fmac_f64] =
      vec<T3, [](F64 a, F64 b, F64 c) { return fma(a, b, c); }, kNan | kAccumulate>();
  t[Op::v_min_f64] = vec<B2, [](F64 a, F64 b) { return minOf<true>(a, b); }, kIeee>();
  t[Op::v_min_f64].row = rowByIeee<rowVec<B2, [](F64 a, F64 b) { return minOf<true>(a, b); }, 0>,
                                   rowVec<B2, [](F64 a, F64 b) { return minOf<false>(a, b); }, 0>>;
  t[Op::v_max_f64] = vec<B2, [](F64 a, F64 b) { return maxOf<true>(a, b); }, kIeee>();
  t[Op::v_max_f64].row = rowByIeee<rowVec<B2, [](F64 a, F64 b) { return maxOf<true>(a, b); }, 0>,
                                   rowVec<B2, [](F64 a, F64 b) { return maxOf<false>(a, b); }, 0>>;
  t[Op::v_trunc_f64] = vec<U1, [](F64 a) { return roundTo<_MM_FROUND_TO_ZERO>(a); }>();
  t[Op::v_ceil_f64] = vec<U1, [](F64 a) { return roundTo<_MM_FROUND_TO_POS_INF>(a); }>();
  t[Op::v_floor_f64] = vec<U1, [](F64 a) { return roundTo<_MM_FROUND_TO_NEG_INF>(a); }>();
  t[Op::v_rndne_f64] = vec<U1, [](F64 a) { return roundTo<_MM_FROUND_TO_NEAREST_INT>(a); }>();
  t[Op::v_fract_f64] = vec<U1, [](F64 a) { return fract(a); }>();
  t[Op::v_ldexp_f64] = lanes<Sig<f64, f64, b32>, ldexp64>();
  t[Op::v_frexp_mant_f64] = lanes<U1, frexpMant64>();
  t[Op::v_frexp_exp_i32_f64] = lanes<Sig<b32, f64>, frexpExp64>();
}

} // namespace meld::softgpu::valu
