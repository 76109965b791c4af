// What the vector ALU of gfx942 has beyond gfx90a's: 64-bit moves and adds, fmamk, fmaak, and
// conversions of 8-bit floats. The reference for those is a table of the 256 values, made from the
// definition of the formats (bias 8 or 16, one NaN, no infinity), and a search in it.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr Target kTarget = Target::gfx942;
constexpr uint32_t kSaturate = kDefaultMode | 1u << 23; // MODE.FP16_OVFL

TEST(ValuGfx942, WideIntegers) {
  check({Op::v_mov_b64,
         "q:q",
         [](Lane &l) { return l.a; },
         Enc::VOP1,
         false,
         kDefaultMode,
         {},
         kTarget});
  check({Op::v_lshl_add_u64,
         "q:quq",
         [](Lane &l) {
           const unsigned count = l.b & 7;
           return (count > 4 ? l.a : l.a << count) + l.c;
         },
         Enc::VOP3,
         false,
         kDefaultMode,
         {},
         kTarget});
}

TEST(ValuGfx942, FusedWithLiteral) {
  const auto fused = [](Lane &l) { return fmaExact(kSingle, l.a, l.b, l.c, toNearest); };
  check({Op::v_fmamk_f32, "f:fff", fused, Enc::VOP2, false, kDefaultMode, {}, kTarget});
  check({Op::v_fmaak_f32, "f:fff", fused, Enc::VOP2, false, kDefaultMode, {}, kTarget});
}

struct Small {
  int exponentBits, mantissaBits, bias;
  double value(unsigned code) const {
    if (code == 0x80)
      return NAN;
    const int exponent = (code & 0x7f) >> mantissaBits;
    const double mantissa = (code & ((1 << mantissaBits) - 1)) / double(1 << mantissaBits);
    const double magnitude =
        exponent ? std::ldexp(1 + mantissa, exponent - bias) : std::ldexp(mantissa, 1 - bias);
    return code & 0x80 ? -magnitude : magnitude;
  }
  uint8_t tooLarge(bool negative, bool saturate) const {
    return !saturate ? 0x80 : negative ? 0xff : 0x7f;
  }
  /// With the highest random bits added below the last bit of the result, and truncated. What is
  /// below the normal range is a multiple of the smallest denormal first. Steps between codes are
  /// powers of two, so the doubles are exact.
  uint8_t stochastic(float x, uint32_t random, bool saturate) const {
    if (std::isnan(x) || std::isinf(x))
      return std::isnan(x) ? 0x80 : tooLarge(std::signbit(x), saturate);
    const double magnitude = std::fabs(double(x));
    const int exponent = std::max(magnitude ? std::ilogb(magnitude) : 1 - bias, 1 - bias);
    const double step = std::ldexp(1, exponent - mantissaBits);
    const int below = 23 - mantissaBits; // bits of the sum that are dropped
    const double sum = std::floor(std::ldexp(magnitude / step, below)) + (random >> (32 - below));
    const double rounded = std::floor(std::ldexp(sum, -below)) * step;
    for (unsigned code = 0; code < 0x80; ++code)
      if (value(code) == rounded)
        return uint8_t(code ? code | (std::signbit(x) ? 0x80 : 0) : 0);
    return tooLarge(std::signbit(x), saturate);
  }
  /// To nearest, ties to the even code.
  uint8_t narrow(float x, bool saturate) const {
    if (std::isnan(x))
      return 0x80;
    const bool negative = std::signbit(x);
    const double magnitude = std::fabs(double(x));
    if (std::isinf(x))
      return tooLarge(negative, saturate);
    // One more step beyond the largest, as if the format went on.
    const double largest = value(0x7f), beyond = largest + (largest - value(0x7e));
    unsigned below = 0;
    for (unsigned code = 0; code < 0x80; ++code)
      if (value(code) <= magnitude)
        below = code;
    const double next = below == 0x7f ? beyond : value(below + 1),
                 middle = (value(below) + next) / 2;
    unsigned code = below;
    if (magnitude > middle || (magnitude == middle && (below & 1)))
      ++code;
    if (code > 0x7f)
      return tooLarge(negative, saturate);
    return uint8_t(code ? code | (negative ? 0x80 : 0) : 0);
  }
};
constexpr Small kFp8{4, 3, 8}, kBf8{5, 2, 16};

uint64_t bitsOf(const Small &f, unsigned code) {
  return code == 0x80 ? 0x7fc00000 : std::bit_cast<uint32_t>(float(f.value(code)));
}

TEST(ValuGfx942, WidensFloat8) {
  EXPECT_EQ(kFp8.value(0x7f), 240.0);
  EXPECT_EQ(kBf8.value(0x7f), 57344.0);
  const auto both = [](const Small &f, uint64_t x) {
    return bitsOf(f, x & 0xff) | bitsOf(f, x >> 8 & 0xff) << 32;
  };
  for (const auto &[one, two, format] :
       {std::tuple{Op::v_cvt_f32_fp8, Op::v_cvt_pk_f32_fp8, kFp8},
        std::tuple{Op::v_cvt_f32_bf8, Op::v_cvt_pk_f32_bf8, kBf8}}) {
    const Small f = format;
    check({one,
           "u:u",
           [=](Lane &l) { return bitsOf(f, l.a & 0xff); },
           Enc::VOP1,
           false,
           kDefaultMode,
           {},
           kTarget});
    check({two,
           "q:u",
           [=](Lane &l) { return both(f, l.a); },
           Enc::VOP1,
           false,
           kDefaultMode,
           {},
           kTarget});
    // Every code in every place that SDWA can name.
    for (unsigned select = 0; select < 6; ++select) {
      Machine m;
      for (unsigned start = 0; start < 256; start += 64) {
        for (unsigned l = 0; l < 64; ++l)
          m.v(1).u[l] = (start + l) * 0x01010101u ^ 0x5a000000u;
        m.wave.exec() = ~0ull;
        Inst i = make(one, Enc::VOP1, vgpr(2), {vgpr(1)});
        i.sdwa = true;
        i.sdwaSrc[0] = isa::SdwaSel(select);
        ASSERT_TRUE(m.run(i, kTarget));
        const unsigned shift = select < 4 ? 8 * select : 16 * (select - 4);
        for (unsigned l = 0; l < 64; ++l)
          ASSERT_EQ(m.v(2).u[l], bitsOf(f, m.v(1).u[l] >> shift & 0xff)) << select << " " << l;
        i = make(two, Enc::VOP1, vgpr(2, 2), {vgpr(1)});
        i.sdwa = true;
        i.sdwaSrc[0] = isa::SdwaSel::word1;
        ASSERT_TRUE(m.run(i, kTarget));
        for (unsigned l = 0; l < 64; ++l)
          ASSERT_EQ(m.v(2).u[l] | uint64_t(m.v(3).u[l]) << 32, both(f, m.v(1).u[l] >> 16));
      }
    }
  }
}

/// Floats near everything that matters to an 8-bit float: its values, the middles between them, the
/// ends of its range, and specials.
std::vector<uint32_t> interesting() {
  std::vector<uint32_t> list = {0,          0x80000000, 1,          0x007fffff,
                                0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                0x7fc00000, 0x7f800001, 0xffc00001};
  for (const Small &f : {kFp8, kBf8})
    for (unsigned code = 0; code < 0x80; ++code) {
      const double here = f.value(code),
                   next = code == 0x7f ? 2 * here - f.value(0x7e) : f.value(code + 1);
      for (double x : {here, (here + next) / 2, next}) {
        const uint32_t bits = std::bit_cast<uint32_t>(float(x));
        for (uint32_t near : {bits - 1, bits, bits + 1})
          if (bits)
            list.insert(list.end(), {near, near | 0x80000000});
      }
    }
  while (list.size() % 64)
    list.push_back(uint32_t(random64()));
  return list;
}

TEST(ValuGfx942, NarrowsToFloat8) {
  const std::vector<uint32_t> list = interesting();
  Machine m;
  for (const auto &[packed, stochastic, format] :
       {std::tuple{Op::v_cvt_pk_fp8_f32, Op::v_cvt_sr_fp8_f32, kFp8},
        std::tuple{Op::v_cvt_pk_bf8_f32, Op::v_cvt_sr_bf8_f32, kBf8}})
    for (bool saturate : {false, true})
      for (size_t at = 0; at < list.size(); at += 64)
        for (unsigned place = 0; place < 4; ++place) {
          m.fill(uint32_t(at));
          for (unsigned l = 0; l < 64; ++l) {
            m.v(1).u[l] = list[at + l];
            m.v(2).u[l] = place & 1 ? uint32_t(random64()) : list[(at * 7 + l * 5) % list.size()];
          }
          const VRow old = m.v(3);
          m.wave.setMode(saturate ? kSaturate : kDefaultMode);
          m.wave.exec() = place == 3 ? 0xf0f0f0f0f0f0f0f0 : ~0ull;
          const auto f = [&](unsigned row, unsigned l) {
            return std::bit_cast<float>(m.v(row).u[l]);
          };
          Inst i = make(packed, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)});
          i.opSel = uint8_t(place << 2 & 8);
          ASSERT_TRUE(m.run(i, kTarget));
          for (unsigned l = 0; l < 64; ++l) {
            const uint32_t pair =
                format.narrow(f(1, l), saturate) | format.narrow(f(2, l), saturate) << 8;
            const unsigned shift = i.opSel ? 16 : 0;
            const uint32_t want = m.wave.exec() >> l & 1
                                      ? (old.u[l] & ~(0xffffu << shift)) | pair << shift
                                      : old.u[l];
            ASSERT_EQ(m.v(3).u[l], want) << std::hex << m.v(1).u[l] << " " << m.v(2).u[l];
          }
          m.v(3) = old;
          i = make(stochastic, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)});
          i.opSel = uint8_t(place << 2);
          i.neg = place & 1;
          ASSERT_TRUE(m.run(i, kTarget));
          for (unsigned l = 0; l < 64; ++l) {
            const uint32_t bits = m.v(1).u[l] ^ (i.neg ? 0x80000000 : 0);
            const uint32_t code =
                format.stochastic(std::bit_cast<float>(bits), m.v(2).u[l], saturate);
            const unsigned shift = 8 * place;
            const uint32_t want =
                m.wave.exec() >> l & 1 ? (old.u[l] & ~(0xffu << shift)) | code << shift : old.u[l];
            ASSERT_EQ(m.v(3).u[l], want) << std::hex << bits << " " << m.v(2).u[l];
          }
        }
}

/// By hand. The smallest denormals are 2^-10 and 2^-17, the largest numbers 240 and 57344.
TEST(ValuGfx942, NarrowsAtRandom) {
  struct Case {
    Op op;
    float value;
    uint32_t random;
    uint8_t code;
  };
  const Op fp8 = Op::v_cvt_sr_fp8_f32, bf8 = Op::v_cvt_sr_bf8_f32;
  const Case cases[] = {
      // 1 + 1/16 is halfway from 1 to the next: up from a half on, and 20 random bits count.
      {fp8, 1.0625f, 0x80000000, 0x41},
      {fp8, 1.0625f, 0x7ffff000, 0x40},
      {fp8, 1.0625f, 0x7fffffff, 0x40},
      {fp8, -1.0625f, 0x80000000, 0xc1},
      {fp8, 1.0f, 0xffffffff, 0x40},
      {fp8, 1.984375f, 0x20000000, 0x48}, // to 2
      {fp8, 240.0f, 0xffffffff, 0x7f},
      {fp8, 248.0f, 0x80000000, 0x80}, // beyond the largest
      {fp8, 248.0f, 0x7fffffff, 0x7f},
      // Halves and quarters of the smallest denormal are as probable as they are large.
      {fp8, 0x1p-11f, 0x80000000, 0x01},
      {fp8, 0x1p-11f, 0x7fffffff, 0x00},
      {fp8, -0x1p-12f, 0xc0000000, 0x81},
      {fp8, -0x1p-12f, 0xbfffffff, 0x00},
      {fp8, 0x1.8p-10f, 0x80000000, 0x02},
      {fp8, 0x1.8p-10f, 0x7fffffff, 0x01},
      {fp8, 0x1.ep-8f, 0x80000000, 0x08}, // 7.5 of them: to the smallest normal
      {fp8, 0x1.ep-8f, 0x7fffffff, 0x07},
      {fp8, 0x1p-30f, 0xfffff000, 0x01}, // the last of 20 bits
      {fp8, 0x1p-30f, 0xffffe000, 0x00},
      {fp8, 0x1p-31f, 0xffffffff, 0x00},
      {bf8, 1.125f, 0x80000000, 0x41},
      {bf8, 1.125f, 0x7ffff800, 0x40},
      {bf8, 0x1p-18f, 0x80000000, 0x01},
      {bf8, 0x1p-18f, 0x7fffffff, 0x00},
      {bf8, -0x1.cp-16f, 0x80000000, 0x84}, // 3.5 of them
      {bf8, -0x1.cp-16f, 0x7fffffff, 0x83},
      {bf8, 0x1p-38f, 0xfffff800, 0x01},
      {bf8, 0x1p-39f, 0xffffffff, 0x00},
  };
  for (const Case &c : cases) {
    Machine m;
    m.fill(1);
    m.wave.setMode(kDefaultMode);
    m.wave.exec() = 1;
    m.v(1).u[0] = std::bit_cast<uint32_t>(c.value);
    m.v(2).u[0] = c.random;
    ASSERT_TRUE(m.run(make(c.op, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)}), kTarget));
    EXPECT_EQ(m.v(3).u[0] & 0xff, c.code) << c.value << " " << std::hex << c.random;
  }
}

} // namespace
} // namespace meld::test
