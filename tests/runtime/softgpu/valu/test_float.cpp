// Float arithmetic in f16, f32, f64: all rounding modes and denormal settings against exact integer
// arithmetic (softfloat.h).
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace meld::test {
namespace {

using namespace softgpu;

struct FloatKind {
  Format f;
  bool isSingle;
  Rounding rounding(const Lane &l) const {
    return (Rounding)(isSingle ? l.rounding32() : l.rounding64());
  }
  uint64_t in(const Lane &l, uint64_t x) const {
    x &= f.sign() * 2 - 1;
    return l.mode & (isSingle ? 0x10 : 0x40) ? x : flushDenormal(f, x);
  }
  uint64_t out(const Lane &l, uint64_t x) const {
    return l.mode & (isSingle ? 0x20 : 0x80) ? x : flushDenormal(f, x);
  }
};
constexpr FloatKind single{kSingle, true}, half{kHalf, false}, dbl{kDouble, false};

enum What { kAdd, kSub, kSubRev, kMul, kFma };
Reference arithmetic(FloatKind k, What what) {
  return [=](Lane &l) {
    const uint64_t a = k.in(l, l.a), b = k.in(l, l.b), c = k.in(l, l.c);
    const Rounding r = k.rounding(l);
    const Format f = k.f;
    const auto negated = [&](uint64_t x) { return f.isNan(x) ? x : x ^ f.sign(); };
    switch (what) {
    case kAdd:
      return k.out(l, addExact(f, a, b, r));
    case kSub:
      return k.out(l, addExact(f, a, negated(b), r));
    case kSubRev:
      return k.out(l, f.isNan(a) ? a | f.quietBit() : addExact(f, b, negated(a), r));
    case kMul:
      return k.out(l, mulExact(f, a, b, r));
    default:
      return k.out(l, fmaExact(f, a, b, c, r));
    }
  };
}
/// Two roundings, denormals flushed at every step.
Reference mad(FloatKind k) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t all = f.sign() * 2 - 1;
    const uint64_t a = flushDenormal(f, l.a & all), b = flushDenormal(f, l.b & all),
                   c = flushDenormal(f, l.c & all);
    for (uint64_t x : {a, b, c})
      if (f.isNan(x))
        return x | f.quietBit();
    const Rounding r = k.rounding(l);
    const uint64_t p = flushDenormal(f, mulExact(f, a, b, r));
    return flushDenormal(f, addExact(f, p, c, r));
  };
}

std::vector<uint32_t> modes() {
  std::vector<uint32_t> all;
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t d = 0; d < 4; ++d)
      all.push_back((kDefaultMode & ~0xffu) | r | r << 2 | d << 4 | d << 6);
  return all;
}

TEST(ValuFloat, Single) {
  for (uint32_t mode : modes()) {
    for (auto [op, what] : {std::pair{Op::v_add_f32, kAdd},
                            {Op::v_sub_f32, kSub},
                            {Op::v_subrev_f32, kSubRev},
                            {Op::v_mul_f32, kMul}})
      check({op, "f:ff", arithmetic(single, what), Enc::VOP2, false, mode});
    check({Op::v_fma_f32, "f:fff", arithmetic(single, kFma), Enc::VOP3, false, mode});
    check({Op::v_fmac_f32, "f:ff", arithmetic(single, kFma), Enc::VOP2, false, mode});
    check({Op::v_mad_f32, "f:fff", mad(single), Enc::VOP3, false, mode});
    check({Op::v_mac_f32, "f:ff", mad(single), Enc::VOP2, false, mode, {}, Target::gfx900});
  }
  check(
      {Op::v_madmk_f32, "f:fff", mad(single), Enc::VOP2, false, kDefaultMode, {}, Target::gfx900});
  check(
      {Op::v_madak_f32, "f:fff", mad(single), Enc::VOP2, false, kDefaultMode, {}, Target::gfx900});
}

TEST(ValuFloat, Double) {
  for (uint32_t mode : modes()) {
    check({Op::v_add_f64, "d:dd", arithmetic(dbl, kAdd), Enc::VOP3, false, mode});
    check({Op::v_mul_f64, "d:dd", arithmetic(dbl, kMul), Enc::VOP3, false, mode});
    check({Op::v_fma_f64, "d:ddd", arithmetic(dbl, kFma), Enc::VOP3, false, mode});
  }
  check({Op::v_fmac_f64, "d:dd", arithmetic(dbl, kFma), Enc::VOP2});
}

TEST(ValuFloat, Half) {
  for (uint32_t mode : modes()) {
    for (auto [op, what] : {std::pair{Op::v_add_f16, kAdd},
                            {Op::v_sub_f16, kSub},
                            {Op::v_subrev_f16, kSubRev},
                            {Op::v_mul_f16, kMul}})
      check({op, "h:hh", arithmetic(half, what), Enc::VOP2, false, mode});
    check({Op::v_fma_f16, "h:hhh", arithmetic(half, kFma), Enc::VOP3, true, mode});
    check({Op::v_mad_f16, "h:hhh", mad(half), Enc::VOP3, true, mode});
    check({Op::v_mac_f16, "h:hh", mad(half), Enc::VOP2, true, mode});
  }
  check({Op::v_fma_legacy_f16, "h:hhh", arithmetic(half, kFma)});
  check({Op::v_mad_legacy_f16, "h:hhh", mad(half)});
  check({Op::v_madmk_f16, "h:hhh", mad(half), Enc::VOP2, true});
  check({Op::v_madak_f16, "h:hhh", mad(half), Enc::VOP2, true});
}

/// MODE.FP16_OVFL (LLVM's "User Guide for AMDGPU Backend", compute_pgm_rsrc1): with it, what is too
/// large is the largest number, but not where an operand is infinite or a division is by 0.
TEST(ValuFloat, HalvesThatAreTooLarge) {
  const auto limited = [](uint64_t r, std::initializer_list<uint64_t> operands) {
    for (uint64_t x : operands)
      if (kHalf.isInf(x & 0xffff))
        return r;
    return kHalf.isInf(r & 0xffff) ? r - 1 : r;
  };
  for (uint32_t rounding : {0u, 1u, 2u, 3u}) {
    const uint32_t mode = kDefaultMode | Mode::fp16Ovfl | rounding << 2;
    for (auto [op, what] :
         {std::pair{Op::v_add_f16, kAdd}, {Op::v_sub_f16, kSub}, {Op::v_mul_f16, kMul}})
      for (Enc enc : {Enc::VOP2, Enc::VOP3})
        check({op, "h:hh",
               [=, f = arithmetic(half, what)](Lane &l) {
                 return limited(f(l), {l.a, l.b});
               },
               enc, false, mode});
    check({Op::v_fma_f16, "h:hhh",
           [=, f = arithmetic(half, kFma)](Lane &l) {
             return limited(f(l), {l.a, l.b, l.c});
           },
           Enc::VOP3, true, mode});
    check({Op::v_cvt_f16_f32, "h:f",
           [=](Lane &l) {
             const uint64_t r = convert(kSingle, kHalf, l.a, (Rounding)rounding);
             return kSingle.isInf(l.a) ? r : limited(r, {});
           },
           Enc::VOP1, false, mode});
    check({Op::v_cvt_f16_u16, "h:s",
           [=](Lane &l) {
             return limited(fromInteger(kHalf, (int64_t)(l.a & 0xffff), (Rounding)rounding), {});
           },
           Enc::VOP1, false, mode});
  }
  // The reciprocal of 2^-24 is too large, of 0 infinite.
  Machine m;
  m.wave.mode = kDefaultMode | Mode::fp16Ovfl;
  m.v(10).u[0] = 0x8001;
  m.v(10).u[1] = 0x8000;
  m.v(10).u[2] = 0xfc00;
  ASSERT_TRUE(m.run(make(Op::v_rcp_f16, Enc::VOP1, vgpr(4), {vgpr(10)})));
  EXPECT_EQ(m.v(4).u[0], 0xfbffu);
  EXPECT_EQ(m.v(4).u[1], 0xfc00u);
  EXPECT_EQ(m.v(4).u[2], 0x8000u);
}

/// Every pair of halves for a slice of first operands: products and sums are exhaustive over
/// seconds.
TEST(ValuFloat, HalfFmaNearTies) {
  Machine m;
  const FloatKind k = half;
  for (int n = 0; n < 4000; ++n) {
    for (unsigned l = 0; l < 64; ++l) {
      // Products whose low bits sit on rounding boundaries, tiny addends.
      m.v(10).u[l] = 0x3c00 | (random64() & 0x3ff) | (random64() & 7) << 10;
      m.v(11).u[l] = 0x3c00 | (random64() & 0x3ff);
      m.v(12).u[l] = random64() & 0x83ff;
    }
    const Inst i = make(Op::v_fma_f16, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11), vgpr(12)});
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t want = fmaExact(k.f, m.v(10).u[l], m.v(11).u[l], m.v(12).u[l], toNearest);
      ASSERT_EQ(m.v(4).u[l] & 0xffff, want);
    }
  }
}

/// Minimum and maximum: numbers win over NaN, in IEEE mode sNaN wins and is quieted; -0 < +0.
Reference minMax(FloatKind k, bool wantMax, int sources) {
  return [=](Lane &l) {
    const Format f = k.f;
    const bool ieee = l.mode & Mode::ieee;
    const auto pick = [&](uint64_t a, uint64_t b) {
      const auto signalling = [&](uint64_t x) { return f.isNan(x) && !(x & f.quietBit()); };
      if (ieee && signalling(a))
        return a | f.quietBit();
      if (ieee && signalling(b))
        return b | f.quietBit();
      if (f.isNan(a))
        return f.isNan(b) ? b | f.quietBit() : b;
      if (f.isNan(b))
        return a;
      // Sign-magnitude order as integers; -0 comes just below +0.
      const auto key = [&](uint64_t x) {
        return x & f.sign() ? -(int64_t)f.magnitude(x) - 1 : (int64_t)f.magnitude(x);
      };
      return (key(a) < key(b)) != wantMax ? a : b;
    };
    uint64_t r = pick(k.in(l, l.a), k.in(l, l.b));
    if (sources == 3)
      r = pick(r, k.in(l, l.c));
    return k.out(l, r);
  };
}
Reference median(FloatKind k) {
  return [=](Lane &l) {
    const Format f = k.f;
    uint64_t x[3] = {k.in(l, l.a), k.in(l, l.b), k.in(l, l.c)};
    if (f.isNan(x[0]) || f.isNan(x[1]) || f.isNan(x[2]))
      return minMax(k, false, 3)(l);
    const auto key = [&](uint64_t y) {
      return y & f.sign() ? -(int64_t)f.magnitude(y) - 1 : (int64_t)f.magnitude(y);
    };
    std::sort(x, x + 3, [&](uint64_t a, uint64_t b) { return key(a) < key(b); });
    return k.out(l, x[1]);
  };
}

TEST(ValuFloat, MinMax) {
  for (uint32_t mode :
       {kDefaultMode, kDefaultMode & ~uint32_t(Mode::ieee), kDefaultMode & ~0xf0u}) {
    check({Op::v_min_f32, "f:ff", minMax(single, false, 2), Enc::VOP2, false, mode});
    check({Op::v_max_f32, "f:ff", minMax(single, true, 2), Enc::VOP2, false, mode});
    check({Op::v_min_f64, "d:dd", minMax(dbl, false, 2), Enc::VOP3, false, mode});
    check({Op::v_max_f64, "d:dd", minMax(dbl, true, 2), Enc::VOP3, false, mode});
    check({Op::v_min_f16, "h:hh", minMax(half, false, 2), Enc::VOP2, false, mode});
    check({Op::v_max_f16, "h:hh", minMax(half, true, 2), Enc::VOP2, false, mode});
    check({Op::v_min3_f32, "f:fff", minMax(single, false, 3), Enc::VOP3, false, mode});
    check({Op::v_max3_f32, "f:fff", minMax(single, true, 3), Enc::VOP3, false, mode});
    check({Op::v_min3_f16, "h:hhh", minMax(half, false, 3), Enc::VOP3, true, mode});
    check({Op::v_max3_f16, "h:hhh", minMax(half, true, 3), Enc::VOP3, true, mode});
    check({Op::v_med3_f32, "f:fff", median(single), Enc::VOP3, false, mode});
    check({Op::v_med3_f16, "h:hhh", median(half), Enc::VOP3, true, mode});
  }
}

/// Products by zero are +0 whatever the other factor.
TEST(ValuFloat, Legacy) {
  const auto product = [](Lane &l) {
    const uint64_t a = l.a, b = l.b;
    return kSingle.isZero(a) || kSingle.isZero(b) ? 0 : mulExact(kSingle, a, b, toNearest);
  };
  check(
      {Op::v_mul_legacy_f32, "f:ff", product, Enc::VOP2, false, kDefaultMode, {}, Target::gfx900});
  check({Op::v_mad_legacy_f32,
         "f:fff",
         [](Lane &l) {
           const uint64_t a = flushDenormal(kSingle, l.a), b = flushDenormal(kSingle, l.b),
                          c = flushDenormal(kSingle, l.c);
           const uint64_t p = kSingle.isZero(a) || kSingle.isZero(b)
                                  ? 0
                                  : flushDenormal(kSingle, mulExact(kSingle, a, b, toNearest));
           return flushDenormal(kSingle, addExact(kSingle, p, c, toNearest));
         },
         Enc::VOP3,
         false,
         kDefaultMode,
         {},
         Target::gfx900});
}

enum Direction { kTrunc, kCeil, kFloor, kNearestEven };
/// Rounds to an integral value by clearing fraction bits.
Reference integral(FloatKind k, Direction d) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t x = k.in(l, l.a);
    if (f.isNan(x))
      return x | f.quietBit();
    const int e = (int)(f.magnitude(x) >> f.mantissaBits) - f.bias();
    if (e >= f.mantissaBits)
      return x;
    const bool negative = x & f.sign();
    const uint64_t one = (uint64_t)f.bias() << f.mantissaBits, sign = x & f.sign();
    const uint64_t fraction = e < 0 ? f.magnitude(x) : x & ((1ull << (f.mantissaBits - e)) - 1);
    if (f.isZero(x) || !fraction)
      return x;
    uint64_t low = e < 0 ? 0 : f.magnitude(x) - fraction; // towards zero
    const uint64_t high = e < 0 ? one : low + (1ull << (f.mantissaBits - e));
    bool away = false;
    if (d == kCeil)
      away = !negative;
    if (d == kFloor)
      away = negative;
    if (d == kNearestEven) {
      if (e < -1) {
        away = false;
      } else if (e == -1) {
        away = (x & ((1ull << f.mantissaBits) - 1)) != 0; // exactly 1/2 goes to 0
      } else {
        const uint64_t halfUlp = 1ull << (f.mantissaBits - e - 1);
        const bool odd = e == 0 ? true : low >> (f.mantissaBits - e) & 1;
        away = fraction > halfUlp || (fraction == halfUlp && odd);
      }
    }
    return sign | (away ? high : low);
  };
}
TEST(ValuFloat, ToIntegral) {
  const Op ops[3][4] = {{Op::v_trunc_f32, Op::v_ceil_f32, Op::v_floor_f32, Op::v_rndne_f32},
                        {Op::v_trunc_f64, Op::v_ceil_f64, Op::v_floor_f64, Op::v_rndne_f64},
                        {Op::v_trunc_f16, Op::v_ceil_f16, Op::v_floor_f16, Op::v_rndne_f16}};
  for (Direction d : {kTrunc, kCeil, kFloor, kNearestEven}) {
    check({ops[0][d], "f:f", integral(single, d), Enc::VOP1});
    check({ops[1][d], "d:d", integral(dbl, d), Enc::VOP1});
    check({ops[2][d], "h:h", integral(half, d), Enc::VOP1});
  }
}

Reference fraction(FloatKind k) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t x = k.in(l, l.a);
    if (f.isNan(x))
      return x | f.quietBit();
    if (f.isInf(x))
      return f.nan();
    Lane copy = l;
    const uint64_t whole = integral(k, kFloor)(copy);
    const uint64_t r = addExact(f, x, whole ^ f.sign(), k.rounding(l));
    const uint64_t one = (uint64_t)f.bias() << f.mantissaBits;
    return r == one ? one - 1 : r;
  };
}
TEST(ValuFloat, Fract) {
  check({Op::v_fract_f32, "f:f", fraction(single), Enc::VOP1});
  check({Op::v_fract_f64, "d:d", fraction(dbl), Enc::VOP1});
  check({Op::v_fract_f16, "h:h", fraction(half), Enc::VOP1});
}

Reference scale(FloatKind k, bool shortExponent) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t x = k.in(l, l.a);
    if (f.isNan(x))
      return x | f.quietBit();
    if (f.isInf(x) || f.isZero(x))
      return x;
    int e = shortExponent ? (int16_t)l.b : (int32_t)l.b;
    e = e > 9000 ? 9000 : e < -9000 ? -9000 : e;
    Exact v = unpack(f, x);
    v.e += e;
    return k.out(l, round(f, v, k.rounding(l)));
  };
}
Reference mantissa(FloatKind k) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t x = k.in(l, l.a);
    if (f.isNan(x))
      return x | f.quietBit();
    if (f.isInf(x) || f.isZero(x))
      return x;
    Exact v = unpack(f, x);
    int top = 63 - __builtin_clzll((uint64_t)v.m);
    v.e = -1 - top; // in [1/2, 1)
    return round(f, v, toNearest);
  };
}
Reference exponent(FloatKind k, uint64_t mask) {
  return [=](Lane &l) {
    const Format f = k.f;
    const uint64_t x = k.in(l, l.a);
    if (f.isNan(x) || f.isInf(x) || f.isZero(x))
      return uint64_t(0);
    const Exact v = unpack(f, x);
    return (uint64_t)(int64_t)(64 - __builtin_clzll((uint64_t)v.m) + v.e) & mask;
  };
}
TEST(ValuFloat, Scaling) {
  for (uint32_t mode : {kDefaultMode, kDefaultMode | 5, kDefaultMode | 10, kDefaultMode | 15,
                        kDefaultMode & ~0xf0u}) {
    check({Op::v_ldexp_f32, "f:fu", scale(single, false), Enc::VOP3, false, mode});
    check({Op::v_ldexp_f64, "d:du", scale(dbl, false), Enc::VOP3, false, mode});
    check({Op::v_ldexp_f16, "h:hs", scale(half, true), Enc::VOP2, false, mode});
  }
  check({Op::v_frexp_mant_f32, "f:f", mantissa(single), Enc::VOP1});
  check({Op::v_frexp_mant_f64, "d:d", mantissa(dbl), Enc::VOP1});
  check({Op::v_frexp_mant_f16, "h:h", mantissa(half), Enc::VOP1});
  check({Op::v_frexp_exp_i32_f32, "u:f", exponent(single, 0xffffffff), Enc::VOP1});
  check({Op::v_frexp_exp_i32_f64, "u:d", exponent(dbl, 0xffffffff), Enc::VOP1});
  check({Op::v_frexp_exp_i16_f16, "s:h", exponent(half, 0xffff), Enc::VOP1});
}

} // namespace
} // namespace meld::test
