// Division as the compiler emits it (div_scale, rcp, Newton steps, div_fmas, div_fixup) gives the
// correctly rounded quotient: the host's division is the oracle. This fixes the parts' meaning
// together.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>

namespace meld::test {
namespace {

using namespace softgpu;

struct Sequence {
  Machine m;
  void op(Op o, unsigned dst, std::vector<Operand> src, unsigned neg = 0, unsigned sdst = 0) {
    Inst i = make(o, Enc::VOP3, vgpr(dst, 1), std::move(src));
    i.neg = (uint8_t)neg;
    if (sdst)
      i.sdst = sgpr(sdst, 2);
    ASSERT_TRUE(m.run(i)) << nameOf(o);
  }
};

/// Numerators in v0, denominators in v2, quotients in v4. Registers in pairs for both widths.
void divide(Sequence &s, bool wide) {
  const unsigned d = wide ? 2 : 1;
  const auto v = [d](unsigned n) { return vgpr(n, d); };
  const Operand one = imm(wide ? 0x3ff0000000000000 : 0x3f800000);
  const Op scale = wide ? Op::v_div_scale_f64 : Op::v_div_scale_f32,
           fma = wide ? Op::v_fma_f64 : Op::v_fma_f32;
  s.op(scale, 10, {v(2), v(2), v(0)}, 0, 20);  // denominator
  s.op(scale, 12, {v(0), v(2), v(0)}, 0, 106); // numerator; vcc for fmas
  s.op(wide ? Op::v_rcp_f64 : Op::v_rcp_f32, 14, {v(10)});
  s.op(fma, 16, {v(10), v(14), one}, 1); // e = 1 - d r
  s.op(fma, 14, {v(16), v(14), v(14)});  // r += e r
  if (wide) {
    s.op(fma, 16, {v(10), v(14), one}, 1);
    s.op(fma, 14, {v(16), v(14), v(14)});
    s.op(Op::v_mul_f64, 18, {v(12), v(14)}); // q
    s.op(fma, 16, {v(10), v(18), v(12)}, 1); // n - d q
  } else {
    s.op(Op::v_mul_f32, 18, {v(12), v(14)});
    s.op(fma, 16, {v(10), v(18), v(12)}, 1);
    s.op(fma, 18, {v(16), v(14), v(18)});
    s.op(fma, 16, {v(10), v(18), v(12)}, 1);
  }
  s.op(wide ? Op::v_div_fmas_f64 : Op::v_div_fmas_f32, 22, {v(16), v(14), v(18)});
  s.op(wide ? Op::v_div_fixup_f64 : Op::v_div_fixup_f32, 4, {v(22), v(2), v(0)});
}

template <class F, class B> void run(bool wide, const Format &f, const char type) {
  Sequence s;
  const auto &edges = edgeValues(type);
  unsigned denormalResults = 0;
  for (int round = 0; round < 3000; ++round) {
    B a[64], b[64];
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t r = random64();
      a[l] = (B)(r & 1 ? edges[(r >> 8) % edges.size()] : random64());
      b[l] = (B)(r & 2 ? edges[(r >> 24) % edges.size()] : random64());
      s.m.v(0).u[l] = (uint32_t)a[l];
      s.m.v(2).u[l] = (uint32_t)b[l];
      s.m.v(1).u[l] = (uint32_t)((uint64_t)a[l] >> 32);
      s.m.v(3).u[l] = (uint32_t)((uint64_t)b[l] >> 32);
    }
    divide(s, wide);
    for (unsigned l = 0; l < 64; ++l) {
      const B want = std::bit_cast<B>(std::bit_cast<F>(a[l]) / std::bit_cast<F>(b[l]));
      uint64_t got = s.m.v(4).u[l];
      if (wide)
        got |= (uint64_t)s.m.v(5).u[l] << 32;
      if (f.isNan(want)) {
        ASSERT_TRUE(f.isNan(got)) << std::hex << (uint64_t)a[l] << " / " << (uint64_t)b[l]
                                  << " gives " << got;
        continue;
      }
      denormalResults += f.isDenormal(want); // these round once, like all others
      ASSERT_EQ(got, want) << std::hex << (uint64_t)a[l] << " / " << (uint64_t)b[l];
    }
  }
  EXPECT_GT(denormalResults, 100u);
}

TEST(ValuDivide, Single) { run<float, uint32_t>(false, kSingle, 'f'); }
TEST(ValuDivide, Double) { run<double, uint64_t>(true, kDouble, 'd'); }

/// div_scale by itself: the manual's conditions, tested on exponents.
TEST(ValuDivide, ScaleFlags) {
  const auto reference = [](Lane &l) -> uint64_t {
    const Format f = kSingle;
    const uint64_t s0 = l.a, s1 = l.b, s2 = l.c;
    const auto exponent = [&](uint64_t x) { return (int)(x >> 23 & 255); };
    const auto scaled = [&](int by) -> uint64_t {
      if (f.isNan(s0))
        return s0 | f.quietBit();
      if (f.isInf(s0) || f.isZero(s0))
        return s0;
      Exact e = unpack(f, s0);
      e.e += by;
      return round(f, e, toNearest);
    };
    if (f.isZero(s1) || f.isZero(s2))
      return f.nan();
    if (exponent(s2) - exponent(s1) >= 96) {
      l.carry = true;
      return s0 == s1 ? scaled(64) : s0;
    }
    if (f.isDenormal(s1))
      return scaled(64);
    const auto denormalQuotient = [&](float x, uint64_t y) {
      if (f.isNan(y) || f.isInf(y))
        return false;
      const float q = x / std::bit_cast<float>((uint32_t)y);
      return q == q && q != 0 && std::bit_cast<uint32_t>(q) << 1 >> 24 == 0;
    };
    const bool finite2 = !f.isNan(s2) && !f.isInf(s2);
    const bool reciprocal = finite2 && denormalQuotient(1.0f, s1);
    const bool quotient = finite2 && denormalQuotient(std::bit_cast<float>((uint32_t)s2), s1);
    if (reciprocal && quotient) {
      l.carry = true;
      return s0 == s1 ? scaled(-64) : s0;
    }
    if (reciprocal)
      return scaled(-64);
    if (quotient) {
      l.carry = true;
      return s0 == s2 ? scaled(64) : s0;
    }
    if (exponent(s2) <= 23)
      return scaled(64);
    return s0;
  };
  check({Op::v_div_scale_f32, "f+:fff", reference});
}

TEST(ValuDivide, FixupSpecials) {
  const auto fixup = [](Format f, int underflow, uint64_t invalid) {
    return [=](Lane &l) -> uint64_t {
      const uint64_t q = l.a, d = l.b, n = l.c, sign = (d ^ n) & f.sign();
      if (f.isNan(n))
        return n | f.quietBit();
      if (f.isNan(d))
        return d | f.quietBit();
      if ((f.isZero(d) && f.isZero(n)) || (f.isInf(d) && f.isInf(n)))
        return invalid;
      if (f.isZero(d) || f.isInf(n))
        return sign | f.infinity();
      if (f.isInf(d) || f.isZero(n))
        return sign;
      const int e =
          (int)(f.magnitude(n) >> f.mantissaBits) - (int)(f.magnitude(d) >> f.mantissaBits);
      if (e < underflow)
        return sign;
      return sign | (f.isNan(q) ? f.infinity() : f.magnitude(q));
    };
  };
  check({Op::v_div_fixup_f32, "f:fff", fixup(kSingle, -150, 0xffc00000)});
  check({Op::v_div_fixup_f64, "d:ddd", fixup(kDouble, -1075, 0xfff8000000000000)});
  check({Op::v_div_fixup_f16, "h:hhh", fixup(kHalf, -1000, 0xfe00), Enc::VOP3, true});
  check({Op::v_div_fixup_legacy_f16, "h:hhh", fixup(kHalf, -1000, 0xfe00)});
}

} // namespace
} // namespace meld::test
