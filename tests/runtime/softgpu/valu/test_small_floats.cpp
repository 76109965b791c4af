// Conversions of gfx950's short floats (OCP's fp8, bf8, fp6, bf6, fp4) with and without a scale. The
// reference is a table of each format's values and a search in it.
#include "tests/runtime/softgpu/valu/gfx950.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

namespace meld::test {
namespace {

using namespace softgpu;

constexpr Target kTarget = Target::gfx950;
constexpr uint32_t kSaturate = kDefaultMode | 1u << 23; // MODE.FP16_OVFL
const Format kBf16{8, 7};

float single(uint32_t x) { return std::bit_cast<float>(x); }
uint32_t bits(double x) {
  return std::isnan(x) ? 0x7fc00000 | (std::signbit(x) ? 0x80000000 : 0)
                       : std::bit_cast<uint32_t>(float(x));
}

TEST(ValuSmallFloats, Values) {
  EXPECT_EQ(kFp8.value(0x7e), 448);
  EXPECT_EQ(kFp8.value(1), 0x1p-9);
  EXPECT_EQ(kBf8.value(0x7b), 57344);
  EXPECT_EQ(kBf8.value(1), 0x1p-16);
  EXPECT_EQ(kFp6.value(0x1f), 7.5);
  EXPECT_EQ(kFp6.value(1), 0.125);
  EXPECT_EQ(kBf6.value(0x1f), 28);
  EXPECT_EQ(kBf6.value(1), 0.0625);
  EXPECT_EQ(kFp4.value(7), 6);
  EXPECT_EQ(kFp4.value(1), 0.5);
}

TEST(ValuSmallFloats, Widens8Bits) {
  for (bool bf8 : {false, true}) {
    const OcpFloat f = bf8 ? kBf8 : kFp8;
    for (unsigned start = 0; start < 256; start += 64) {
      Machine m;
      for (unsigned l = 0; l < 64; ++l)
        m.v(1).u[l] = (start + l) | (255 - start - l) << 8;
      Inst one = make(bf8 ? Op::v_cvt_f32_bf8 : Op::v_cvt_f32_fp8, Enc::VOP1, vgpr(3), {vgpr(1)});
      Inst two =
          make(bf8 ? Op::v_cvt_pk_f32_bf8 : Op::v_cvt_pk_f32_fp8, Enc::VOP1, vgpr(6, 2), {vgpr(1)});
      ASSERT_TRUE(m.run(one, kTarget) && m.run(two, kTarget));
      for (unsigned l = 0; l < 64; ++l) {
        EXPECT_EQ(m.v(3).u[l], bits(f.value(start + l))) << start + l;
        EXPECT_EQ(m.v(6).u[l], bits(f.value(start + l)));
        EXPECT_EQ(m.v(7).u[l], bits(f.value(255 - start - l)));
      }
    }
  }
}

/// Numbers near everything that matters to a format, as f32.
std::vector<uint32_t> interesting(const OcpFloat &f) {
  std::vector<uint32_t> list = {0,          0x80000000, 1,          0x007fffff, 0x7f7fffff,
                                0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001};
  for (unsigned code = 0; code <= f.largest; ++code) {
    const double here = f.value(code);
    const double next = code == f.largest ? 2 * here - f.value(code - 1) : f.value(code + 1);
    for (double x : {here, (here + next) / 2, next}) {
      const uint32_t b = bits(x);
      for (uint32_t near : {b - 1, b, b + 1})
        if (b)
          list.insert(list.end(), {near, near | 0x80000000});
    }
  }
  while (list.size() % 64)
    list.push_back(uint32_t(random64()));
  return list;
}

TEST(ValuSmallFloats, NarrowsTo8Bits) {
  for (const auto &[packed, atRandom, format] :
       {std::tuple{Op::v_cvt_pk_fp8_f32, Op::v_cvt_sr_fp8_f32, kFp8},
        std::tuple{Op::v_cvt_pk_bf8_f32, Op::v_cvt_sr_bf8_f32, kBf8}}) {
    const std::vector<uint32_t> list = interesting(format);
    for (bool saturate : {false, true})
      for (size_t at = 0; at < list.size(); at += 64) {
        Machine m;
        m.fill(3);
        m.wave.setMode((saturate ? kSaturate : kDefaultMode) | 1); // rounding up does not matter
        for (unsigned l = 0; l < 64; ++l)
          m.v(1).u[l] = list[at + l];
        const VRow old = m.v(3);
        Inst i = make(packed, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)});
        i.opSel = 8;
        ASSERT_TRUE(m.run(i, kTarget));
        for (unsigned l = 0; l < 64; ++l)
          ASSERT_EQ(m.v(3).u[l], (format.nearest(single(m.v(1).u[l]), saturate) |
                                  format.nearest(single(m.v(2).u[l]), saturate) << 8)
                                         << 16 |
                                     (old.u[l] & 0xffff))
              << std::hex << m.v(1).u[l];
        m.v(3) = old;
        i = make(atRandom, Enc::VOP3, vgpr(3), {vgpr(1), vgpr(2)});
        i.opSel = 4;
        ASSERT_TRUE(m.run(i, kTarget));
        for (unsigned l = 0; l < 64; ++l)
          ASSERT_EQ(m.v(3).u[l], format.atRandom(single(m.v(1).u[l]), m.v(2).u[l], saturate) << 8 |
                                     (old.u[l] & 0xffff00ff))
              << std::hex << m.v(1).u[l] << " " << m.v(2).u[l];
      }
  }
}

struct Wide {
  const char *name;
  unsigned width;
  double decode(uint32_t x) const {
    return width == 32 ? single(x)
                       : single(uint32_t(convert(name[0] == 'b' ? kBf16 : kHalf, kSingle,
                                                 x & 0xffff, toNearest)));
  }
  /// `x` is exact as an f32, or too small for any.
  uint32_t encode(double x) const {
    return width == 32
               ? bits(x)
               : uint32_t(convert(kSingle, name[0] == 'b' ? kBf16 : kHalf, bits(x), toNearest));
  }
};
const Wide kWides[] = {{"f32", 32}, {"f16", 16}, {"bf16", 16}};

Op opNamed(const std::string &name) {
  for (unsigned n = 0; n < unsigned(Op::count); ++n)
    if (nameOf(Op(n)) == name)
      return Op(n);
  ADD_FAILURE() << name;
  return Op::invalid;
}

/// Numbers that a format has after a scale of about 2^e, a few too large or too small, as `wide`.
uint32_t anyNumber(const Wide &wide, int e) {
  const uint64_t r = random64();
  if (r % 32 == 0)
    return wide.encode((r >> 8) % 3 == 0 ? NAN : (r >> 8) % 3 == 1 ? INFINITY : 0.0);
  const double x = std::ldexp(1 + double(r >> 40 & 0x7ff) / 2048, e - 6 + int(r >> 8) % 12);
  return wide.encode(r >> 5 & 1 ? -x : x);
}

double scaleOf(uint32_t x) { return std::ldexp(1, int(x >> 23 & 0xff) - 127); }

/// One or two numbers. Source 0 in v1 (v[6:7] for two f32 with random bits), others in v2, the scale in
/// v4 and its other bits at random.
void checkNarrow(const OcpFloat &f, const char *shortName, const Wide &wide, bool atRandom,
                 bool pair, unsigned opSel, bool saturate) {
  const std::string name = std::string("v_cvt_scalef32_") + (atRandom ? "sr_" : "") +
                           (pair ? "pk_" : "") + shortName + "_" + wide.name;
  SCOPED_TRACE(name);
  Machine m;
  m.fill(opSel + 1);
  m.wave.setMode(saturate ? kSaturate : kDefaultMode);
  m.wave.exec() = 0xfffffffffffffffa;
  const int middle = wide.name[0] == 'f' && wide.width == 16 ? 0 : 20;
  const unsigned first = pair && atRandom && wide.width == 32 ? 6 : 1;
  for (unsigned l = 0; l < 64; ++l) {
    m.v(4).u[l] = uint32_t(127 + middle) << 23 | (m.v(4).u[l] & 0x807fffff);
    m.v(1).u[l] = anyNumber(wide, middle) | (wide.width == 16 ? anyNumber(wide, middle) << 16 : 0);
    m.v(6).u[l] = anyNumber(wide, middle);
    m.v(7).u[l] = anyNumber(wide, middle);
    if (!atRandom)
      m.v(2).u[l] = anyNumber(wide, middle);
  }
  const VRow old = m.v(3);
  std::vector<Operand> sources = {vgpr(first, first == 6 ? 2 : 1)};
  if (atRandom || wide.width == 32)
    sources.push_back(vgpr(2));
  sources.push_back(vgpr(4));
  Inst i = make(opNamed(name), Enc::VOP3, vgpr(3), sources);
  i.opSel = uint8_t(opSel);
  ASSERT_TRUE(m.run(i, kTarget));
  const unsigned width = (pair ? 2 : 1) * unsigned(f.width());
  const unsigned place = width == 16 ? 16 * (opSel >> 3) : 8 * (opSel >> 2);
  for (unsigned l = 0; l < 64; ++l) {
    uint32_t random = m.v(2).u[l], code = 0;
    for (unsigned k = 0; k < (pair ? 2u : 1u); ++k) {
      const unsigned half = pair ? k : opSel & 1;
      const uint32_t raw = wide.width == 16 ? m.v(1).u[l] >> (16 * half) & 0xffff
                           : first == 6     ? m.v(6 + k).u[l]
                                            : m.v(1 + (pair ? k : 0)).u[l];
      const double x = wide.decode(raw) / scaleOf(m.v(4).u[l]);
      code |= (atRandom ? f.atRandom(x, random, saturate) : f.nearest(x, saturate))
              << (k * unsigned(f.width()));
      random = random << 1 ^ (random >> 31 ? 197 : 0);
    }
    const uint32_t field = ((1u << width) - 1) << place;
    const uint32_t want = m.wave.exec() >> l & 1 ? (old.u[l] & ~field) | code << place : old.u[l];
    ASSERT_EQ(m.v(3).u[l], want) << std::hex << l << " " << m.v(1).u[l] << " scale " << m.v(4).u[l];
  }
}

TEST(ValuSmallFloats, NarrowsWithScale) {
  for (const Wide &wide : kWides)
    for (unsigned opSel : {0u, 4u, 8u, 12u})
      for (bool saturate : {false, true})
        for (bool atRandom : {false, true}) {
          for (const auto &[f, name] : {std::pair{kFp8, "fp8"}, std::pair{kBf8, "bf8"}})
            checkNarrow(f, name, wide, atRandom, !atRandom,
                        opSel | (atRandom && wide.width == 16 ? opSel >> 3 : 0), saturate);
          checkNarrow(kFp4, "fp4", wide, atRandom, true, opSel, saturate);
          if (HasFatalFailure())
            return;
        }
}

/// MODE's denormals of f32 count for all sources of that type ("CDNA4" ISA, 7.3): 2^-127 by a scale
/// of 2^-127 is 1, or 0.
TEST(ValuSmallFloats, DenormalSources) {
  for (bool denormals : {false, true}) {
    Machine m;
    m.wave.setMode(denormals ? kDefaultMode : kDefaultMode & ~0x30u);
    for (unsigned r = 0; r < 96; ++r)
      m.v(r).u[0] = 0x00400000; // 2^-127, and a scale whose exponent is 0
    const uint32_t one = denormals ? 2 : 0;
    runWords(m, {0xd23d0029, 0x04120902}); // v_cvt_scalef32_pk_fp4_f32 v41, v2, v4, v4
    EXPECT_EQ(m.v(41).u[0] & 0xff, one * 0x11);
    m.v(3).u[0] = m.v(2).u[0];
    m.v(6).u[0] = 0;
    runWords(m, {0xd23e0029, 0x04120d02}); // v_cvt_scalef32_sr_pk_fp4_f32 v41, v[2:3], v6, v4
    EXPECT_EQ(m.v(41).u[0] & 0xff, one * 0x11);
    // v_cvt_scalef32_2xpk16_fp6_f32 v[42:47], v[8:23], v[24:39], v4: 1 is 8 there
    runWords(m, {0xd252002a, 0x04123108});
    EXPECT_EQ(m.v(42).u[0] & 0xfff, one * 4 * 0x41);
  }
}

/// What a scale that is NaN makes NaN keeps its sign, as the source's own NaN does; so it is in HIP's own
/// arithmetic for hosts.
TEST(ValuSmallFloats, ScaleThatIsNan) {
  for (bool negative : {false, true})
    for (uint32_t scale : {0x7f800000u, 0x7fc00000u, 0xff800000u}) {
      Machine m;
      const float one = negative ? -1.0f : 1.0f;
      for (unsigned r = 1; r < 22; ++r)
        m.v(r).u[0] = std::bit_cast<uint32_t>(one);
      m.v(3).u[0] = negative ? 0x8888 : 0x1111;
      m.v(4).u[0] = scale;
      for (unsigned r = 22; r < 28; ++r)
        m.v(r).u[0] = negative ? 0xffffffff : 0;
      runWords(m, {0xd2350028, 0x04120501}); // v_cvt_scalef32_pk_fp8_f32 v40, v1, v2, v4
      EXPECT_EQ(m.v(40).u[0] & 0xffff, negative ? 0xffffu : 0x7f7fu);
      runWords(m, {0xd23d0029, 0x04120501}); // v_cvt_scalef32_pk_fp4_f32 v41, v1, v2, v4
      EXPECT_EQ(m.v(41).u[0] & 0xff, negative ? 0xffu : 0x77u);
      runWords(m, {0xd238002a, 0x04120902}); // v_cvt_scalef32_sr_bf8_f32 v42, v2, v4, v4
      EXPECT_EQ(m.v(42).u[0] & 0xff, negative ? 0xffu : 0x7fu);
      // v_cvt_scalef32_2xpk16_fp6_f32 v[44:49], v[6:21], v[6:21], v4
      runWords(m, {0xd252002c, 0x04120d06});
      EXPECT_EQ(m.v(44).u[0] & 0xfff, negative ? 0xfffu : 0x7dfu);
      const uint32_t quiet = negative ? 0xffc00000 : 0x7fc00000;
      runWords(m, {0xd23f0032, 0x00020903}); // v_cvt_scalef32_pk_f32_fp4 v[50:51], v3, v4
      EXPECT_EQ(m.v(50).u[0], quiet);
      runWords(m, {0xd24a0034, 0x00020903}); // v_cvt_scalef32_f16_fp8 v52, v3, v4
      EXPECT_EQ(m.v(52).u[0] & 0xffff, negative ? 0xfe00u : 0x7e00u);
      runWords(m, {0xd2560036, 0x00020916}); // v_cvt_scalef32_pk32_f32_fp6 v[54:85], v[22:27], v4
      EXPECT_EQ(m.v(54).u[0], quiet);
      EXPECT_EQ(m.v(59).u[0], quiet);
    }
}

TEST(ValuSmallFloats, WidensWithScale) {
  for (const Wide &wide : kWides)
    for (const auto &[format, name] :
         {std::pair{kFp8, "fp8"}, std::pair{kBf8, "bf8"}, std::pair{kFp4, "fp4"}})
      for (bool pair : {false, true})
        for (unsigned opSel = 0; opSel < 4; ++opSel)
          for (int exponent : {0, 1, -5, 20, -140, 127}) {
            const OcpFloat f = format;
            if (!pair && (f.width() == 4 || wide.name[0] == 'b'))
              continue;
            const std::string full =
                std::string("v_cvt_scalef32_") + (pair ? "pk_" : "") + wide.name + "_" + name;
            SCOPED_TRACE(full);
            if (pair && f.width() == 8 && opSel > 1)
              continue;
            Machine m;
            m.fill(opSel + 7);
            const double scale = std::ldexp(1, std::max(exponent, -127));
            for (unsigned l = 0; l < 64; ++l)
              m.v(4).u[l] =
                  uint32_t(std::max(exponent, -127) + 127) << 23 | (m.v(4).u[l] & 0x807fffff);
            const VRow old = m.v(6);
            Inst i = make(opNamed(full), Enc::VOP3, vgpr(6, pair && wide.width == 32 ? 2 : 1),
                          {vgpr(1), vgpr(4)});
            const bool high = !pair && wide.width == 16 && opSel >= 2;
            i.opSel = uint8_t(opSel | (high ? 8 : 0));
            ASSERT_TRUE(m.run(i, kTarget));
            const unsigned at = pair && f.width() == 8 ? 16 * opSel : 8 * opSel;
            for (unsigned l = 0; l < 64; ++l)
              for (unsigned k = 0; k < (pair ? 2u : 1u); ++k) {
                const unsigned code =
                    m.v(1).u[l] >> (at + k * unsigned(f.width())) & (2 * f.sign() - 1);
                const uint32_t want = wide.encode(f.value(code) * scale);
                const uint32_t got = wide.width == 32 ? m.v(6 + k).u[l]
                                                      : m.v(6).u[l] >> (pair   ? 16 * k
                                                                        : high ? 16
                                                                               : 0) &
                                                            0xffff;
                ASSERT_EQ(got, want) << std::hex << code << " scale " << m.v(4).u[l];
                if (!pair && wide.width == 16) {
                  ASSERT_EQ(m.v(6).u[l] >> (high ? 0 : 16) & 0xffff,
                            old.u[l] >> (high ? 0 : 16) & 0xffff);
                }
              }
          }
}

unsigned sixBits(const Machine &m, unsigned first, unsigned l, unsigned n) {
  const unsigned at = 6 * n;
  uint64_t x = m.rows[first + at / 32].u[l];
  if (at % 32 > 26)
    x |= uint64_t(m.rows[first + at / 32 + 1].u[l]) << 32;
  return x >> (at % 32) & 0x3f;
}

TEST(ValuSmallFloats, VectorsOfSixBits) {
  for (const Wide &wide : kWides)
    for (const auto &[format, name] : {std::pair{kFp6, "fp6"}, std::pair{kBf6, "bf6"}}) {
      const OcpFloat f = format;
      const unsigned wideRows = wide.width;
      const auto number = [&](const Machine &m, unsigned l, unsigned n) {
        return wide.width == 32 ? m.rows[6 + n].u[l]
                                : m.rows[6 + n / 2].u[l] >> (16 * (n % 2)) & 0xffff;
      };
      for (bool atRandom : {false, true}) {
        const bool twice = wide.width == 32 && !atRandom;
        Machine m;
        m.fill(9);
        m.wave.exec() = 0x8000000000000f01;
        for (unsigned l = 0; l < 64; ++l) {
          m.v(4).u[l] = 130u << 23 | (m.v(4).u[l] & 0x807fffff);
          for (unsigned r = 0; r < wideRows; ++r)
            m.v(6 + r).u[l] =
                anyNumber(wide, 3) | (wide.width == 16 ? anyNumber(wide, 3) << 16 : 0);
        }
        const std::vector<VRow> before = m.rows;
        const std::string full = std::string("v_cvt_scalef32_") + (atRandom ? "sr_" : "") +
                                 (twice ? "2xpk16_" : "pk32_") + name + "_" + wide.name;
        SCOPED_TRACE(full);
        std::vector<Operand> sources = {vgpr(6, twice ? 16 : wideRows)};
        if (twice)
          sources.push_back(vgpr(22, 16));
        if (atRandom)
          sources.push_back(vgpr(2));
        sources.push_back(vgpr(4));
        ASSERT_TRUE(m.run(make(opNamed(full), Enc::VOP3, vgpr(40, 6), sources), kTarget));
        for (unsigned l = 0; l < 64; ++l) {
          uint32_t random = m.v(2).u[l];
          for (unsigned n = 0; n < 32; ++n) {
            // Of two sources the numbers come by turns.
            const double x = wide.decode(number(m, l, twice ? n / 2 + n % 2 * 16 : n)) / 8;
            const unsigned want = atRandom ? f.atRandom(x, random, true) : f.nearest(x, true);
            random = random << 1 ^ (random >> 31 ? 197 : 0);
            if (m.wave.exec() >> l & 1) {
              ASSERT_EQ(sixBits(m, 40, l, n), want) << l << " " << n << " " << x;
            }
          }
          if (!(m.wave.exec() >> l & 1)) {
            for (unsigned r = 40; r < 46; ++r)
              ASSERT_EQ(m.v(r).u[l], before[r].u[l]);
          }
        }
      }
      Machine m;
      m.fill(11);
      for (unsigned l = 0; l < 64; ++l)
        m.v(4).u[l] = 125u << 23 | (m.v(4).u[l] & 0x807fffff);
      const std::string full = std::string("v_cvt_scalef32_pk32_") + wide.name + "_" + name;
      SCOPED_TRACE(full);
      ASSERT_TRUE(m.run(make(opNamed(full), Enc::VOP3, vgpr(6, wideRows), {vgpr(40, 6), vgpr(4)}),
                        kTarget));
      for (unsigned l = 0; l < 64; ++l)
        for (unsigned n = 0; n < 32; ++n)
          ASSERT_EQ(number(m, l, n), wide.encode(f.value(sixBits(m, 40, l, n)) / 4))
              << l << " " << n;
    }
}

/// As LLVM 21 encodes them, worked out by hand.
TEST(ValuSmallFloats, Words) {
  Machine m;
  m.wave.setMode(kDefaultMode);
  m.v(1).u[0] = std::bit_cast<uint32_t>(6.0f);
  m.v(2).u[0] = std::bit_cast<uint32_t>(-1000.0f);
  m.v(3).u[0] = 0x11223344;
  m.v(4).u[0] = std::bit_cast<uint32_t>(2.0f);
  // v_cvt_scalef32_pk_fp8_f32 v3, v1, v2, v4 op_sel:[0,0,0,1]: 3 and -500, which is too large
  runWords(m, {0xd2354003, 0x04120501});
  EXPECT_EQ(m.v(3).u[0], 0xff443344u);
  // v_cvt_scalef32_pk_fp4_f32 v3, v1, v2, v4 op_sel:[0,0,1,0]: 3 and -6
  runWords(m, {0xd23d2003, 0x04120501});
  EXPECT_EQ(m.v(3).u[0], 0xff44f544u);
  // v_cvt_scalef32_f16_fp8 v3, v1, v4 op_sel:[1,1,1]: the highest byte of 6.0f, 0x40, is 2
  runWords(m, {0xd24a5803, 0x00020901});
  EXPECT_EQ(m.v(3).u[0], 0x4400f544u);
  // v_cvt_scalef32_pk_f32_fp4 v[6:7], v1, v4 op_sel:[1,1,0]: 0 and 2
  runWords(m, {0xd23f1806, 0x00020901});
  EXPECT_EQ(single(m.v(6).u[0]), 0.0f);
  EXPECT_EQ(single(m.v(7).u[0]), 4.0f);
}

} // namespace
} // namespace meld::test
