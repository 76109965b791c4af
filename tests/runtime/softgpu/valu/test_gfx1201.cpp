// What the vector ALU of gfx1201 has beyond gfx1100's, in waves of 32 and of 64 lanes: minima and
// maxima that know no mode, 8-bit floats, permutations by a register, and the scalar unit's floats,
// which it computes. References follow the pseudocode of the "RDNA4" ISA. What it has in common
// with others is checked there, see check().
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr uint32_t kMode = 0xf0 | Mode::dx10Clamp; ///< as a launch sets it: there is no IEEE mode

class ValuGfx1201 : public testing::TestWithParam<Target> {
protected:
  const Target target = GetParam();
  const unsigned lanes = isa::traitsOf(target).waveSize;

  void checkHere(Op op, const char *types, Reference reference, Enc enc = Enc::VOP3,
                 std::function<void(Inst &)> adjust = {}) {
    check({op, types, std::move(reference), enc, false, kMode, std::move(adjust), target});
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, ValuGfx1201, testing::Values(Target::gfx1201, Target::gfx1201w64),
                         [](auto &i) { return i.param == Target::gfx1201 ? "Of32" : "Of64"; });

bool signals(Format f, uint64_t x) { return f.isNan(x) && !(x & f.quietBit()); }
/// Numbers in order, -0 below +0.
int64_t place(Format f, uint64_t x) {
  const int64_t magnitude = int64_t(f.magnitude(x));
  return x & f.sign() ? ~magnitude : magnitude;
}
uint64_t extreme(Format f, uint64_t a, uint64_t b, bool least) {
  return (place(f, a) < place(f, b)) == least ? a : b;
}
/// V_MIN_NUM, V_MAX_NUM.
uint64_t number(Format f, uint64_t a, uint64_t b, bool least) {
  if (f.isNan(a) && f.isNan(b))
    return a | f.quietBit();
  return f.isNan(a) ? b : f.isNan(b) ? a : extreme(f, a, b, least);
}
/// V_MINIMUM, V_MAXIMUM.
uint64_t strict(Format f, uint64_t a, uint64_t b, bool least) {
  if (signals(f, a) || (f.isNan(a) && !signals(f, b)))
    return a | f.quietBit();
  return f.isNan(b) ? b | f.quietBit() : extreme(f, a, b, least);
}
uint64_t median(Format f, uint64_t a, uint64_t b, uint64_t c) {
  if (f.isNan(a) || f.isNan(b) || f.isNan(c))
    return number(f, number(f, a, b, true), c, true);
  const uint64_t most = number(f, number(f, a, b, false), c, false);
  return most == a   ? number(f, b, c, false)
         : most == b ? number(f, a, c, false)
                     : number(f, a, b, false);
}

using Two = uint64_t (*)(Format, uint64_t, uint64_t, bool);

TEST_P(ValuGfx1201, OfTwo) {
  struct Case {
    Op op;
    Format format;
    Two function;
    bool least, vop2;
  };
  const Case cases[] = {
      {Op::v_min_num_f32, kSingle, number, true, true},
      {Op::v_max_num_f32, kSingle, number, false, true},
      {Op::v_min_num_f64, kDouble, number, true, true},
      {Op::v_max_num_f64, kDouble, number, false, true},
      {Op::v_min_num_f16, kHalf, number, true, true},
      {Op::v_max_num_f16, kHalf, number, false, true},
      {Op::v_minimum_f32, kSingle, strict, true, false},
      {Op::v_maximum_f32, kSingle, strict, false, false},
      {Op::v_minimum_f64, kDouble, strict, true, false},
      {Op::v_maximum_f64, kDouble, strict, false, false},
      {Op::v_minimum_f16, kHalf, strict, true, false},
      {Op::v_maximum_f16, kHalf, strict, false, false},
  };
  for (const Case &c : cases) {
    const char *types = c.format.mantissaBits == 23   ? "f:ff"
                        : c.format.mantissaBits == 52 ? "d:dd"
                                                      : "h:hh";
    const auto reference = [&](Lane &l) { return c.function(c.format, l.a, l.b, c.least); };
    checkHere(c.op, types, reference);
    if (c.vop2)
      checkHere(c.op, types, reference, Enc::VOP2);
  }
}

TEST_P(ValuGfx1201, OfThree) {
  const auto checkThen = [&](Op op32, Op op16, Two f, bool firstLeast, bool thenLeast) {
    checkHere(op32, "f:fff", [&](Lane &l) {
      return f(kSingle, f(kSingle, l.a, l.b, firstLeast), l.c, thenLeast);
    });
    checkHere(op16, "h:hhh",
              [&](Lane &l) { return f(kHalf, f(kHalf, l.a, l.b, firstLeast), l.c, thenLeast); });
  };
  checkThen(Op::v_min3_num_f32, Op::v_min3_num_f16, number, true, true);
  checkThen(Op::v_max3_num_f32, Op::v_max3_num_f16, number, false, false);
  checkThen(Op::v_minmax_num_f32, Op::v_minmax_num_f16, number, true, false);
  checkThen(Op::v_maxmin_num_f32, Op::v_maxmin_num_f16, number, false, true);
  checkThen(Op::v_minimum3_f32, Op::v_minimum3_f16, strict, true, true);
  checkThen(Op::v_maximum3_f32, Op::v_maximum3_f16, strict, false, false);
  checkThen(Op::v_minimummaximum_f32, Op::v_minimummaximum_f16, strict, true, false);
  checkThen(Op::v_maximumminimum_f32, Op::v_maximumminimum_f16, strict, false, true);
  checkHere(Op::v_med3_num_f32, "f:fff", [](Lane &l) { return median(kSingle, l.a, l.b, l.c); });
  checkHere(Op::v_med3_num_f16, "h:hhh", [](Lane &l) { return median(kHalf, l.a, l.b, l.c); });
}

/// With denormals on, too; what is scaled has none, and no -0.
TEST_P(ValuGfx1201, OutputScale) {
  struct Case {
    Op op;
    const char *types;
    Format format;
    uint64_t factors[3];
  };
  const Case cases[] = {
      {Op::v_mul_f32, "f:ff", kSingle, {0x40000000, 0x40800000, 0x3f000000}},
      {Op::v_mul_f16, "h:hh", kHalf, {0x4000, 0x4400, 0x3800}},
      {Op::v_mul_f64, "d:dd", kDouble, {0x4000ull << 48, 0x4010ull << 48, 0x3fe0ull << 48}}};
  for (const Case &c : cases)
    for (unsigned omod = 1; omod < 4; ++omod)
      checkHere(
          c.op, c.types,
          [=](Lane &l) {
            const uint64_t p = mulExact(c.format, l.a, l.b, toNearest);
            const uint64_t r =
                flushDenormal(c.format, mulExact(c.format, p, c.factors[omod - 1], toNearest));
            return c.format.isZero(r) ? 0 : r;
          },
          Enc::VOP3, [=](Inst &i) { i.omod = uint8_t(omod); });
}

TEST_P(ValuGfx1201, Packed) {
  const auto &values = edgeValues('h');
  struct Case {
    Op op;
    Two function;
    bool least;
  };
  for (const Case &c :
       {Case{Op::v_pk_min_num_f16, number, true}, Case{Op::v_pk_max_num_f16, number, false},
        Case{Op::v_pk_minimum_f16, strict, true}, Case{Op::v_pk_maximum_f16, strict, false}})
    for (unsigned round = 0; round < 20; ++round) {
      Machine m;
      m.wave.mode = kMode;
      const auto any = [&] { return uint32_t(values[random64() % values.size()] & 0xffff); };
      for (unsigned l = 0; l < 64; ++l) {
        m.v(1).u[l] = any() | any() << 16;
        m.v(2).u[l] = any() | any() << 16;
      }
      Inst in = make(c.op, Enc::VOP3P, vgpr(3), {vgpr(1), vgpr(2)});
      in.opSelHi = 3;
      m.wave.exec() = lanes == 64 ? ~0ull : 0xffffffff;
      ASSERT_TRUE(m.run(in, target));
      for (unsigned l = 0; l < lanes; ++l) {
        const uint32_t a = m.v(1).u[l], b = m.v(2).u[l];
        const uint64_t low = c.function(kHalf, a & 0xffff, b & 0xffff, c.least),
                       high = c.function(kHalf, a >> 16, b >> 16, c.least);
        ASSERT_EQ(m.v(3).u[l], uint32_t(low | high << 16))
            << nameOf(c.op) << std::hex << " " << a << " " << b;
      }
    }
}

/// A code of the Open Compute Project's formats with so many bits of mantissa, 3 or 2.
float decoded(unsigned code, unsigned mantissaBits) {
  const unsigned exponent = code >> mantissaBits & (mantissaBits == 3 ? 15 : 31),
                 mantissa = code & ((1u << mantissaBits) - 1);
  const int bias = mantissaBits == 3 ? 7 : 15;
  float x = std::ldexp(float(exponent ? mantissa | 1u << mantissaBits : mantissa),
                       int(exponent ? exponent : 1) - bias - int(mantissaBits));
  if (mantissaBits == 3 && (code & 0x7f) == 0x7f)
    x = std::bit_cast<float>(0x7fc00000u);
  if (mantissaBits == 2 && exponent == 31)
    x = std::bit_cast<float>(mantissa ? 0x7fc00000u : 0x7f800000u);
  return code & 0x80 ? -x : x;
}
uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }

TEST_P(ValuGfx1201, WidenedBytes) {
  for (unsigned mantissa : {3u, 2u}) {
    const Op one = mantissa == 3 ? Op::v_cvt_f32_fp8 : Op::v_cvt_f32_bf8,
             two = mantissa == 3 ? Op::v_cvt_pk_f32_fp8 : Op::v_cvt_pk_f32_bf8;
    for (unsigned opSel = 0; opSel < 4; ++opSel) {
      Machine m;
      m.fill(7);
      m.wave.exec() = lanes == 64 ? ~0ull : 0xffffffff;
      Inst in = make(one, Enc::VOP3, vgpr(4), {vgpr(1)});
      in.opSel = uint8_t(opSel);
      ASSERT_TRUE(m.run(in, target));
      in = make(two, Enc::VOP3, vgpr(6, 2), {vgpr(1)});
      in.opSel = uint8_t(opSel & 1);
      ASSERT_TRUE(m.run(in, target));
      // "Byte select bits are reversed."
      const unsigned byte = (opSel & 1) * 2 + opSel / 2;
      for (unsigned l = 0; l < lanes; ++l) {
        const auto at = [&](unsigned k) {
          return bitsOf(decoded(m.v(1).u[l] >> (8 * k) & 0xff, mantissa));
        };
        ASSERT_EQ(m.v(4).u[l], at(byte)) << "byte " << byte;
        ASSERT_EQ(m.v(6).u[l], at(2 * (opSel & 1)));
        ASSERT_EQ(m.v(7).u[l], at(2 * (opSel & 1) + 1));
      }
    }
  }
}

TEST_P(ValuGfx1201, DotsOfBytes) {
  const auto checkDot = [&](Op op, unsigned a, unsigned b) {
    const auto reference = [a, b](Lane &l) {
      uint64_t sum = l.c;
      for (unsigned k = 0; k < 4; ++k)
        sum = fmaExact(kSingle, bitsOf(decoded(l.a >> (8 * k) & 0xff, a)),
                       bitsOf(decoded(l.b >> (8 * k) & 0xff, b)), sum, toNearest);
      return sum;
    };
    checkHere(op, "f:uuf", reference, Enc::VOP3P);
    checkHere(
        op, "f:uuf",
        [&](Lane &l) {
          l.c = (l.c & 0x7fffffff) ^ 0x80000000;
          return reference(l);
        },
        Enc::VOP3P, [](Inst &in) { in.neg = in.abs = 4; });
  };
  checkDot(Op::v_dot4_f32_fp8_fp8, 3, 3);
  checkDot(Op::v_dot4_f32_fp8_bf8, 3, 2);
  checkDot(Op::v_dot4_f32_bf8_fp8, 2, 3);
  checkDot(Op::v_dot4_f32_bf8_bf8, 2, 2);
}

/// What v_alignbit and v_alignbyte shift by is 16 bits, of either half.
TEST_P(ValuGfx1201, AlignmentByTheUpperHalf) {
  for (const Op op : {Op::v_alignbit_b32, Op::v_alignbyte_b32})
    checkHere(
        op, "u:uuu",
        [=](Lane &l) {
          const unsigned by = unsigned(l.c >> 16),
                         n = op == Op::v_alignbit_b32 ? by & 31 : 8 * (by & 3);
          return (l.a << 32 | l.b) >> n & 0xffffffff;
        },
        Enc::VOP3, [](Inst &i) { i.opSel = 4; });
}

TEST_P(ValuGfx1201, PermutationsByARegister) {
  for (bool across : {false, true})
    for (unsigned opSel = 0; opSel < 4; ++opSel)
      for (unsigned round = 0; round < 8; ++round) {
        Machine m;
        m.fill(uint32_t(random64()));
        const uint64_t exec = random64() & (lanes == 64 ? ~0ull : 0xffffffff);
        m.wave.exec() = exec;
        Inst in = make(across ? Op::v_permlanex16_var_b32 : Op::v_permlane16_var_b32, Enc::VOP3,
                       vgpr(3), {vgpr(round & 1 ? 3 : 1), vgpr(2)});
        in.opSel = uint8_t(opSel);
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(m.run(in, target));
        for (unsigned l = 0; l < lanes; ++l) {
          const unsigned from = ((l & ~15u) ^ (across ? 16u : 0u)) | (before[2].u[l] & 15);
          const bool have = (opSel & 1) || (exec >> from & 1);
          uint32_t want = before[3].u[l];
          if ((exec >> l & 1) && (have || (opSel & 2)))
            want = have ? before[round & 1 ? 3 : 1].u[from] : 0;
          ASSERT_EQ(m.v(3).u[l], want) << "lane " << l << " op_sel " << opSel;
        }
      }
}

/// Runs a scalar instruction.
uint32_t scalar(Inst in, Target target, uint32_t mode, uint32_t *scc = nullptr) {
  Machine m;
  m.wave.mode = mode;
  m.wave.scc = scc ? *scc : 0;
  in.target = target;
  ExecInst code[2] = {};
  code[0].inst = &in;
  EXPECT_TRUE(prepareScalarFloat(code[0])) << nameOf(in.op);
  m.wave.s[20] = 0xaaaaaaaa;
  EXPECT_EQ(code[0].run(code, m.wave), code + 1);
  if (scc)
    *scc = m.wave.scc;
  return m.wave.s[20];
}
Inst scalarInst(Op op, std::vector<uint32_t> sources, bool result = true) {
  std::vector<Operand> operands;
  for (uint32_t x : sources)
    operands.push_back(imm(x));
  Inst in = make(op, Enc::SOP2, result ? sgpr(20) : Operand{}, operands);
  return in;
}

TEST_P(ValuGfx1201, ScalarArithmetic) {
  for (uint32_t mode : {kMode, kMode | 3, kMode | 2 << 2, kMode & ~0xf0u})
    for (unsigned round = 0; round < 300; ++round) {
      const auto &singles = edgeValues('f'), &halves = edgeValues('h');
      const auto single = [&] {
        return uint32_t(random64() & 3 ? singles[random64() % singles.size()] : random64());
      };
      const auto half = [&] { return uint32_t(halves[random64() % halves.size()] & 0xffff); };
      const auto in = [&](Format f, uint64_t x) {
        const bool keeps = mode >> (f.mantissaBits == 23 ? 4 : 6) & 1;
        return keeps ? x : flushDenormal(f, x);
      };
      const auto out = [&](Format f, uint64_t x) {
        const bool keeps = mode >> (f.mantissaBits == 23 ? 5 : 7) & 1;
        return uint32_t(keeps ? x : flushDenormal(f, x));
      };
      const auto r32 = Rounding(mode & 3), r16 = Rounding(mode >> 2 & 3);
      const uint32_t a = single(), b = single(), c = single(), x = half(), y = half(), z = half();
      const uint64_t fa = in(kSingle, a), fb = in(kSingle, b), fc = in(kSingle, c),
                     ha = in(kHalf, x), hb = in(kHalf, y), hc = in(kHalf, z);
      const auto run = [&](Op op, std::vector<uint32_t> s) {
        return scalar(scalarInst(op, std::move(s)), target, mode);
      };
      const uint64_t one32 = 0x3f800000;
      EXPECT_EQ(run(Op::s_add_f32, {a, b}), out(kSingle, fmaExact(kSingle, fa, one32, fb, r32)))
          << std::hex << a << " " << b << " mode " << mode;
      EXPECT_EQ(run(Op::s_mul_f32, {a, b}), out(kSingle, mulExact(kSingle, fa, fb, r32)))
          << std::hex << a << " " << b << " mode " << mode;
      EXPECT_EQ(run(Op::s_fmac_f32, {a, b, c}), out(kSingle, fmaExact(kSingle, fa, fb, fc, r32)));
      EXPECT_EQ(run(Op::s_fmaak_f32, {a, b, c}), out(kSingle, fmaExact(kSingle, fa, fb, fc, r32)));
      EXPECT_EQ(run(Op::s_min_num_f32, {a, b}), out(kSingle, number(kSingle, fa, fb, true)));
      EXPECT_EQ(run(Op::s_maximum_f32, {a, b}), out(kSingle, strict(kSingle, fa, fb, false)));
      EXPECT_EQ(run(Op::s_add_f16, {x | 0x12340000, y}), out(kHalf, addExact(kHalf, ha, hb, r16)))
          << std::hex << x << " " << y << " mode " << mode;
      EXPECT_EQ(run(Op::s_fmac_f16, {x, y, z}), out(kHalf, fmaExact(kHalf, ha, hb, hc, r16)))
          << std::hex << x << " " << y << " " << z << " mode " << mode;
      EXPECT_EQ(run(Op::s_max_num_f16, {x, y}), out(kHalf, number(kHalf, ha, hb, false)));
      EXPECT_EQ(run(Op::s_cvt_f32_f16, {x}), out(kSingle, convert(kHalf, kSingle, ha, r32)));
      EXPECT_EQ(run(Op::s_cvt_hi_f32_f16, {x << 16 | y}),
                out(kSingle, convert(kHalf, kSingle, ha, r32)));
      EXPECT_EQ(run(Op::s_cvt_f16_f32, {a}), out(kHalf, convert(kSingle, kHalf, fa, r16)))
          << std::hex << a << " mode " << mode;
      EXPECT_EQ(run(Op::s_cvt_f32_i32, {a}), uint32_t(fromInteger(kSingle, int32_t(a), r32)));
      EXPECT_EQ(run(Op::s_cvt_pk_rtz_f16_f32, {a, b}),
                uint32_t(convert(kSingle, kHalf, fa, toZero) | convert(kSingle, kHalf, fb, toZero)
                                                                   << 16));
      if (testing::Test::HasFailure())
        return;
    }
}

TEST_P(ValuGfx1201, ScalarComparisons) {
  struct Case {
    Op op;
    bool less, equal, greater, unordered;
  };
  const Case cases[] = {
      {Op::s_cmp_lt_f32, true, false, false, false}, {Op::s_cmp_eq_f32, false, true, false, false},
      {Op::s_cmp_le_f32, true, true, false, false},  {Op::s_cmp_gt_f32, false, false, true, false},
      {Op::s_cmp_lg_f32, true, false, true, false},  {Op::s_cmp_ge_f32, false, true, true, false},
      {Op::s_cmp_o_f32, true, true, true, false},    {Op::s_cmp_u_f32, false, false, false, true},
      {Op::s_cmp_nge_f32, true, false, false, true}, {Op::s_cmp_nlg_f32, false, true, false, true},
      {Op::s_cmp_ngt_f32, true, true, false, true},  {Op::s_cmp_nle_f32, false, false, true, true},
      {Op::s_cmp_neq_f32, true, false, true, true},  {Op::s_cmp_nlt_f32, false, true, true, true},
  };
  for (const Case &c : cases)
    for (uint64_t x : edgeValues('f'))
      for (uint64_t y : edgeValues('f')) {
        const float a = std::bit_cast<float>(uint32_t(x)), b = std::bit_cast<float>(uint32_t(y));
        const bool want = a < b ? c.less : a == b ? c.equal : a > b ? c.greater : c.unordered;
        uint32_t scc = !want;
        const uint32_t result =
            scalar(scalarInst(c.op, {uint32_t(x), uint32_t(y)}, false), target, kMode, &scc);
        ASSERT_EQ(scc, uint32_t(want)) << nameOf(c.op) << std::hex << " " << x << " " << y;
        ASSERT_EQ(result, 0xaaaaaaaau);
      }
}

TEST_P(ValuGfx1201, FunctionsOfScalars) {
  const auto run = [&](Op op, uint32_t x, uint8_t neg = 0, uint8_t abs = 0, bool clamp = false) {
    Inst in = make(op, Enc::VOP3, sgpr(20), {imm(x)});
    in.neg = neg;
    in.abs = abs;
    in.clamp = clamp;
    return scalar(in, target, kMode);
  };
  const auto f = [](float x) { return bitsOf(x); };
  EXPECT_EQ(run(Op::v_s_exp_f32, f(3)), f(8));
  EXPECT_EQ(run(Op::v_s_exp_f32, f(3), 1), f(0.125f));
  EXPECT_EQ(run(Op::v_s_log_f32, f(-1024), 0, 1), f(10));
  EXPECT_EQ(run(Op::v_s_rcp_f32, f(4)), f(0.25f));
  EXPECT_EQ(run(Op::v_s_rcp_f32, f(-4), 1), f(0.25f));
  EXPECT_EQ(run(Op::v_s_rsq_f32, f(16)), f(0.25f));
  EXPECT_EQ(run(Op::v_s_sqrt_f32, f(9)), f(3));
  EXPECT_EQ(run(Op::v_s_sqrt_f32, f(9), 0, 0, true), f(1)) << "clamp";
  EXPECT_EQ(run(Op::v_s_exp_f16, 0x4200), 0x4800u) << "2^3";
  EXPECT_EQ(run(Op::v_s_log_f16, 0x4400), 0x4000u);
  EXPECT_EQ(run(Op::v_s_rcp_f16, 0x4400), 0x3400u);
  EXPECT_EQ(run(Op::v_s_rsq_f16, 0x4400), 0x3800u);
  EXPECT_EQ(run(Op::v_s_sqrt_f16, 0x4400), 0x4000u);
}

} // namespace
} // namespace meld::test
