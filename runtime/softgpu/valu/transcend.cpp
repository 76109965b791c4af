// Reciprocals, roots, exponentials, logarithms, sine and cosine.
//
// The hardware's results are within 1 ULP (f32, f16) or 2^29 ULP (rcp_f64, rsq_f64) of the exact
// value; ours are computed in double from IEEE operations alone and rounded once or twice, so they
// lie within that and are the same on every host. Example: v_exp_f32(x) = 2^n * P(x - n), n =
// nearest integer. f32 forms flush denormal inputs and results ("Vega" ISA manual, 12.8: "1ULP
// accuracy, denormals are flushed"); sine and cosine take revolutions and give 0 and 1 beyond
// +-256 on GFX9, from GFX10 on "full range input is supported" ("RDNA3" ISA, V_SIN_F32). The NaN of an
// operand that a function is not defined for has its sign set, as the manuals' functional examples of
// V_SQRT_F32, V_RSQ_F32, V_LOG_F32, V_SIN_F32, V_COS_F32 and their f16 forms have it; of f64 there are
// none. Polynomials: Taylor series of 2^f (|f| <= 1/2), atanh, sin and cos (|x| <= pi/4), cut
// below 2^-56.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

MELD_INLINE F64 fma(F64 a, F64 b, F64 c) {
  return (F64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
MELD_INLINE F64 nearest(F64 a) {
  return (F64)_mm256_round_pd((__m256d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// 2^n for integral n in [-1022, 1023].
MELD_INLINE F64 exp2i(F64 n) {
  const F64 magic = splatD(6755399441055744.0 + 1023.0); // 1.5 * 2^52
  return (F64)((U64)(n + magic) << 52);
}
/// Applies a four-lane double function to eight floats.
template <class Fn> MELD_INLINE F32 inDouble(F32 a, Fn fn) {
  const __m256d lo = _mm256_cvtps_pd(_mm256_castps256_ps128((__m256)a));
  const __m256d hi = _mm256_cvtps_pd(_mm256_extractf128_ps((__m256)a, 1));
  const __m128 l = _mm256_cvtpd_ps((__m256d)fn((F64)lo)), h = _mm256_cvtpd_ps((__m256d)fn((F64)hi));
  return (F32)_mm256_set_m128(h, l);
}

MELD_INLINE F64 exp2Core(F64 x) {
  x = (F64)_mm256_min_pd((__m256d)x, (__m256d)splatD(400));
  x = (F64)_mm256_max_pd((__m256d)x, (__m256d)splatD(-400));
  const F64 n = nearest(x), t = (x - n) * splatD(0.6931471805599453094);
  F64 p = splatD(1.0 / 87178291200.0);
  static constexpr double inverse[] = {1.0 / 6227020800.0,
                                       1.0 / 479001600.0,
                                       1.0 / 39916800.0,
                                       1.0 / 3628800.0,
                                       1.0 / 362880.0,
                                       1.0 / 40320.0,
                                       1.0 / 5040.0,
                                       1.0 / 720.0,
                                       1.0 / 120.0,
                                       1.0 / 24.0,
                                       1.0 / 6.0,
                                       0.5,
                                       1.0,
                                       1.0};
#pragma GCC unroll 16
  for (double c : inverse)
    p = fma(p, t, splatD(c));
  return p * exp2i(n);
}
MELD_INLINE F64 log2Core(F64 x) { // positive, finite, normal in double
  const U64 bits = (U64)x;
  // Mantissa in [sqrt(1/2), sqrt(2)), so that results near x = 1 keep their relative accuracy.
  const U64 shifted = bits - 0x3fe6a09e667f3bcdull;
  const U64 top = shifted & 0xfff0000000000000ull;
  const F64 m = (F64)(bits - top);
  const U64 biased = ((shifted >> 52) + 1024ull) & 2047ull; // exponent + 1024, small and positive
  const F64 e = (F64)(biased | 0x4330000000000000ull) - splatD(4503599627370496.0 + 1024.0);
  const F64 s = (m - splatD(1)) / (m + splatD(1)), z = s * s;
  F64 p = splatD(1.0 / 27);
#pragma GCC unroll 16
  for (int k = 25; k >= 1; k -= 2)
    p = fma(p, z, splatD(1.0 / k));
  return fma(s * p, splatD(2.8853900817779268147), e); // 2 / ln 2
}
/// sin(2 pi x) (or cos) for |x| <= 256.
template <bool Cos> MELD_INLINE F64 sinCore(F64 x) {
  const F64 q = nearest(x * splatD(4));                      // quarter turns
  const F64 r = fma(q, splatD(-0.25), x);                    // exact
  const F64 t = r * splatD(6.283185307179586477), z = t * t; // |t| <= pi/4
  F64 s = splatD(1.0 / 355687428096000.0);
  static constexpr double sines[] = {
      -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
      -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0,        1.0};
#pragma GCC unroll 16
  for (double c : sines)
    s = fma(s, z, splatD(c));
  s = s * t;
  F64 c = splatD(1.0 / 20922789888000.0);
  static constexpr double cosines[] = {-1.0 / 87178291200.0,
                                       1.0 / 479001600.0,
                                       -1.0 / 3628800.0,
                                       1.0 / 40320.0,
                                       -1.0 / 720.0,
                                       1.0 / 24.0,
                                       -0.5,
                                       1.0};
#pragma GCC unroll 16
  for (double k : cosines)
    c = fma(c, z, splatD(k));
  const U64 quadrant = (U64)(q + splatD(6755399441055744.0)) + splat64(Cos ? 1 : 0);
  const F64 odd = (F64)(quadrant << 63), flip = (F64)((quadrant << 62) & (1ull << 63));
  const F64 v = (F64)_mm256_blendv_pd((__m256d)s, (__m256d)c, (__m256d)odd);
  return (F64)((U64)v ^ (U64)flip);
}

MELD_INLINE F32 invalid() { return (F32)splat(0xffc00000); }
MELD_INLINE F32 isBits(F32 a, uint32_t what) { return (F32)((U32)a == what); }
MELD_INLINE F32 isZero(F32 a) { return (F32)(((U32)a & 0x7fffffffu) == 0); }

MELD_INLINE F32 exp2F(F32 a) {
  F32 r = inDouble(a, [](F64 x) { return exp2Core(x); }); // overflow and underflow by the narrowing
  return pick(unordered(a, a), a, r);
}
MELD_INLINE F32 log2F(F32 a) { // denormals of f16 are normal here
  F32 r = inDouble(a, [](F64 x) { return log2Core(x); });
  r = pick(isBits(a, 0x7f800000), a, r);
  r = pick((F32)(a < 0.f), invalid(), r);
  r = pick(isZero(a), (F32)splat(0xff800000), r);
  return pick(unordered(a, a), quiet(a), r);
}
template <bool Cos, bool FullRange> MELD_INLINE F32 sinF(F32 a) {
  const F32 far = (F32)(((U32)a & 0x7fffffffu) > 0x43800000u); // beyond 256
  F32 r;
  if constexpr (FullRange) { // without whole turns, which is exact
    r = inDouble(a, [](F64 x) { return sinCore<Cos>(x - nearest(x)); });
  } else {
    r = inDouble(pick(far, F32{}, a), [](F64 x) { return sinCore<Cos>(x); });
    r = pick(far, splatF(Cos ? 1.f : 0.f), r);
  }
  // V_COS_F32(0x3e800000) => 0x00000000
  r = Cos ? pick(isZero(r), F32{}, r) : pick(isZero(a), a, r);
  r = pick((F32)(((U32)a & 0x7f800000u) == 0x7f800000u), invalid(), r);
  return pick(unordered(a, a), quiet(a), r);
}
/// NaN results: a NaN operand, quieted, or that of a number outside the function's domain.
MELD_INLINE F32 fixDomain(F32 r, F32 a) {
  return pick(unordered(r, r), pick(unordered(a, a), quiet(a), invalid()), r);
}
MELD_INLINE F32 sqrtF(F32 a) { return fixDomain((F32)_mm256_sqrt_ps((__m256)a), a); }
MELD_INLINE F32 rcpF(F32 a) { return fixNan(splatF(1) / a, a); }
MELD_INLINE F32 rsqF(F32 a) {
  const F32 r = inDouble(a, [](F64 x) { return splatD(1) / (F64)_mm256_sqrt_pd((__m256d)x); });
  return fixDomain(r, a);
}

/// f32 form: denormals are flushed whatever MODE says.
template <auto F> OpInfo flushed() {
  constexpr auto fn = [](F32 a) { return flush(F(flush(a))); };
  return vec<Sig<f32, f32>, fn, kNearest>();
}

/// Sine or cosine of f32 or f16.
bool hasFullRange(const isa::Inst &in) { return isa::traitsOf(in.target).generation >= 10; }
template <class S, auto Near, auto Full, unsigned Flags>
const ExecInst *fastTurns(const ExecInst *i, Wave &w) {
  return (hasFullRange(*i->inst) ? fastVec<S, Full, Flags, kAny>
                                 : fastVec<S, Near, Flags, kAny>)(i, w);
}
template <Ty T, bool Cos> OpInfo turns() {
  using S = Sig<T, T>;
  constexpr auto near = [](F32 a) { return sinF<Cos, false>(a); };
  constexpr auto full = [](F32 a) { return sinF<Cos, true>(a); };
  OpInfo info = infoOf<S>(kNearest);
  info.row = [](RowCtx &ctx) {
    (hasFullRange(*ctx.inst) ? rowVec<S, full, kNearest> : rowVec<S, near, kNearest>)(ctx);
  };
  info.fastMod = fastTurns<S, near, full, kNearest>;
  if constexpr (is16(T))
    info.fastKeep = fastTurns<S, near, full, kNearest | kPreserveHigh>;
  return info;
}
template <auto F> OpInfo half() { return vec<Sig<f16, f16>, F, kNearest>(); }

// The fraction of 2/pi, most significant word first (1216 bits of it; 1201 are addressable).
constexpr uint64_t kTwoOverPi[19] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// 53 bits of 2/pi, chosen by segment and by the exponent of the argument that is to be reduced.
uint64_t trigPreop(uint64_t a, uint64_t b, uint64_t, LaneCtx &) {
  const unsigned e = a >> 52 & 2047;
  unsigned shift = (b & 31) * 53;
  if (e > 1077)
    shift += e - 1077;
  uint64_t bits = 0; // b_1200 is the first bit; bits past b_0 are 0
  for (unsigned k = 0; k < 53; ++k) {
    const unsigned n = shift + k;
    const uint64_t bit = n <= 1200 ? kTwoOverPi[n / 64] >> (63 - n % 64) & 1 : 0;
    bits = bits << 1 | bit;
  }
  int scale = -53 - (int)shift;
  if (e >= 1968)
    scale += 128;
  if (!bits)
    return 0;
  // bits < 2^53 is exact in double; the product may be denormal and then rounds.
  volatile double r = (double)bits;
  int left = scale;
  while (left < -1000) {
    r = r * 0x1p-1000;
    left += 1000;
  }
  return __builtin_bit_cast(uint64_t,
                            r * __builtin_bit_cast(double, (uint64_t)(1023 + left) << 52));
}

} // namespace

void addTranscendentals(OpTable &t) {
  t[Op::v_rcp_f32] = flushed<[](F32 a) { return rcpF(a); }>();
  t[Op::v_rcp_iflag_f32] = t[Op::v_rcp_f32];
  t[Op::v_rsq_f32] = flushed<[](F32 a) { return rsqF(a); }>();
  t[Op::v_sqrt_f32] = flushed<[](F32 a) { return sqrtF(a); }>();
  t[Op::v_exp_f32] = flushed<[](F32 a) { return fixNan(exp2F(a), a); }>();
  t[Op::v_exp_legacy_f32] = t[Op::v_exp_f32];
  t[Op::v_log_f32] = flushed<[](F32 a) { return log2F(a); }>();
  t[Op::v_log_legacy_f32] = t[Op::v_log_f32];
  t[Op::v_sin_f32] = turns<f32, false>();
  t[Op::v_cos_f32] = turns<f32, true>();

  t[Op::v_rcp_f16] = half<[](F32 a) { return rcpF(a); }>();
  t[Op::v_rsq_f16] = half<[](F32 a) { return rsqF(a); }>();
  t[Op::v_sqrt_f16] = half<[](F32 a) { return sqrtF(a); }>();
  t[Op::v_exp_f16] = half<[](F32 a) { return fixNan(exp2F(a), a); }>();
  t[Op::v_log_f16] = half<[](F32 a) { return log2F(a); }>();
  t[Op::v_sin_f16] = turns<f16, false>();
  t[Op::v_cos_f16] = turns<f16, true>();

  using D1 = Sig<f64, f64>;
  t[Op::v_rcp_f64] = vec<D1, [](F64 a) { return splatD(1) / a; }, kNan | kNearest>();
  t[Op::v_sqrt_f64] =
      vec<D1, [](F64 a) { return (F64)_mm256_sqrt_pd((__m256d)a); }, kNan | kNearest>();
  t[Op::v_rsq_f64] =
      vec<D1, [](F64 a) { return splatD(1) / (F64)_mm256_sqrt_pd((__m256d)a); }, kNan | kNearest>();
  t[Op::v_trig_preop_f64] = lanes<Sig<f64, f64, b32>, trigPreop>(kNearest);
}

} // namespace meld::softgpu::valu
