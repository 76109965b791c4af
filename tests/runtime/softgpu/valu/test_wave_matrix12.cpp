// v_wmma_* and v_swmmac_* of gfx1201 in waves of 32 and of 64 lanes: plain products of matrices,
// put into the places that AMD's matrix instruction calculator names for each element.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr unsigned kA = 16, kB = 24, kIndex = 40, kC = 48, kD = 64;

struct Place {
  unsigned lane, reg, bit;
};

/// Element k of line i of a dense matrix of a dense product.
Place dense(unsigned wave, unsigned bits, unsigned depth, unsigned i, unsigned k) {
  Place p{i, 0, bits * (k % (32 / bits))};
  if (wave == 32) {
    if (bits == 16)
      p.lane = 16 * (k / 4 % 2) + i, p.reg = 2 * (k / 8) + k / 2 % 2;
    else if (bits == 8)
      p.lane = 16 * (k / 8) + i, p.reg = k / 4 % 2;
    else if (depth == 16)
      p.lane = 16 * (k / 8) + i;
    else
      p.lane = 16 * (k / 16) + i, p.reg = k / 8 % 2;
  } else {
    if (bits == 16)
      p.lane = 32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i, p.reg = k / 2 % 2;
    else if (bits == 8)
      p.lane = 32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i;
    else if (depth == 16)
      p.lane = 16 * (k / 8) + i;
    else
      p.lane = 32 * (k / 8 % 2) + 16 * (k / 16 % 2) + i;
  }
  return p;
}
/// The same of B in a sparse product.
Place denseOfSparse(unsigned wave, unsigned bits, unsigned depth, unsigned i, unsigned k) {
  Place p{i, 0, bits * (k % (32 / bits))};
  if (wave == 32) {
    if (bits == 16)
      p.lane = 16 * (k / 8 % 2) + i, p.reg = 4 * (k / 16) + k / 2 % 4;
    else if (bits == 8)
      p.lane = 16 * (k / 16) + i, p.reg = k / 4 % 4;
    else if (depth == 32)
      p.lane = 16 * (k / 16) + i, p.reg = k / 8 % 2;
    else
      p.lane = 16 * (k / 32) + i, p.reg = k / 8 % 4;
  } else {
    if (bits == 16)
      p.lane = 16 * (k / 8) + i, p.reg = k / 2 % 4;
    else if (bits == 8)
      p.lane = 32 * (k / 8 % 2) + 16 * (k / 16) + i, p.reg = k / 4 % 2;
    else if (depth == 32)
      p.lane = 32 * (k / 8 % 2) + 16 * (k / 16) + i;
    else
      p.lane = 32 * (k / 16 % 2) + 16 * (k / 32) + i, p.reg = k / 8 % 2;
  }
  return p;
}
/// The first of the two elements that A has of elements k to k + 3.
Place sparse(unsigned wave, unsigned bits, unsigned depth, unsigned i, unsigned k) {
  Place p{i, 0, bits == 16 ? 0 : 2 * bits * (k / 4 % (16 / bits))};
  if (wave == 32) {
    if (bits == 16)
      p.lane = 16 * (k / 8 % 2) + i, p.reg = 2 * (k / 16) + k / 4 % 2;
    else if (bits == 8)
      p.lane = 16 * (k / 16) + i, p.reg = k / 8 % 2;
    else if (depth == 32)
      p.lane = 16 * (k / 16) + i;
    else
      p.lane = 16 * (k / 32) + i, p.reg = k / 16 % 2;
  } else {
    if (bits == 16)
      p.lane = 16 * (k / 8) + i, p.reg = k / 4 % 2;
    else if (bits == 8)
      p.lane = 32 * (k / 8 % 2) + 16 * (k / 16) + i;
    else if (depth == 32)
      p.lane = 16 * (k / 16) + i;
    else
      p.lane = 32 * (k / 16 % 2) + 16 * (k / 32) + i;
  }
  return p;
}
unsigned indexBit(unsigned wave, unsigned bits, unsigned depth, unsigned k, unsigned key) {
  unsigned base, sets;
  if (wave == 32) {
    base = bits == 16                 ? 8 * (k / 16) + 4 * (k / 4 % 2)
           : bits == 8 || depth == 32 ? 4 * (k / 4 % 4)
                                      : 4 * (k / 4 % 8);
    sets = bits == 4 && depth == 64 ? 1 : 2;
  } else {
    base = bits == 4 ? 4 * (k / 4 % 4) : 4 * (k / 4 % 2);
    sets = bits == 4 ? 2 : 4;
  }
  return base + 32 / sets * key;
}
unsigned keysOf(unsigned wave, unsigned bits, unsigned depth) {
  return wave == 32 ? bits == 4 && depth == 64 ? 1 : 2 : bits == 4 ? 2 : 4;
}
Place output(unsigned wave, unsigned bits, unsigned i, unsigned j) {
  if (wave == 32)
    return {16 * (i / 8) + j, bits == 32 ? i % 8 : i / 2 % 4, bits == 32 ? 0 : 16 * (i % 2)};
  return {32 * (i / 4 % 2) + 16 * (i / 8) + j, bits == 32 ? i % 4 : i / 2 % 2,
          bits == 32 ? 0 : 16 * (i % 2)};
}

enum class Kind { f16, bf16, fp8, bf8, i8, i4 };
unsigned bitsOf(Kind k) { return k == Kind::f16 || k == Kind::bf16 ? 16 : k == Kind::i4 ? 4 : 8; }
bool isInteger(Kind k) { return k == Kind::i8 || k == Kind::i4; }

struct Shape {
  Op op;
  Kind a, b;
  unsigned out; ///< bits of C and D
  unsigned depth;
  bool sparse;
};
const Shape kShapes[] = {
    {Op::v_wmma_f32_16x16x16_f16, Kind::f16, Kind::f16, 32, 16, false},
    {Op::v_wmma_f32_16x16x16_bf16, Kind::bf16, Kind::bf16, 32, 16, false},
    {Op::v_wmma_f16_16x16x16_f16, Kind::f16, Kind::f16, 16, 16, false},
    {Op::v_wmma_bf16_16x16x16_bf16, Kind::bf16, Kind::bf16, 16, 16, false},
    {Op::v_wmma_i32_16x16x16_iu8, Kind::i8, Kind::i8, 32, 16, false},
    {Op::v_wmma_i32_16x16x16_iu4, Kind::i4, Kind::i4, 32, 16, false},
    {Op::v_wmma_i32_16x16x32_iu4, Kind::i4, Kind::i4, 32, 32, false},
    {Op::v_wmma_f32_16x16x16_fp8_fp8, Kind::fp8, Kind::fp8, 32, 16, false},
    {Op::v_wmma_f32_16x16x16_fp8_bf8, Kind::fp8, Kind::bf8, 32, 16, false},
    {Op::v_wmma_f32_16x16x16_bf8_fp8, Kind::bf8, Kind::fp8, 32, 16, false},
    {Op::v_wmma_f32_16x16x16_bf8_bf8, Kind::bf8, Kind::bf8, 32, 16, false},
    {Op::v_swmmac_f32_16x16x32_f16, Kind::f16, Kind::f16, 32, 32, true},
    {Op::v_swmmac_f32_16x16x32_bf16, Kind::bf16, Kind::bf16, 32, 32, true},
    {Op::v_swmmac_f16_16x16x32_f16, Kind::f16, Kind::f16, 16, 32, true},
    {Op::v_swmmac_bf16_16x16x32_bf16, Kind::bf16, Kind::bf16, 16, 32, true},
    {Op::v_swmmac_i32_16x16x32_iu8, Kind::i8, Kind::i8, 32, 32, true},
    {Op::v_swmmac_i32_16x16x32_iu4, Kind::i4, Kind::i4, 32, 32, true},
    {Op::v_swmmac_i32_16x16x64_iu4, Kind::i4, Kind::i4, 32, 64, true},
    {Op::v_swmmac_f32_16x16x32_fp8_fp8, Kind::fp8, Kind::fp8, 32, 32, true},
    {Op::v_swmmac_f32_16x16x32_fp8_bf8, Kind::fp8, Kind::bf8, 32, 32, true},
    {Op::v_swmmac_f32_16x16x32_bf8_fp8, Kind::bf8, Kind::fp8, 32, 32, true},
    {Op::v_swmmac_f32_16x16x32_bf8_bf8, Kind::bf8, Kind::bf8, 32, 32, true},
};

/// A small whole number's code, so that products and sums are exact in every order: -8 .. 7, or 0
/// .. 3 for bf8's two bits.
uint32_t codeOf(Kind k, int x) {
  const uint32_t single = std::bit_cast<uint32_t>(float(x));
  switch (k) {
  case Kind::f16:
    return uint32_t(convert(kSingle, kHalf, single, toNearest));
  case Kind::bf16:
    return single >> 16;
  case Kind::fp8:
  case Kind::bf8: {
    const unsigned mantissa = k == Kind::fp8 ? 3 : 2;
    if (x == 0)
      return 0;
    int exponent;
    const float fraction = std::frexp(std::fabs(float(x)), &exponent); // [0.5, 1)
    const uint32_t bits =
        uint32_t(std::ldexp(fraction, int(mantissa) + 1)) & ((1u << mantissa) - 1);
    return (x < 0 ? 0x80u : 0u) | uint32_t(exponent - 1 + (k == Kind::fp8 ? 7 : 15)) << mantissa |
           bits;
  }
  case Kind::i8:
    return uint32_t(x) & 0xff;
  case Kind::i4:
    return uint32_t(x) & 15;
  }
  return 0;
}

class ValuWaveMatrix12 : public testing::TestWithParam<Target> {
protected:
  const Target target = GetParam();
  const unsigned wave = isa::traitsOf(target).waveSize;
  static void put(Machine &m, unsigned first, Place p, uint32_t bits) {
    m.v(first + p.reg).u[p.lane] |= bits << p.bit;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, ValuWaveMatrix12,
                         testing::Values(Target::gfx1201, Target::gfx1201w64),
                         [](auto &i) { return i.param == Target::gfx1201 ? "Of32" : "Of64"; });

TEST_P(ValuWaveMatrix12, EveryPlace) {
  for (const Shape &s : kShapes)
    for (unsigned round = 0; round < 12; ++round) {
      const unsigned bits = bitsOf(s.a), keys = s.sparse ? keysOf(wave, bits, s.depth) : 1,
                     key = round % keys;
      const int limit = s.a == Kind::bf8 || s.b == Kind::bf8 ? 3 : 7;
      Machine m;
      const unsigned registers = wave == 32 ? (s.out == 32 ? 8 : 4) : (s.out == 32 ? 4 : 2);
      for (unsigned r = kA; r < kD + 8; ++r)
        for (unsigned l = 0; l < 64; ++l)
          m.v(r).u[l] = 0;
      const auto any = [&] { return int(random64() % (2 * limit + 1)) - limit; };
      int a[16][64] = {}, b[64][16], c[16][16];
      for (unsigned i = 0; i < 16; ++i)
        for (unsigned k = 0; k < s.depth; ++k) {
          b[k][i] = any();
          put(m, kB,
              s.sparse ? denseOfSparse(wave, bits, s.depth, i, k)
                       : dense(wave, bits, s.depth, i, k),
              codeOf(s.b, b[k][i]));
          if (!s.sparse) {
            a[i][k] = any();
            put(m, kA, dense(wave, bits, s.depth, i, k), codeOf(s.a, a[i][k]));
          }
        }
      // Other parts of the index register hold something, too.
      if (s.sparse)
        for (unsigned l = 0; l < 64; ++l)
          m.v(kIndex).u[l] = uint32_t(random64());
      for (unsigned i = 0; i < 16 && s.sparse; ++i)
        for (unsigned k = 0; k < s.depth; k += 4) {
          const unsigned first = unsigned(random64() % 3),
                         second = first + 1 + unsigned(random64() % (3 - first));
          Place p = sparse(wave, bits, s.depth, i, k);
          for (unsigned which : {first, second}) {
            a[i][k + which] = any();
            put(m, kA, p, codeOf(s.a, a[i][k + which]));
            p.bit += bits;
          }
          const unsigned at = indexBit(wave, bits, s.depth, k, key);
          uint32_t &index = m.v(kIndex).u[p.lane];
          index = (index & ~(15u << at)) | (first | second << 2) << at;
        }
      for (unsigned i = 0; i < 16; ++i)
        for (unsigned j = 0; j < 16; ++j) {
          c[i][j] = any();
          const uint32_t code = s.out == 16      ? codeOf(s.a, c[i][j])
                                : isInteger(s.a) ? uint32_t(c[i][j])
                                                 : std::bit_cast<uint32_t>(float(c[i][j]));
          put(m, kC, output(wave, s.out, i, j), code);
        }
      const unsigned d = s.sparse || round % 2 ? kC : kD;
      Inst in = make(s.op, Enc::VOP3P, vgpr(d, registers),
                     {vgpr(kA, 2), vgpr(kB, 4), s.sparse ? vgpr(kIndex) : vgpr(kC, registers)});
      in.opSelHi = 7;
      in.opSel = uint8_t(key);
      if (isInteger(s.a))
        in.neg = 3;                                                   // both are signed
      m.wave.exec() = random64() & (wave == 64 ? ~0ull : 0xffffffff); // means nothing
      ASSERT_TRUE(m.run(in, target)) << nameOf(s.op);
      for (unsigned i = 0; i < 16; ++i)
        for (unsigned j = 0; j < 16; ++j) {
          int sum = c[i][j];
          for (unsigned k = 0; k < s.depth; ++k)
            sum += a[i][k] * b[k][j];
          uint32_t want = uint32_t(sum);
          if (!isInteger(s.a))
            want = std::bit_cast<uint32_t>(float(sum));
          if (s.out == 16)
            want = uint32_t(
                convert(kSingle, s.a == Kind::f16 ? kHalf : Format{8, 7}, want, toNearest));
          const Place p = output(wave, s.out, i, j);
          ASSERT_EQ(m.v(d + p.reg).u[p.lane] >> p.bit & (s.out == 16 ? 0xffffu : ~0u), want)
              << nameOf(s.op) << " row " << i << " column " << j << " key " << key;
        }
    }
}

/// Signs of A, B and C, a constant for C, sums that saturate.
TEST_P(ValuWaveMatrix12, Modifiers) {
  const unsigned registers = wave == 32 ? 8 : 4;
  Machine m;
  for (unsigned l = 0; l < 64; ++l) {
    for (unsigned r = 0; r < 8; ++r)
      m.v(kA + r).u[l] = m.v(kB + r).u[l] = 0x3c003c00; // 1
    for (unsigned r = 0; r < 8; ++r)
      m.v(kC + r).u[l] = 0xc0000000; // -2
  }
  const auto run = [&](Operand c, uint8_t neg, uint8_t abs) {
    Inst in = make(Op::v_wmma_f32_16x16x16_f16, Enc::VOP3P, vgpr(kD, registers),
                   {vgpr(kA, 4), vgpr(kB, 4), c});
    in.opSelHi = 7;
    in.neg = neg;
    in.abs = abs;
    EXPECT_TRUE(m.run(in, target));
    return std::bit_cast<float>(m.v(kD + registers - 1).u[wave - 1]);
  };
  const Operand c = vgpr(kC, registers);
  EXPECT_EQ(run(c, 0, 0), 14.f);
  EXPECT_EQ(run(c, 1, 0), -2.f) << "half of A's elements negated";
  EXPECT_EQ(run(c, 1, 1), -18.f);
  EXPECT_EQ(run(c, 3, 3), 14.f);
  EXPECT_EQ(run(c, 4, 0), 18.f);
  EXPECT_EQ(run(c, 0, 4), 18.f);
  EXPECT_EQ(run(imm(0x3f800000), 0, 0), 17.f);

  for (unsigned l = 0; l < 64; ++l)
    for (unsigned r = 0; r < 8; ++r) {
      m.v(kA + r).u[l] = m.v(kB + r).u[l] = 0x80808080;
      m.v(kC + r).u[l] = 0x7fffff00;
    }
  Inst in = make(Op::v_wmma_i32_16x16x16_iu8, Enc::VOP3P, vgpr(kD, registers),
                 {vgpr(kA, 2), vgpr(kB, 2), c});
  in.opSelHi = 7;
  for (uint8_t signs = 0; signs < 4; ++signs)
    for (bool clamp : {false, true}) {
      in.neg = signs;
      in.clamp = clamp;
      ASSERT_TRUE(m.run(in, target));
      int64_t sum = 0x7fffff00 + 16ll * (signs & 1 ? -128 : 128) * (signs & 2 ? -128 : 128);
      if (clamp)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      EXPECT_EQ(m.v(kD).u[0], uint32_t(sum)) << unsigned(signs);
    }
}

} // namespace
} // namespace meld::test
