// Transcendental operations against long double libm: within 1 ULP (f32, f16), specials exact.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <tuple>

namespace meld::test {
namespace {

using Real = long double;
constexpr Real kPi = 3.141592653589793238462643383279502884L;

Real valueOf(Format f, uint64_t x) {
  if (f.isNan(x))
    return NAN;
  if (f.isInf(x))
    return x & f.sign() ? -INFINITY : INFINITY;
  const Exact e = unpack(f, x);
  const Real v = std::ldexp((Real)(uint64_t)e.m, e.e);
  return x & f.sign() ? -v : v;
}
/// Distance in representable steps.
uint64_t steps(Format f, uint64_t a, uint64_t b) {
  const auto key = [&](uint64_t x) {
    return x & f.sign() ? -(int64_t)f.magnitude(x) : (int64_t)f.magnitude(x);
  };
  const int64_t d = key(a) - key(b);
  return (uint64_t)(d < 0 ? -d : d);
}
/// The representable value next to a long double.
uint64_t nearest(Format f, Real v) {
  const uint64_t sign = std::signbit(v) ? f.sign() : 0;
  if (std::isnan(v))
    return f.nan();
  if (std::isinf(v))
    return sign | f.infinity();
  if (v == 0)
    return sign;
  int e;
  const Real m = std::frexp(std::fabs(v), &e);
  Exact x;
  x.negative = sign != 0;
  x.m = (unsigned __int128)std::ldexp(m, 64);
  x.e = e - 64;
  return round(f, x, toNearest);
}

struct MathCase {
  Op op;
  Format f;
  bool flush; ///< the f32 forms flush denormals
  Real (*fn)(Real);
  unsigned ulps;
};

void checkMath(const MathCase &c) {
  SCOPED_TRACE(nameOf(c.op));
  Machine m;
  const bool wide = c.f.mantissaBits == 52, half = c.f.mantissaBits == 10;
  const auto &edges = edgeValues(wide ? 'd' : half ? 'h' : 'f');
  for (int round = 0; round < 600; ++round) {
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t r = random64();
      uint64_t x = round < 8 ? edges[(unsigned)(round * 64 + l) % edges.size()] : random64();
      if (half)
        x = round < 8 ? x : (uint64_t)((round - 8) * 64 + l) & 0xffff;
      else if (!wide && (r & 1) && round >= 8) // magnitudes from 2^-16 to 2^15
        x = (x & 0x807fffff) | (0x37800000 + ((r >> 8) % 32 << 23));
      else if (!wide && (r & 2) && round >= 8) // near 1
        x = 0x3f800000 + (uint32_t)((int32_t)(x & 0xffff) - 0x8000);
      m.v(10).u[l] = (uint32_t)x;
      m.v(11).u[l] = (uint32_t)(x >> 32);
    }
    ASSERT_TRUE(m.run(make(c.op, Enc::VOP1, vgpr(4, wide ? 2 : 1), {vgpr(10, wide ? 2 : 1)})));
    for (unsigned l = 0; l < 64; ++l) {
      uint64_t x = m.v(10).u[l], got = m.v(4).u[l];
      if (wide) {
        x |= (uint64_t)m.v(11).u[l] << 32;
        got |= (uint64_t)m.v(5).u[l] << 32;
      }
      if (half)
        x &= 0xffff;
      if (c.f.isNan(x)) {
        ASSERT_EQ(got, x | c.f.quietBit());
        continue;
      }
      const uint64_t in = c.flush ? flushDenormal(c.f, x) : x;
      uint64_t want = nearest(c.f, c.fn(valueOf(c.f, in)));
      // As the functional examples in the "RDNA3" ISA have it: V_SQRT_F32(0xff800000) => 0xffc00000,
      // V_LOG_F16(0xbc00) => 0xfe00, ...; of f64 there are none.
      if (c.f.isNan(want))
        want = wide ? c.f.nan() : c.f.sign() | c.f.nan();
      if (c.flush) { // a result within 1 ULP of the smallest normal may go either way
        if (c.f.isDenormal(want) && c.f.magnitude(want) < (1ull << c.f.mantissaBits) - 1)
          want = flushDenormal(c.f, want);
        if (c.f.isDenormal(want) ||
            steps(c.f, want, (want & c.f.sign()) | 1ull << c.f.mantissaBits) == 0)
          continue;
      }
      if (c.f.isNan(want) || c.f.isInf(want) || c.f.isZero(want)) {
        if (!(c.f.isInf(want) && !c.f.isInf(in) && !c.f.isZero(in))) {
          ASSERT_EQ(got, want) << std::hex << "x=" << x;
          continue;
        }
      }
      ASSERT_FALSE(c.f.isNan(got)) << std::hex << "x=" << x;
      ASSERT_LE(steps(c.f, got, want), c.ulps)
          << std::hex << "x=" << x << " got " << got << " want " << want;
    }
  }
}

Real rcp(Real x) { return 1 / x; }
Real rsq(Real x) { return x == 0 ? 1 / x : x < 0 ? (Real)NAN : 1 / std::sqrt(x); }
Real root(Real x) { return std::sqrt(x); }
Real log2Of(Real x) { return x == 0 ? -(Real)INFINITY : x < 0 ? (Real)NAN : std::log2(x); }
Real exp2Of(Real x) { return std::exp2(x); }
Real sine(Real x) {
  if (std::isinf(x))
    return NAN;
  if (std::fabs(x) > 256)
    return 0;
  // The whole turns go first: exact in long double.
  const Real r = x - std::rint(x);
  if (r == 0 || std::fabs(r) == 0.5L)
    return std::signbit(x) && x == 0 ? -0.0L : 0.0L;
  return std::sin(2 * kPi * r);
}
Real cosine(Real x) {
  if (std::isinf(x))
    return NAN;
  if (std::fabs(x) > 256)
    return 1;
  const Real r = std::fabs(x - std::rint(x));
  return r == 0.25L ? 0.0L : std::cos(2 * kPi * r);
}

TEST(ValuMath, Single) {
  for (const MathCase &c : {MathCase{Op::v_rcp_f32, kSingle, true, rcp, 0},
                            {Op::v_rcp_iflag_f32, kSingle, true, rcp, 0},
                            {Op::v_sqrt_f32, kSingle, true, root, 0},
                            {Op::v_rsq_f32, kSingle, true, rsq, 1},
                            {Op::v_exp_f32, kSingle, true, exp2Of, 1},
                            {Op::v_log_f32, kSingle, true, log2Of, 1},
                            {Op::v_exp_legacy_f32, kSingle, true, exp2Of, 1},
                            {Op::v_log_legacy_f32, kSingle, true, log2Of, 1}})
    checkMath(c);
}
TEST(ValuMath, Half) {
  for (const MathCase &c : {MathCase{Op::v_rcp_f16, kHalf, false, rcp, 0},
                            {Op::v_sqrt_f16, kHalf, false, root, 0},
                            {Op::v_rsq_f16, kHalf, false, rsq, 1},
                            {Op::v_exp_f16, kHalf, false, exp2Of, 1},
                            {Op::v_log_f16, kHalf, false, log2Of, 1}})
    checkMath(c);
}
TEST(ValuMath, Double) {
  for (const MathCase &c : {MathCase{Op::v_rcp_f64, kDouble, false, rcp, 1},
                            {Op::v_sqrt_f64, kDouble, false, root, 1},
                            {Op::v_rsq_f64, kDouble, false, rsq, 2}})
    checkMath(c);
}
/// Sine and cosine: zeros may carry either sign, so compare values near them absolutely.
TEST(ValuMath, SineCosine) {
  Machine m;
  for (auto [op, fn, half] : {std::tuple{Op::v_sin_f32, &sine, false},
                              {Op::v_cos_f32, &cosine, false},
                              {Op::v_sin_f16, &sine, true},
                              {Op::v_cos_f16, &cosine, true}}) {
    const Format f = half ? kHalf : kSingle;
    SCOPED_TRACE(nameOf(op));
    for (int round = 0; round < 1024; ++round) {
      for (unsigned l = 0; l < 64; ++l) {
        const uint64_t r = random64();
        const auto &edges = edgeValues('f');
        uint32_t x =
            round < 4 ? (uint32_t)edges[(unsigned)(round * 64 + l) % edges.size()] : (uint32_t)r;
        if (round & 1)
          x = (x & 0x807fffff) | (0x38000000 + (uint32_t)((r >> 40) % 18 << 23));
        if (half)
          x = (uint32_t)round * 64 + l;
        m.v(10).u[l] = x;
      }
      ASSERT_TRUE(m.run(make(op, Enc::VOP1, vgpr(4), {vgpr(10)})));
      for (unsigned l = 0; l < 64; ++l) {
        const uint64_t x = m.v(10).u[l], got = m.v(4).u[l];
        if (f.isNan(x)) {
          ASSERT_EQ(got, x | f.quietBit());
          continue;
        }
        const Real want = fn(valueOf(f, x));
        const uint64_t w = nearest(f, want);
        if (f.isNan(w)) { // V_SIN_F32(0x7f800000) => 0xffc00000, V_COS_F16(0x7c00) => 0xfe00
          ASSERT_EQ(got, f.sign() | f.nan());
          continue;
        }
        if (f.isZero(w)) {
          ASSERT_TRUE(f.isZero(got)) << std::hex << "x=" << x << " got " << got;
          if (f.isZero(x)) {
            ASSERT_EQ(got, w);
          }
          continue;
        }
        ASSERT_LE(steps(f, got, w), 1u) << std::hex << "x=" << x << " got " << got << " want " << w;
      }
    }
  }
}

/// "Full range input is supported" ("RDNA3" ISA, V_SIN_F32), where "Vega" ends at 256 turns.
TEST(ValuMath, SineCosineOfManyTurns) {
  struct Case {
    uint32_t x, sine, cosine;
  };
  for (const Case &c : {Case{0x3e800000, 0x3f800000, 0},      // 0.25, the manual's example
                        {0x4380a000, 0x3f800000, 0},          // 257.25
                        {0xc47a0800, 0xbf3504f3, 0x3f3504f3}, // -1000.125
                        {0xff7fffff, 0, 0x3f800000}})         // the manual's example
    for (Target target : {Target::gfx90a, Target::gfx1030, Target::gfx1100}) {
      const bool full = target != Target::gfx90a || (c.x & 0x7fffffff) < 0x43800000;
      Machine m;
      for (Op op : {Op::v_sin_f32, Op::v_cos_f32})
        for (Enc enc : {Enc::VOP1, Enc::VOP3})
          for (bool negate : {false, true}) {
            if (negate && enc == Enc::VOP1)
              continue;
            Inst in = make(op, enc, vgpr(4), {vgpr(10)});
            in.target = target;
            in.neg = negate;
            in.clamp = false;
            m.v(10).u[0] = negate ? c.x ^ 0x80000000 : c.x;
            ASSERT_TRUE(m.run(in, target));
            const bool isCos = op == Op::v_cos_f32;
            EXPECT_EQ(m.v(4).u[0], full    ? isCos ? c.cosine : c.sine
                                   : isCos ? 0x3f800000u
                                           : 0u)
                << std::hex << nameOf(op) << " of " << c.x;
          }
    }
}

/// 2/pi segments: shift and scale as the manual's pseudo-code, bits of 2/pi from a long division.
TEST(ValuMath, TrigPreop) {
  // pi from Machin's formula in base 2^32, then 2/pi bit by bit.
  constexpr int kWords = 44;         // fraction words
  using Big = std::vector<uint32_t>; // big endian: one integer word, then the fraction
  const auto divSmall = [](Big x, uint32_t d) {
    uint64_t rest = 0;
    for (uint32_t &w : x) {
      rest = rest << 32 | w;
      w = (uint32_t)(rest / d);
      rest %= d;
    }
    return x;
  };
  const auto isZero = [](const Big &x) {
    for (uint32_t w : x)
      if (w)
        return false;
    return true;
  };
  const auto addTo = [](Big &x, const Big &y, bool minus) {
    int64_t carry = 0;
    for (int k = (int)x.size() - 1; k >= 0; --k) {
      const int64_t s =
          (int64_t)x[(size_t)k] + (minus ? -(int64_t)y[(size_t)k] : (int64_t)y[(size_t)k]) + carry;
      x[(size_t)k] = (uint32_t)s;
      carry = s >> 32;
    }
  };
  const auto arctan = [&](uint32_t inv, uint32_t factor) {
    Big t(kWords + 1, 0), sum(kWords + 1, 0);
    t[0] = factor;
    t = divSmall(t, inv);
    for (uint32_t k = 1; !isZero(t); k += 2) {
      addTo(sum, divSmall(t, k), (k / 2) & 1);
      t = divSmall(divSmall(t, inv), inv);
    }
    return sum;
  };
  Big pi = arctan(5, 16);
  addTo(pi, arctan(239, 4), true);
  // Bits of 2/pi: shift-subtract division of 2 by pi.
  Big rest(kWords + 1, 0);
  rest[0] = 2;
  std::vector<bool> bits; // after the binary point
  const auto less = [](const Big &a, const Big &b) { return a < b; };
  for (int k = 0; k < 1201; ++k) {
    Big twice = rest;
    addTo(twice, rest, false);
    const bool one = !less(twice, pi);
    if (one)
      addTo(twice, pi, true);
    bits.push_back(one);
    rest = twice;
  }
  check({Op::v_trig_preop_f64, "d:du", [&](Lane &l) {
           const int e = (int)(l.a >> 52 & 2047);
           int shift = (int)(l.b & 31) * 53 + (e > 1077 ? e - 1077 : 0);
           Exact x;
           for (int k = 0; k < 53; ++k)
             x.m = x.m << 1 | (shift + k < 1201 && bits[(size_t)(shift + k)] ? 1 : 0);
           x.e = -53 - shift + (e >= 1968 ? 128 : 0);
           return round(kDouble, x, toNearest);
         }});
}

} // namespace
} // namespace meld::test
