// The pieces of IEEE division: v_div_scale, v_div_fmas, v_div_fixup ("Vega" ISA manual,
// chapter 12.10).
//
// a / b = fixup(fmas(..newton on den = scale(b), num = scale(a)..), b, a). Scaling keeps every
// intermediate in range: by 2^64 (f32) or 2^128 (f64), in the direction the operands need; VCC
// remembers that only one of the two was scaled, and fmas undoes it. The manual's text gives fmas'
// factor as 2^32 (2^64 for f64) and scales a huge denominator up, which cannot give right
// quotients; here each factor undoes its scaling: the direction follows from the exponent of fmas'
// addend, the unscaled quotient. An overflowing quotient turns into a NaN in the Newton steps;
// fixup makes it the infinity it stands for. fmas rounds once, also where the unscaled quotient is
// subnormal (so the hardware: its divisions are correctly rounded there too). The test divides
// through the whole sequence and compares with the host's division.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

// Vector types and constants of one width, so that each operation is written once.
struct Single {
  using F = F32;
  using U = U32;
  using I = I32;
  using B = uint32_t;
  static constexpr int signBit = 31, man = 23, farApart = 96, tiny = 23, underflow = -150,
                       bias = 127;
  static constexpr B maxExponent = 255, nan = kNan32, quietBit = kQuiet32, invalid = 0xffc00000;
  static F up() { return splatF(0x1p64f); }
  static F halfSubnormal() { return splatF(0x1p-86f); } ///< of the last place, scaled up
  static F down() { return splatF(0x1p-64f); }
  static F one() { return splatF(1); }
  static F fma(F a, F b, F c) { return (F)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
};
struct Double {
  using F = F64;
  using U = U64;
  using I = I64;
  using B = uint64_t;
  static constexpr int signBit = 63, man = 52, farApart = 768, tiny = 53, underflow = -1075,
                       bias = 1023;
  static constexpr B maxExponent = 2047, nan = kNan64, quietBit = kQuiet64,
                     invalid = 0xfff8000000000000;
  static F up() { return splatD(0x1p128); }
  static F halfSubnormal() { return splatD(0x1p-947); }
  static F down() { return splatD(0x1p-128); }
  static F one() { return splatD(1); }
  static F fma(F a, F b, F c) { return (F)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
};

template <class T> struct Parts { // magnitude, exponent field
  using U = typename T::U;
  using I = typename T::I;
  static constexpr typename T::B infinity = T::maxExponent << T::man;
  U m;
  I e;
  MELD_INLINE explicit Parts(U x) : m(x & (~typename T::B(0) >> 1)), e((I)(m >> T::man)) {}
  MELD_INLINE U zero() const { return (U)(m == U{}); }
  MELD_INLINE U nan() const { return (U)((I)m > (I)(U{} + infinity)); }
  MELD_INLINE U inf() const { return (U)(m == infinity); }
  MELD_INLINE U denormal() const { return (U)(e == I{}) & ~zero(); }
};

template <class T> struct Scaled {
  typename T::U value, vcc; ///< vcc: all ones where the flag is set
};
template <class T>
MELD_INLINE Scaled<T> divScale(typename T::U s0, typename T::U s1, typename T::U s2) {
  using U = typename T::U;
  using F = typename T::F;
  const Parts<T> p1(s1), p2(s2);
  const U up = (U)((F)s0 * T::up()), down = (U)((F)s0 * T::down());
  const U finite = ~(p2.nan() | p2.inf());
  const U rcpDenormal = Parts<T>((U)(T::one() / (F)s1)).denormal() & finite;
  const U ratioDenormal = Parts<T>((U)((F)s2 / (F)s1)).denormal() & finite;
  // The conditions in reverse order: each select overrides those before it.
  U r = select((U)(p2.e <= T::tiny), up, s0), vcc{};
  r = select(ratioDenormal, select((U)(s0 == s2), up, s0), r);
  vcc = ratioDenormal;
  r = select(rcpDenormal, down, r);
  vcc &= ~rcpDenormal;
  const U both = rcpDenormal & ratioDenormal;
  r = select(both, select((U)(s0 == s1), down, s0), r);
  vcc |= both;
  const U denormal = p1.denormal();
  r = select(denormal, up, r);
  vcc &= ~denormal;
  const U far = (U)(p2.e - p1.e >= T::farApart); // quotient near the largest
  r = select(far, select((U)(s0 == s1), up, s0), r);
  vcc |= far;
  const U zero = p1.zero() | p2.zero();
  return {select(zero, U{} + T::nan, r), vcc & ~zero};
}

template <class T>
MELD_INLINE typename T::U divFmas(typename T::U a, typename T::U b, typename T::U c,
                                  typename T::U vcc) {
  using U = typename T::U;
  using F = typename T::F;
  const F r = fixNan(T::fma((F)a, (F)b, (F)c), (F)a, (F)b, (F)c);
  const U large = (U)(Parts<T>(c).e > T::bias);
  F scaled = r * (F)select(large, (U)T::up(), (U)T::down());
  // Scaled down, r loses bits where the result is subnormal. A second rounding shows only where r
  // lies halfway between two results and a * b + c does not: then r moves one place towards it.
  // Other rounding modes do not see the difference. c - r is exact, as a * b is a correction of c.
  const F lost = r - scaled * T::up();
  const U halfway = (U)((U)lost << 1 == (U)T::halfSubnormal() << 1) & vcc & ~large;
  if (any((F)halfway)) {
    const F error = T::fma((F)a, (F)b, (F)c - r);
    const U outward = (U)(((U)error ^ (U)r) >> T::signBit == U{});
    const U moved = (U)r + select(outward, U{} + 1, ~U{});
    const U inexact = (U)(((U)error << 1) != U{});
    scaled = (F)select(halfway & inexact, (U)((F)moved * T::down()), (U)scaled);
  }
  return select(vcc, (U)scaled, (U)r);
}

template <class T>
MELD_INLINE typename T::U divFixup(typename T::U s0, typename T::U s1, typename T::U s2) {
  using U = typename T::U;
  using B = typename T::B;
  const Parts<T> p0(s0), p1(s1), p2(s2);
  const U sign = (s1 ^ s2) & ~(~B(0) >> 1), inf = sign | Parts<T>::infinity;
  U r = select(p0.nan(), inf, sign | p0.m); // the Newton steps met an infinite quotient
  r = select((U)(p2.e - p1.e < T::underflow), sign, r);
  r = select(p1.inf() | p2.zero(), sign, r);
  r = select(p1.zero() | p2.inf(), inf, r);
  r = select((p1.zero() & p2.zero()) | (p1.inf() & p2.inf()), U{} + T::invalid, r);
  r = select(p1.nan(), s1 | T::quietBit, r);
  return select(p2.nan(), s2 | T::quietBit, r);
}

using S32 = Sig<f32, f32, f32, f32>;
using S64 = Sig<f64, f64, f64, f64>;

void rowScale32(RowCtx &ctx) {
  const RowSources<S32> s(ctx);
  uint64_t bits = 0;
  for (unsigned c = 0; c < kChunks; ++c) {
    const auto r = divScale<Single>(s.s0.low(c), s.s1.low(c), s.s2.low(c));
    store(ctx.dst + 8 * c, r.value);
    bits |= (uint64_t)bitsOf(r.vcc) << (8 * c);
  }
  ctx.maskOut = bits;
}
void rowScale64(RowCtx &ctx) {
  const RowSources<S64> s(ctx);
  uint64_t bits = 0;
  for (unsigned c = 0; c < kChunks; ++c) {
    const U32 a = s.s0.low(c), ah = s.s0.high(c), b = s.s1.low(c), bh = s.s1.high(c),
              d = s.s2.low(c), dh = s.s2.high(c);
    const auto x = divScale<Double>(unpackLo(a, ah), unpackLo(b, bh), unpackLo(d, dh));
    const auto y = divScale<Double>(unpackHi(a, ah), unpackHi(b, bh), unpackHi(d, dh));
    storeWide<S64>(ctx.dst + 8 * c, Halves<U64>{x.value, y.value});
    bits |= (uint64_t)bitsOf(joinHigh(x.vcc, y.vcc)) << (8 * c);
  }
  ctx.maskOut = bits;
}
void rowFmas32(RowCtx &ctx) {
  const RowSources<S32> s(ctx);
  for (unsigned c = 0; c < kChunks; ++c)
    store(ctx.dst + 8 * c, divFmas<Single>(s.s0.low(c), s.s1.low(c), s.s2.low(c),
                                           maskOf((uint32_t)(ctx.mask >> (8 * c)))));
}
void rowFmas64(RowCtx &ctx) {
  const RowSources<S64> s(ctx);
  for (unsigned c = 0; c < kChunks; ++c) {
    const U32 a = s.s0.low(c), ah = s.s0.high(c), b = s.s1.low(c), bh = s.s1.high(c),
              d = s.s2.low(c), dh = s.s2.high(c);
    const U32 m = maskOf((uint32_t)(ctx.mask >> (8 * c)));
    storeWide<S64>(ctx.dst + 8 * c, Halves<U64>{divFmas<Double>(unpackLo(a, ah), unpackLo(b, bh),
                                                                unpackLo(d, dh), unpackLo(m, m)),
                                                divFmas<Double>(unpackHi(a, ah), unpackHi(b, bh),
                                                                unpackHi(d, dh), unpackHi(m, m))});
  }
}
template <class S> OpInfo rows(RowFn fn, unsigned flags) {
  OpInfo info = infoOf<S>(flags);
  info.row = fn;
  return info;
}

uint64_t divFixup16(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const uint32_t s0 = (uint32_t)a, s1 = (uint32_t)b, s2 = (uint32_t)c;
  const uint32_t sign = (s1 ^ s2) & 0x8000, m1 = s1 & 0x7fff, m2 = s2 & 0x7fff, inf = 0x7c00;
  if (m2 > inf)
    return s2 | 0x200;
  if (m1 > inf)
    return s1 | 0x200;
  if ((m1 == 0 && m2 == 0) || (m1 == inf && m2 == inf))
    return 0xfe00;
  if (m1 == 0 || m2 == inf)
    return sign | inf;
  if (m1 == inf || m2 == 0)
    return sign;
  if ((s0 & 0x7fff) > inf)
    return sign | inf;
  return sign | (s0 & 0x7fff);
}

} // namespace

void addDivision(OpTable &t) {
  using S16 = Sig<f16, f16, f16, f16>;
  t[Op::v_div_scale_f32] = rows<S32>(rowScale32, kCarryOut | kNoFlush);
  t[Op::v_div_scale_f64] = rows<S64>(rowScale64, kCarryOut | kNoFlush);
  t[Op::v_div_fmas_f32] = rows<S32>(rowFmas32, kReadVcc);
  t[Op::v_div_fmas_f64] = rows<S64>(rowFmas64, kReadVcc);
  t[Op::v_div_fixup_f32] =
      vec<S32, [](U32 a, U32 b, U32 c) { return divFixup<Single>(a, b, c); }>();
  t[Op::v_div_fixup_f64] =
      vec<S64, [](U64 a, U64 b, U64 c) { return divFixup<Double>(a, b, c); }>();
  t[Op::v_div_fixup_f16] = lanes<S16, divFixup16>(kPreserveHigh);
  t[Op::v_div_fixup_legacy_f16] = lanes<S16, divFixup16>();
}

} // namespace meld::softgpu::valu
