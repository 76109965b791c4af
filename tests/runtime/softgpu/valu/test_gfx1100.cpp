// What the vector ALU of gfx1100 has beyond gfx1030's, in waves of 32 and of 64 lanes: operations on
// halves of registers in every encoding, DPP in the 64-bit encodings, two operations in one
// instruction, dot products. References follow the pseudocode of the "RDNA3" ISA. What it has in
// common with gfx1030 is checked there, with GFX9's see check().
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr Format kBrain{8, 7}; ///< bf16

class ValuGfx1100 : public testing::TestWithParam<Target> {
protected:
  const Target target = GetParam();
  const unsigned lanes = isa::traitsOf(target).waveSize;
  const uint64_t all = lanes == 64 ? ~0ull : 0xffffffff;

  std::vector<uint64_t> execs() const {
    std::vector<uint64_t> list = {~0ull, 0, 1, 0x80000001, 0x0f0f00ff12345678, 0x8000000000000000};
    for (int n = 0; n < 4; ++n)
      list.push_back(random64());
    for (uint64_t &x : list)
      x &= all;
    return list;
  }
  void checkHere(Op op, const char *types, Reference reference, Enc enc = Enc::VOP3,
                 uint32_t mode = kDefaultMode, std::function<void(Inst &)> adjust = {}) {
    check({op, types, std::move(reference), enc, false, mode, std::move(adjust), target});
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, ValuGfx1100, testing::Values(Target::gfx1100, Target::gfx1100w64),
                         [](auto &i) { return i.param == Target::gfx1100 ? "Of32" : "Of64"; });

int64_t signed16(uint64_t x) { return (int16_t)x; }
int64_t signed32(uint64_t x) { return (int32_t)x; }

TEST_P(ValuGfx1100, Integers) {
  checkHere(Op::v_and_b16, "s:ss", [](Lane &l) { return l.a & l.b; });
  checkHere(Op::v_or_b16, "s:ss", [](Lane &l) { return l.a | l.b; });
  checkHere(Op::v_xor_b16, "s:ss", [](Lane &l) { return l.a ^ l.b; });
  for (Enc enc : {Enc::VOP1, Enc::VOP3}) {
    checkHere(
        Op::v_not_b16, "s:s", [](Lane &l) { return ~l.a; }, enc);
    checkHere(
        Op::v_mov_b16, "s:s", [](Lane &l) { return l.a; }, enc);
    checkHere(
        Op::v_cvt_i32_i16, "u:s", [](Lane &l) { return (uint64_t)signed16(l.a); }, enc);
    checkHere(
        Op::v_cvt_u32_u16, "u:s", [](Lane &l) { return l.a; }, enc);
  }
  checkHere(Op::v_cndmask_b16, "s:ssm", [](Lane &l) { return l.mask ? l.b : l.a; });
  // Bits, also where MODE has no denormals.
  checkHere(
      Op::v_cndmask_b16, "s:hhm", [](Lane &l) { return l.mask ? l.b : l.a ^ 0x8000; }, Enc::VOP3,
      kDefaultMode & ~0xf0u, [](Inst &i) { i.neg = 1; });
  checkHere(Op::v_maxmin_i32, "u:uuu", [](Lane &l) {
    return (uint64_t)std::min(std::max(signed32(l.a), signed32(l.b)), signed32(l.c));
  });
  checkHere(Op::v_minmax_i32, "u:uuu", [](Lane &l) {
    return (uint64_t)std::max(std::min(signed32(l.a), signed32(l.b)), signed32(l.c));
  });
  checkHere(Op::v_maxmin_u32, "u:uuu", [](Lane &l) { return std::min(std::max(l.a, l.b), l.c); });
  checkHere(Op::v_minmax_u32, "u:uuu", [](Lane &l) { return std::max(std::min(l.a, l.b), l.c); });
  const auto saturate = [](uint64_t x) {
    return (uint64_t)std::clamp<int64_t>(signed16(x), 0, 255);
  };
  checkHere(
      Op::v_sat_pk_u8_i16, "s:u", [=](Lane &l) { return saturate(l.a) | saturate(l.a >> 16) << 8; },
      Enc::VOP1);
}

TEST_P(ValuGfx1100, Conversions) {
  const auto to = [](uint64_t x, double low, double high) -> uint64_t {
    const double f = std::bit_cast<float>((uint32_t)x);
    return std::isnan(f) ? 0 : (uint64_t)(int64_t)std::clamp(std::trunc(f), low, high) & 0xffff;
  };
  checkHere(Op::v_cvt_pk_i16_f32, "u:ff",
            [=](Lane &l) { return to(l.a, -32768, 32767) | to(l.b, -32768, 32767) << 16; });
  checkHere(Op::v_cvt_pk_u16_f32, "u:ff",
            [=](Lane &l) { return to(l.a, 0, 65535) | to(l.b, 0, 65535) << 16; });
}

/// The smaller (or larger) of two by the manual's text for V_MIN_F32 and V_MAX_F32.
uint64_t extreme(Format f, uint64_t a, uint64_t b, bool larger, bool ieee) {
  const auto signalling = [&](uint64_t x) { return f.isNan(x) && !(x & f.quietBit()); };
  if (ieee && signalling(a))
    return a | f.quietBit();
  if (ieee && signalling(b))
    return b | f.quietBit();
  if (f.isNan(a) && f.isNan(b))
    return b | f.quietBit();
  if (f.isNan(b))
    return a;
  if (f.isNan(a))
    return b;
  // -0 is below +0: magnitudes with a sign order as the numbers do.
  const auto order = [&](uint64_t x) {
    const int64_t m = (int64_t)f.magnitude(x);
    return x & f.sign() ? -m - 1 : m;
  };
  return (order(a) < order(b)) != larger ? a : b;
}

TEST_P(ValuGfx1100, MinimaOfMaxima) {
  struct Case {
    Op op;
    const char *types;
    Format f;
    bool maxFirst;
  };
  for (const Case &c : {Case{Op::v_maxmin_f32, "f:fff", kSingle, true},
                        Case{Op::v_minmax_f32, "f:fff", kSingle, false},
                        Case{Op::v_maxmin_f16, "h:hhh", kHalf, true},
                        Case{Op::v_minmax_f16, "h:hhh", kHalf, false}})
    for (bool ieee : {false, true})
      checkHere(
          c.op, c.types,
          [=](Lane &l) {
            const uint64_t first = extreme(c.f, l.a, l.b, c.maxFirst, ieee);
            return extreme(c.f, first, l.c, !c.maxFirst, ieee);
          },
          Enc::VOP3, ieee ? kDefaultMode : kDefaultMode & ~uint32_t(Mode::ieee));
}

// --- halves of registers ---

uint32_t halfOf(uint32_t x, bool high) { return high ? x >> 16 : x & 0xffff; }
uint32_t withHalf(uint32_t old, uint32_t half, bool high) {
  return high ? (old & 0xffff) | half << 16 : (old & 0xffff0000) | (half & 0xffff);
}

/// In the encodings of 32 bits, too, op_sel says which half a 16-bit operand is.
TEST_P(ValuGfx1100, Halves) {
  for (uint64_t exec : execs())
    for (unsigned sel = 0; sel < 16; ++sel) {
      const bool s0 = sel & 1, s1 = sel & 2, d = sel & 8;
      const auto run = [&](Op op, Enc enc, Operand dst, std::vector<Operand> src, Machine &m) {
        m.wave.exec() = exec;
        Inst in = make(op, enc, dst, std::move(src));
        in.opSel = uint8_t(sel);
        return m.run(in, target);
      };
      for (Enc enc : {Enc::VOP2, Enc::VOP3}) {
        Machine m;
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(run(Op::v_add_f16, enc, vgpr(4), {vgpr(10), vgpr(11)}, m));
        for (unsigned l = 0; l < 64; ++l) {
          const uint64_t sum =
              addExact(kHalf, halfOf(before[10].u[l], s0), halfOf(before[11].u[l], s1), toNearest);
          ASSERT_EQ(m.v(4).u[l],
                    exec >> l & 1 ? withHalf(before[4].u[l], (uint32_t)sum, d) : before[4].u[l])
              << "lane " << l << " op_sel " << sel;
        }
      }
      for (Enc enc : {Enc::VOP1, Enc::VOP3}) {
        Machine m;
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(run(Op::v_mov_b16, enc, vgpr(4), {vgpr(4)}, m)); // of a register into itself
        ASSERT_TRUE(run(Op::v_cvt_i32_i16, enc, vgpr(5), {vgpr(10)}, m));
        for (unsigned l = 0; l < 64; ++l) {
          const bool on = exec >> l & 1;
          const uint32_t old = before[4].u[l];
          ASSERT_EQ(m.v(4).u[l], on ? withHalf(old, halfOf(old, s0), d) : old);
          ASSERT_EQ(m.v(5).u[l],
                    on ? (uint32_t)(int16_t)halfOf(before[10].u[l], s0) : before[5].u[l]);
        }
      }
      for (Enc enc : {Enc::VOPC, Enc::VOP3}) {
        Machine m;
        ASSERT_TRUE(
            run(Op::v_cmp_lt_i16, enc, sgpr(isa::Sgpr::vcc, lanes / 32), {vgpr(10), vgpr(11)}, m));
        uint64_t less = 0;
        for (unsigned l = 0; l < 64; ++l)
          less |= uint64_t((int16_t)halfOf(m.v(10).u[l], s0) < (int16_t)halfOf(m.v(11).u[l], s1))
                  << l;
        ASSERT_EQ(m.wave.mask(isa::Sgpr::vcc), less & exec);
      }
      // A sum into its destination reads the half that it writes.
      Machine m;
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(run(Op::v_fmac_f16, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)}, m));
      for (unsigned l = 0; l < 64; ++l)
        if (exec >> l & 1) {
          const uint64_t sum =
              fmaExact(kHalf, halfOf(before[10].u[l], s0), halfOf(before[11].u[l], s1),
                       halfOf(before[4].u[l], d), toNearest);
          ASSERT_EQ(m.v(4).u[l], withHalf(before[4].u[l], (uint32_t)sum, d));
        }
    }
}

TEST_P(ValuGfx1100, SwapsHalves) {
  for (uint64_t exec : execs())
    for (unsigned sel : {0u, 1u, 8u, 9u})
      for (unsigned other : {10u, 4u}) {
        Machine m;
        m.wave.exec() = exec;
        Inst in = make(Op::v_swap_b16, Enc::VOP1, vgpr(4), {vgpr(other)});
        in.opSel = uint8_t(sel);
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(m.run(in, target));
        for (unsigned l = 0; l < 64; ++l) {
          uint32_t want[2] = {before[4].u[l], before[other].u[l]};
          uint32_t &a = want[0], &b = other == 4 ? want[0] : want[1];
          if (exec >> l & 1) {
            const uint32_t x = halfOf(a, sel & 8), y = halfOf(b, sel & 1);
            a = withHalf(a, y, sel & 8);
            b = withHalf(b, x, sel & 1);
          }
          ASSERT_EQ(m.v(4).u[l], a);
          ASSERT_EQ(m.v(other).u[l], b);
        }
      }
}

TEST_P(ValuGfx1100, PermutesHalvesOfTheWave) {
  for (uint64_t exec : execs())
    for (unsigned dst : {4u, 10u}) {
      Machine m;
      m.wave.exec() = exec;
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(make(Op::v_permlane64_b32, Enc::VOP1, vgpr(dst), {vgpr(10)}), target));
      for (unsigned l = 0; l < 64; ++l)
        ASSERT_EQ(m.v(dst).u[l],
                  lanes == 64 && exec >> l & 1 ? before[10].u[l ^ 32] : before[dst].u[l]);
    }
}

// --- DPP in 64-bit encodings ---

/// Row rotation by `n` of 16 lanes, lanes of all rows and banks enabled.
Inst rotated(Inst in, unsigned n) {
  in.dpp = true;
  in.dppCtrl = uint16_t(0x120 + n);
  return in;
}
unsigned rotatedSource(unsigned l, unsigned n) { return l / 16 * 16 + (l % 16 + 16 - n) % 16; }

TEST_P(ValuGfx1100, DppOfLongEncodings) {
  for (uint64_t exec : execs())
    for (unsigned n = 1; n < 16; n += 3)
      for (bool bound : {false, true}) {
        const auto has = [&](unsigned l) { return exec >> rotatedSource(l, n) & 1; };
        const auto writes = [&](unsigned l) { return exec >> l & 1 && (bound || has(l)); };
        const auto moved = [&](const std::vector<VRow> &rows, unsigned r, unsigned l) {
          return has(l) ? rows[r].u[rotatedSource(l, n)] : 0;
        };
        Machine m;
        m.wave.exec() = exec;
        Inst add =
            rotated(make(Op::v_add3_u32, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11), vgpr(12)}), n);
        add.dppBoundCtrl = bound;
        // Halves of registers, a sign, and the other half of the destination.
        Inst half = rotated(make(Op::v_mul_f16, Enc::VOP3, vgpr(5), {vgpr(10), vgpr(11)}), n);
        half.dppBoundCtrl = bound;
        half.opSel = 9;
        half.neg = 1;
        Inst mix = rotated(
            make(Op::v_fma_mix_f32, Enc::VOP3P, vgpr(6), {vgpr(10), vgpr(11), vgpr(12)}), n);
        mix.dppBoundCtrl = bound;
        mix.opSelHi = 1;
        mix.opSel = 1;
        Inst dot = rotated(
            make(Op::v_dot2_f32_f16, Enc::VOP3P, vgpr(7), {vgpr(10), vgpr(11), vgpr(12)}), n);
        dot.dppBoundCtrl = bound;
        dot.opSelHi = 7;
        Inst compare = rotated(
            make(Op::v_cmp_lt_u32, Enc::VOP3, sgpr(30, lanes / 32), {vgpr(10), vgpr(11)}), n);
        compare.dppBoundCtrl = bound;
        const std::vector<VRow> before = m.rows;
        for (const Inst &in : {add, half, mix, dot, compare})
          ASSERT_TRUE(m.run(in, target));
        uint64_t less = 0;
        for (unsigned l = 0; l < 64; ++l) {
          if (!writes(l)) {
            for (unsigned r = 4; r < 8; ++r)
              ASSERT_EQ(m.v(r).u[l], before[r].u[l]) << "v" << r << " lane " << l;
            continue;
          }
          const uint32_t a = moved(before, 10, l), b = before[11].u[l], c = before[12].u[l];
          ASSERT_EQ(m.v(4).u[l], a + b + c);
          ASSERT_EQ(m.v(5).u[l],
                    withHalf(before[5].u[l],
                             (uint32_t)mulExact(kHalf, (a >> 16) ^ 0x8000, b & 0xffff, toNearest),
                             true));
          const uint64_t wide = convert(kHalf, kSingle, a >> 16, toNearest);
          ASSERT_EQ(m.v(6).u[l], fmaExact(kSingle, wide, b, c, toNearest));
          uint64_t sum = c;
          for (unsigned h = 0; h < 32; h += 16)
            sum = addExact(kSingle, sum,
                           mulExact(kSingle, convert(kHalf, kSingle, a >> h & 0xffff, toNearest),
                                    convert(kHalf, kSingle, b >> h & 0xffff, toNearest), toNearest),
                           toNearest);
          ASSERT_EQ(m.v(7).u[l], sum);
          less |= uint64_t(a < b) << l;
        }
        ASSERT_EQ(m.wave.mask(30), less);
      }
}

// --- dot products ---

TEST_P(ValuGfx1100, DotProductsOfMixedSigns) {
  for (unsigned bits : {8u, 4u})
    for (unsigned signs = 0; signs < 4; ++signs)
      for (bool clamp : {false, true}) {
        const auto reference = [=](Lane &l) {
          const auto element = [&](uint64_t x, unsigned k, bool isSigned) -> int64_t {
            const int64_t v = (int64_t)(x >> bits * k & ((1ull << bits) - 1));
            return isSigned && v >> (bits - 1) ? v - (1ll << bits) : v;
          };
          int64_t sum = signed32(l.c);
          for (unsigned k = 0; k < 32 / bits; ++k)
            sum += element(l.a, k, signs & 1) * element(l.b, k, signs & 2);
          return (uint64_t)(clamp ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
        };
        checkHere(bits == 8 ? Op::v_dot4_i32_iu8 : Op::v_dot8_i32_iu4, "u:uuu", reference,
                  Enc::VOP3P, kDefaultMode, [=](Inst &i) {
                    i.neg = uint8_t(signs);
                    i.opSelHi = 7;
                    i.clamp = clamp;
                  });
      }
}

uint64_t dot(Format in, Format out, bool narrow, Lane &l) {
  uint64_t sum = narrow ? l.c & 0xffff : l.c;
  for (unsigned h = 0; h < 32; h += 16) {
    uint64_t x = l.a >> h & 0xffff, y = l.b >> h & 0xffff;
    if (!narrow) {
      x = convert(in, out, x, toNearest);
      y = convert(in, out, y, toNearest);
    }
    const auto rounded = [&](uint64_t r) { // bf16 has no denormals
      return narrow && in.mantissaBits == kBrain.mantissaBits ? flushDenormal(out, r) : r;
    };
    sum = rounded(addExact(out, sum, rounded(mulExact(out, x, y, toNearest)), toNearest));
  }
  return sum;
}

TEST_P(ValuGfx1100, DotProducts) {
  const auto packed = [](Inst &i) { i.opSelHi = 7; };
  checkHere(
      Op::v_dot2_f32_bf16, "f:uuf", [](Lane &l) { return dot(kBrain, kSingle, false, l); },
      Enc::VOP3P, kDefaultMode, packed);
  // These two know no MODE: they round to nearest, f16 has denormals and bf16 none.
  const auto flushed = [](uint64_t x) { // both halves
    return flushDenormal(kBrain, x & 0xffff) | flushDenormal(kBrain, x >> 16 & 0xffff) << 16;
  };
  for (const uint32_t mode : {kDefaultMode, (kDefaultMode & ~0xffu) | 0x5}) {
    checkHere(
        Op::v_dot2_f16_f16, "h:uuh", [](Lane &l) { return dot(kHalf, kHalf, true, l); }, Enc::VOP3,
        mode);
    checkHere(
        Op::v_dot2_bf16_bf16, "s:uus",
        [&](Lane &l) {
          l.a = flushed(l.a), l.b = flushed(l.b), l.c = flushed(l.c);
          return dot(kBrain, kBrain, true, l);
        },
        Enc::VOP3, mode);
  }
}

// --- two operations in one instruction ---

struct Half {
  Op op;
  unsigned sources; ///< of those that are encoded
  enum { none, old, vcc, literal } third = none;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)>
      of; ///< in f32 without denormals where `flushes`
};

uint64_t flushIf(bool flush, uint64_t x) { return flush ? flushDenormal(kSingle, x) : x; }

std::vector<Half> halvesOfDuals(uint32_t mode) {
  const bool in = !(mode & 0x10), out = !(mode & 0x20), ieee = mode & Mode::ieee;
  const auto r = Rounding(mode & 3);
  const auto floats = [=](auto f) {
    return [=](uint64_t a, uint64_t b, uint64_t c) {
      return flushIf(out, f(flushIf(in, a), flushIf(in, b), flushIf(in, c)));
    };
  };
  const auto fma = floats([=](auto a, auto b, auto c) { return fmaExact(kSingle, a, b, c, r); });
  const auto middle = floats([=](auto a, auto k, auto b) { return fmaExact(kSingle, a, k, b, r); });
  const uint64_t minus = kSingle.sign();
  const auto negated = [=](uint64_t x) { return kSingle.isNan(x) ? x : x ^ minus; };
  const auto dot2Of = [=](Format f) {
    return [=](uint64_t a, uint64_t b, uint64_t c) {
      c = flushIf(in, c);
      for (unsigned h = 0; h < 32; h += 16)
        c = addExact(kSingle, c,
                     mulExact(kSingle, convert(f, kSingle, a >> h & 0xffff, toNearest),
                              convert(f, kSingle, b >> h & 0xffff, toNearest), r),
                     r);
      return flushIf(out, c);
    };
  };
  return {
      {Op::v_fmac_f32, 2, Half::old, fma},
      {Op::v_fmaak_f32, 2, Half::literal, fma},
      {Op::v_fmamk_f32, 2, Half::literal, middle}, // the literal is the second of three
      {Op::v_mul_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return mulExact(kSingle, a, b, r); })},
      {Op::v_add_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return addExact(kSingle, a, b, r); })},
      {Op::v_sub_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return addExact(kSingle, a, negated(b), r); })},
      {Op::v_subrev_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return addExact(kSingle, negated(a), b, r); })},
      {Op::v_mul_legacy_f32, 2, Half::none, floats([=](auto a, auto b, auto) {
         return kSingle.isZero(a) || kSingle.isZero(b) ? 0 : mulExact(kSingle, a, b, r);
       })},
      {Op::v_mov_b32, 1, Half::none, [](auto a, auto, auto) { return a; }},
      {Op::v_cndmask_b32, 2, Half::vcc, [](auto a, auto b, auto m) { return m ? b : a; }},
      {Op::v_max_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return extreme(kSingle, a, b, true, ieee); })},
      {Op::v_min_f32, 2, Half::none,
       floats([=](auto a, auto b, auto) { return extreme(kSingle, a, b, false, ieee); })},
      {Op::v_dot2c_f32_f16, 2, Half::old, dot2Of(kHalf)},
      {Op::v_dot2c_f32_bf16, 2, Half::old, dot2Of(kBrain)},
      {Op::v_add_u32, 2, Half::none, [](auto a, auto b, auto) { return (a + b) & 0xffffffff; }},
      {Op::v_lshlrev_b32, 2, Half::none,
       [](auto a, auto b, auto) { return (b << (a & 31)) & 0xffffffff; }},
      {Op::v_and_b32, 2, Half::none, [](auto a, auto b, auto) { return a & b; }},
  };
}

uint32_t interestingFloat() {
  const auto &edges = edgeValues('f');
  const uint64_t r = random64();
  return r & 1 ? (uint32_t)edges[(r >> 8) % edges.size()]
               : ((uint32_t)(r >> 32) & 0x87ffffff) | 0x38000000;
}

class ValuDual : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Modes, ValuDual,
                         testing::Values(kDefaultMode, kDefaultMode & ~0x30u, kDefaultMode | 1,
                                         (kDefaultMode & ~uint32_t(Mode::ieee)) | 2));

/// Every pair of operations, few registers: each half may read what the other writes, and both may.
TEST_P(ValuDual, ReadsBeforeWriting) {
  const uint32_t mode = GetParam();
  const std::vector<Half> halves = halvesOfDuals(mode);
  unsigned crossed = 0;
  for (const Half &x : halves)
    for (const Half &y : halves)
      for (unsigned round = 0; round < 12; ++round) {
        Machine m;
        m.wave.mode = mode;
        for (unsigned v = 0; v < 8; ++v)
          for (uint32_t &u : m.v(v).u)
            u = interestingFloat();
        m.wave.exec() = round % 3 ? 0xffffffff : random64() & 0xffffffff;
        m.wave.s[20] = interestingFloat();
        m.wave.vcc() = random64();
        const uint32_t literal = interestingFloat();

        Inst in;
        in.enc = Enc::VOPD;
        in.target = Target::gfx1100;
        const unsigned dx = (unsigned)(random64() % 4), dy = dx ^ 1; // one even, one odd
        const auto fill = [&](const Half &h, unsigned d, Operand &dst, Operand *src, uint8_t &num) {
          dst = vgpr(d);
          const uint64_t pick = random64();
          src[0] = pick % 5 == 0   ? sgpr(20)
                   : pick % 5 == 1 ? imm(0x40000000)
                                   : vgpr((unsigned)(pick >> 8) % 4);
          num = uint8_t(h.sources + (h.third != Half::none));
          if (h.sources > 1)
            src[1] = vgpr((unsigned)(pick >> 16) % 4);
          if (h.third == Half::old)
            src[2] = vgpr(d);
          if (h.third == Half::vcc)
            src[2] = sgpr(isa::Sgpr::vcc);
          if (h.third == Half::literal)
            src[2] = imm(literal);
          if (h.op == Op::v_fmamk_f32)
            std::swap(src[1], src[2]);
        };
        fill(x, dx, in.dst, in.src, in.numSrc);
        in.op = x.op;
        in.dual.op = y.op;
        fill(y, dy, in.dual.dst, in.dual.src, in.dual.numSrc);

        const std::vector<VRow> before = m.rows;
        const uint64_t exec = m.wave.exec(), vcc = m.wave.vcc();
        const auto reads = [](const Operand *src, unsigned r) {
          return std::any_of(src, src + 3, [&](const Operand &o) {
            return o.kind == Operand::Kind::vgpr && o.index == r;
          });
        };
        crossed += reads(in.src, dy) && reads(in.dual.src, dx);
        ASSERT_TRUE(m.run(in, Target::gfx1100)) << nameOf(x.op) << " " << nameOf(y.op);
        const auto want = [&](const Half &h, const Operand *src, unsigned l) -> uint32_t {
          uint64_t v[3] = {};
          for (unsigned k = 0; k < 3; ++k)
            v[k] = src[k].kind == Operand::Kind::vgpr   ? before[src[k].index].u[l]
                   : src[k].kind == Operand::Kind::imm  ? src[k].value
                   : src[k].kind != Operand::Kind::sgpr ? 0
                   : src[k].index == 20                 ? m.wave.s[20]
                                                        : vcc >> l & 1;
          return (uint32_t)h.of(v[0], v[1], v[2]);
        };
        for (unsigned l = 0; l < 64; ++l) {
          const bool on = exec >> l & 1;
          ASSERT_EQ(m.v(dx).u[l], on ? want(x, in.src, l) : before[dx].u[l])
              << nameOf(x.op) << " beside " << nameOf(y.op) << " lane " << l << " mode " << mode;
          ASSERT_EQ(m.v(dy).u[l], on ? want(y, in.dual.src, l) : before[dy].u[l])
              << nameOf(y.op) << " behind " << nameOf(x.op) << " lane " << l << " mode " << mode;
        }
        for (unsigned r = 0; r < m.rows.size(); ++r)
          if (r != dx && r != dy) {
            ASSERT_EQ(std::memcmp(m.v(r).u, before[r].u, sizeof before[r].u), 0) << "v" << r;
          }
      }
  EXPECT_GT(crossed, 100u) << "instructions whose halves read each other's destination";
}

} // namespace
} // namespace meld::test
