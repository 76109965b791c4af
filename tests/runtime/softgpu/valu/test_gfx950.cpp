// What the vector ALU of gfx950 has beyond gfx942's, but for short floats and matrices. References are
// readings of the "CDNA4" ISA's pseudo code, in plain C++ or by hand.
#include "tests/runtime/softgpu/valu/gfx950.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <algorithm>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr Target kTarget = Target::gfx950;

void expect(Op op, const char *types, Reference reference, bool preserveHigh = false,
            Enc enc = Enc::VOP3, std::function<void(Inst &)> adjust = {}) {
  check({op, types, reference, enc, preserveHigh, kDefaultMode, adjust, kTarget});
}

TEST(ValuGfx950, Integers) {
  expect(
      Op::v_prng_b32, "u:u", [](Lane &l) { return l.a << 1 ^ (l.a >> 31 & 1 ? 197 : 0); }, false,
      Enc::VOP1);
  for (unsigned table : {0x00u, 0x27u, 0xcau, 0xe8u, 0x80u, 0x01u, 0xffu}) {
    const auto bits = [table](Lane &l) {
      uint64_t r = 0;
      for (unsigned n = 0; n < 32; ++n)
        r |= uint64_t(table >> ((l.a >> n & 1) * 4 + (l.b >> n & 1) * 2 + (l.c >> n & 1)) & 1) << n;
      return r;
    };
    const auto adjust = [table](Inst &i) { i.truth = uint8_t(table); };
    expect(Op::v_bitop3_b32, "u:uuu", bits, false, Enc::VOP3, adjust);
    expect(Op::v_bitop3_b16, "s:sss", bits, true, Enc::VOP3, adjust);
  }
  const auto bytes = [](int64_t low, int64_t high) {
    return [=](Lane &l) {
      const auto one = [&](uint64_t x) {
        const int64_t shifted = int64_t(int32_t(x)) >> (l.c % 32);
        return uint64_t(std::clamp(shifted, low, high)) & 0xff;
      };
      return one(l.b) << 8 | one(l.a);
    };
  };
  expect(Op::v_ashr_pk_i8_i32, "s:uuu", bytes(-128, 127), true);
  expect(Op::v_ashr_pk_u8_i32, "s:uuu", bytes(0, 255), true);
}

TEST(ValuGfx950, DestinationHalves) {
  Machine m;
  m.fill(5);
  m.v(1).u[0] = 0x00012345;
  m.v(2).u[0] = 0xfffffff0;
  m.v(3).u[0] = 0xaaaabbbb;
  m.v(4).u[0] = 0x0f0f0f0f;
  // v_ashr_pk_u8_i32 v3, v1, v2, 4 op_sel:[0,0,0,1]: 0x1234 is more than a byte, -1 less
  runWords(m, {0xd2664003, 0x02120501});
  EXPECT_EQ(m.v(3).u[0], 0x00ffbbbb);
  // v_bitop3_b16 v3, v1, v2, v4 bitop3:0xca op_sel:[1,0,0,1]: where a has ones b, else c
  runWords(m, {0xd2334903, 0x5c120501});
  EXPECT_EQ(m.v(3).u[0], (((1u & 0xfff0) | (0xfffe & 0x0f0f)) << 16) | 0xbbbb);
}

const Format kBf16{8, 7};

TEST(ValuGfx950, Conversions) {
  for (const auto &[op, to] :
       {std::pair{Op::v_cvt_pk_f16_f32, kHalf}, std::pair{Op::v_cvt_pk_bf16_f32, kBf16}}) {
    const Format f = to;
    // To nearest, whatever MODE says of rounding.
    for (uint32_t rounding : {0u, 1u, 0xfu})
      check({op,
             "u:ff",
             [f](Lane &l) {
               return convert(kSingle, f, l.a, toNearest) | convert(kSingle, f, l.b, toNearest)
                                                                << 16;
             },
             Enc::VOP3,
             false,
             kDefaultMode | rounding,
             {},
             kTarget});
  }
  expect(
      Op::v_cvt_f32_bf16, "f:s", [](Lane &l) { return l.a << 16; }, false, Enc::VOP1);
  Machine m;
  m.v(1).u[0] = 0x3f80c000;
  // v_cvt_f32_bf16_sdwa v3, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
  runWords(m, {0x7e06b6f9, 0x00050601});
  EXPECT_EQ(m.v(3).u[0], 0x3f800000u);
  // What nobody says the meaning of is refused.
  Inst i = make(Op::v_cvt_pk_bf16_f32, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)});
  i.clamp = true;
  EXPECT_FALSE(m.run(i, kTarget));
}

/// By hand.
TEST(ValuGfx950, ConvertsAtRandom) {
  struct Case {
    bool bf16;
    float value;
    uint32_t random;
    uint16_t result;
  };
  const Case cases[] = {
      {false, 1.0f, 0xffffffff, 0x3c00},
      {false, 0x1.002p0f, 0x80000000, 0x3c01}, // halfway to the next: up from a half on
      {false, 0x1.002p0f, 0x7fffffff, 0x3c00},
      {false, -0x1.001p0f, 0xc0000000, 0xbc01}, // a quarter of the way
      {false, -0x1.001p0f, 0xbfffffff, 0xbc00},
      {false, 0x1.8p-24f, 0x80000000, 0x0002}, // one and a half of the smallest denormal
      {false, 0x1.8p-24f, 0x7fffffff, 0x0001},
      {false, 65504.0f, 0xffffffff, 0x7bff},
      {false, 65520.0f, 0x80000000, 0x7c00},
      {false, 65520.0f, 0x7fffffff, 0x7bff},
      {false, 1e10f, 0, 0x7c00},
      {false, -INFINITY, 0xffffffff, 0xfc00},
      {true, 1.0f, 0xffffffff, 0x3f80},
      {true, 0x1.01p0f, 0x80000000, 0x3f81},
      {true, 0x1.01p0f, 0x7fffffff, 0x3f80},
      {true, -0x1.008p0f, 0xc0000000, 0xbf81},
      {true, -0x1.008p0f, 0xbfffffff, 0xbf80},
      {true, INFINITY, 0xffffffff, 0x7f80},
      {true, 0x1.ffp127f, 0x80000000, 0x7f80},
  };
  for (const Case &c : cases)
    for (bool high : {false, true}) {
      Machine m;
      m.v(1).u[0] = std::bit_cast<uint32_t>(c.value);
      m.v(2).u[0] = c.random;
      m.v(3).u[0] = 0x12345678;
      if (c.bf16 && high)
        runWords(m, {0xd2a74003, 0x00020501}); // v_cvt_sr_bf16_f32 v3, v1, v2 op_sel:[0,0,1]
      else if (c.bf16)
        runWords(m, {0xd2a70003, 0x00020501}); // v_cvt_sr_bf16_f32 v3, v1, v2
      else if (high)
        runWords(m, {0xd2a64003, 0x00020501}); // v_cvt_sr_f16_f32 v3, v1, v2 op_sel:[0,0,1]
      else
        runWords(m, {0xd2a60003, 0x00020501}); // v_cvt_sr_f16_f32 v3, v1, v2
      const uint32_t want = high ? uint32_t(c.result) << 16 | 0x5678 : 0x12340000 | c.result;
      EXPECT_EQ(m.v(3).u[0], want) << c.value << " " << std::hex << c.random;
    }
  Machine m;
  m.v(1).u[0] = 0xffc00001;
  runWords(m, {0xd2a60003, 0x00020501});
  EXPECT_EQ(m.v(3).u[0] & 0x7e00, 0x7e00u);
  runWords(m, {0xd2a70003, 0x00020501});
  EXPECT_EQ(m.v(3).u[0] & 0x7fc0, 0x7fc0u);
}

/// MODE.FP16_OVFL, see ValuFloat.HalvesThatAreTooLarge: for results that are two halves, too, and
/// for rounding at random, but not for bf16.
TEST(ValuGfx950, HalvesThatAreTooLarge) {
  const uint32_t mode = kDefaultMode | Mode::fp16Ovfl;
  const auto half = [](uint64_t x) {
    const uint64_t r = convert(kSingle, kHalf, x, toNearest);
    return kHalf.isInf(r) && !kSingle.isInf(x) ? r - 1 : r;
  };
  check({Op::v_cvt_pk_f16_f32,
         "u:ff",
         [=](Lane &l) { return half(l.a) | half(l.b) << 16; },
         Enc::VOP3,
         false,
         mode,
         {},
         kTarget});
  check({Op::v_cvt_pk_bf16_f32,
         "u:ff",
         [](Lane &l) {
           return convert(kSingle, kBf16, l.a, toNearest) | convert(kSingle, kBf16, l.b, toNearest)
                                                                << 16;
         },
         Enc::VOP3,
         false,
         mode,
         {},
         kTarget});
  Machine m;
  m.wave.setMode(mode);
  const uint32_t sources[] = {0x477ff000, 0xff7fffff, 0xff800000, 0x477fe000};
  const uint32_t results[] = {0x7bff, 0xfbff, 0xfc00, 0x7bff};
  for (unsigned n = 0; n < 4; ++n) {
    m.v(1).u[0] = sources[n];
    m.v(2).u[0] = 0xffffffff;
    runWords(m, {0xd2a60003, 0x00020501}); // v_cvt_sr_f16_f32 v3, v1, v2
    EXPECT_EQ(m.v(3).u[0] & 0xffff, results[n]);
  }
  // v_cvt_scalef32_pk_f16_bf8 v3, v1, v4: bf8's largest, 57344, and its infinity, both times 4; then
  // v_cvt_scalef32_f16_bf8 v3, v1, v4, and the first of the 32 of v_cvt_scalef32_pk32_f16_fp6
  // v[16:31], v[6:11], v4.
  m.v(1).u[0] = 0xfc7b;
  m.v(4).u[0] = std::bit_cast<uint32_t>(4.0f);
  runWords(m, {0xd2490003, 0x00020901});
  EXPECT_EQ(m.v(3).u[0], 0xfc007bffu);
  runWords(m, {0xd24b0003, 0x00020901});
  EXPECT_EQ(m.v(3).u[0] & 0xffff, 0x7bffu);
  m.v(4).u[0] = std::bit_cast<uint32_t>(0x1p14f);
  m.v(6).u[0] = 0x1f; // 7.5
  runWords(m, {0xd2600010, 0x00020906});
  EXPECT_EQ(m.v(16).u[0] & 0xffff, 0x7bffu);
}

/// IEEE 754-2019's minimum and maximum of raw values, a signalling NaN first.
uint64_t extreme(Format f, uint64_t a, uint64_t b, bool maximum) {
  const auto signalling = [&](uint64_t x) { return f.isNan(x) && !(x & f.quietBit()); };
  for (uint64_t x : {a, b})
    if (signalling(x))
      return x | f.quietBit();
  for (uint64_t x : {a, b})
    if (f.isNan(x))
      return x;
  // The order of the numbers is that of these integers, -0 below +0.
  const auto key = [&](uint64_t x) {
    return x & f.sign() ? -int64_t(f.magnitude(x)) - 1 : int64_t(x);
  };
  return (key(a) < key(b)) != maximum ? a : b;
}

TEST(ValuGfx950, MinimumAndMaximum) {
  for (bool maximum : {false, true}) {
    expect(maximum ? Op::v_maximum3_f32 : Op::v_minimum3_f32, "f:fff", [=](Lane &l) {
      return extreme(kSingle, extreme(kSingle, l.a, l.b, maximum), l.c, maximum);
    });
    for (unsigned round = 0; round < 50; ++round) {
      Machine m;
      const auto &edges = edgeValues('h');
      for (unsigned r : {1, 2, 4})
        for (unsigned l = 0; l < 64; ++l)
          m.v(r).u[l] = uint32_t(edges[random64() % edges.size()] & 0xffff) |
                        uint32_t(edges[random64() % edges.size()]) << 16;
      if (maximum)
        runWords(m, {0xd39c4003, 0x1c120501}); // v_pk_maximum3_f16 v3, v1, v2, v4
      else
        runWords(m, {0xd39b4003, 0x1c120501}); // v_pk_minimum3_f16 v3, v1, v2, v4
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned shift : {0, 16}) {
          const auto half = [&](unsigned r) -> uint64_t { return m.v(r).u[l] >> shift & 0xffff; };
          const uint64_t want =
              extreme(kHalf, extreme(kHalf, half(1), half(2), maximum), half(4), maximum);
          ASSERT_EQ(half(3), want)
              << std::hex << half(1) << " " << half(2) << " " << half(4) << " " << maximum;
        }
    }
  }
}

TEST(ValuGfx950, DotOfBf16) {
  const auto element = [](uint64_t x, unsigned k) {
    return flushDenormal(kSingle, (x >> (16 * k) & 0xffff) << 16);
  };
  const auto product = [=](Lane &l, unsigned k) {
    return mulExact(kSingle, element(l.a, k), element(l.b, k), toNearest);
  };
  const auto add = [](uint64_t a, uint64_t b) { return addExact(kSingle, a, b, toNearest); };
  expect(
      Op::v_dot2_f32_bf16, "f:uuf",
      [=](Lane &l) { return flushDenormal(kSingle, add(add(product(l, 0), product(l, 1)), l.c)); },
      false, Enc::VOP3P, [](Inst &i) { i.opSelHi = 7; });
  expect(
      Op::v_dot2c_f32_bf16, "f:uu",
      [=](Lane &l) {
        return flushDenormal(kSingle, add(add(l.c & 0xffffffff, product(l, 0)), product(l, 1)));
      },
      false, Enc::VOP2);
}

/// VOP3's neg and abs are the signs of a source's lower and its upper half, and not the
/// accumulator's ("CDNA4" ISA, V_DOT2C_F32_BF16).
TEST(ValuGfx950, DotOfBf16WithSigns) {
  Machine m;
  m.v(1).u[0] = 0x40403f80; // 1 and 3
  m.v(2).u[0] = 0x40a04000; // 2 and 5
  m.v(3).u[0] = std::bit_cast<uint32_t>(100.0f);
  runWords(m, {0xd1160003, 0x20020501}); // v_dot2c_f32_bf16_e64 v3, -v1, v2
  EXPECT_EQ(std::bit_cast<float>(m.v(3).u[0]), 100 - 2 + 15);
  runWords(m, {0xd1160203, 0x20020501}); // v_dot2c_f32_bf16_e64 v3, -v1, |v2|
  EXPECT_EQ(std::bit_cast<float>(m.v(3).u[0]), 113 - 2 - 15);
  runWords(m, {0xd1160103, 0x00020501}); // v_dot2c_f32_bf16_e64 v3, |v1|, v2
  EXPECT_EQ(std::bit_cast<float>(m.v(3).u[0]), 96 + 2 - 15);
}

TEST(ValuGfx950, SwapsGroupsOfLanes) {
  for (unsigned group : {16, 32})
    for (uint64_t exec : {~0ull, 0x00ff00ff0f0f0f0full}) {
      for (bool extended : {false, true}) {
        Machine m;
        m.fill(group);
        m.wave.exec() = exec;
        const VRow source = m.v(1), destination = m.v(3);
        if (group == 16 && !extended)
          runWords(m, {0x7e06b301}); // v_permlane16_swap_b32 v3, v1
        else if (!extended)
          runWords(m, {0x7e06b501}); // v_permlane32_swap_b32 v3, v1
        else if (group == 16)
          runWords(m, {0xd1991803, 0x00000101}); // v_permlane16_swap_b32 v3, v1 bound_ctrl:1 fi:1
        else
          runWords(m, {0xd19a1003, 0x00000101}); // v_permlane32_swap_b32 v3, v1 bound_ctrl:1
        const bool inactive = extended && group == 16, zeros = extended && group == 32;
        const auto want = [&](const VRow &own, unsigned l, const VRow &other, unsigned from) {
          if (!(exec >> l & 1))
            return own.u[l];
          return inactive || (exec >> from & 1) ? other.u[from] : zeros ? 0 : own.u[l];
        };
        for (unsigned l = 0; l < 64; ++l) {
          const bool odd = l & group;
          ASSERT_EQ(m.v(1).u[l], odd ? source.u[l] : want(source, l, destination, l + group)) << l;
          ASSERT_EQ(m.v(3).u[l], odd ? want(destination, l, source, l - group) : destination.u[l])
              << l;
        }
      }
    }
  // The rows of 16 lanes by name: source A0 A1 A2 A3 and destination B0 B1 B2 B3 become
  // B1 A1 B3 A3 and B0 A0 B2 A2.
  Machine m;
  for (unsigned l = 0; l < 64; ++l) {
    m.v(1).u[l] = 0xa0 + l / 16;
    m.v(3).u[l] = 0xb0 + l / 16;
  }
  runWords(m, {0x7e06b301});
  const uint32_t source[4] = {0xb1, 0xa1, 0xb3, 0xa3}, destination[4] = {0xb0, 0xa0, 0xb2, 0xa2};
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(m.v(1).u[l], source[l / 16]);
    EXPECT_EQ(m.v(3).u[l], destination[l / 16]);
  }
}

} // namespace
} // namespace meld::test
