// v_wmma_* of gfx1100 in waves of 32 and of 64 lanes: plain products of matrices that are read from
// the places the "RDNA3" ISA and AMD's matrix instruction calculator name.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr Format kBrain{8, 7}; ///< bf16
constexpr unsigned kA = 16, kB = 32, kC = 48, kD = 64;

struct Shape {
  Op op;
  Format in, out;
};
const Shape kFloats[] = {{Op::v_wmma_f32_16x16x16_f16, kHalf, kSingle},
                         {Op::v_wmma_f32_16x16x16_bf16, kBrain, kSingle},
                         {Op::v_wmma_f16_16x16x16_f16, kHalf, kHalf},
                         {Op::v_wmma_bf16_16x16x16_bf16, kBrain, kBrain}};

class ValuWaveMatrix : public testing::TestWithParam<Target> {
protected:
  const Target target = GetParam();
  const unsigned lanes = isa::traitsOf(target).waveSize;
  const unsigned groups = lanes / 16, registers = 16 / groups;

  /// Every group of 16 lanes holds what the first has.
  void replicate(Machine &m, unsigned first, unsigned count) {
    for (unsigned r = first; r < first + count; ++r)
      for (unsigned l = 16; l < 64; ++l)
        m.v(r).u[l] = m.v(r).u[l % 16];
  }
  /// Element k of row (or column) `i`, `bits` wide.
  static uint32_t element(Machine &m, unsigned first, unsigned bits, unsigned i, unsigned k) {
    const unsigned each = 32 / bits;
    return m.v(first + k / each).u[i] >> (bits * (k % each)) &
           (bits == 16 ? 0xffff : (1u << bits) - 1);
  }
  /// Row and column of what a lane has in a register of C and D.
  unsigned row(unsigned r, unsigned lane) const { return r * groups + lane / 16; }
};
INSTANTIATE_TEST_SUITE_P(Waves, ValuWaveMatrix,
                         testing::Values(Target::gfx1100, Target::gfx1100w64),
                         [](auto &i) { return i.param == Target::gfx1100 ? "Of32" : "Of64"; });

uint32_t number(const Format &f, bool ordinary) {
  const uint64_t r = random64();
  if (!ordinary && (r & 3) == 0) { // zeros, denormals, infinities, NaNs
    const uint64_t sign = r >> 8 & 1 ? f.sign() : 0;
    const uint64_t special[] = {0, 1, f.quietBit(), f.infinity(), f.nan(), f.infinity() | 1};
    return (uint32_t)(sign | special[(r >> 16) % 6]);
  }
  // Near 1, so that sums lose bits.
  const uint64_t exponent = (uint64_t)f.bias() - 4 + (r >> 8) % 8;
  return (uint32_t)((r >> 4 & 1 ? f.sign() : 0) | exponent << f.mantissaBits |
                    (r >> 32 & (f.quietBit() * 2 - 1)));
}

TEST_P(ValuWaveMatrix, Floats) {
  for (const Shape &s : kFloats)
    for (unsigned round = 0; round < 24; ++round) {
      const bool narrow = s.out.mantissaBits != kSingle.mantissaBits, ordinary = round % 2;
      Machine m;
      for (unsigned r = 0; r < 8; ++r)
        for (unsigned l = 0; l < 64; ++l) {
          m.v(kA + r).u[l] = number(s.in, ordinary) | number(s.in, ordinary) << 16;
          m.v(kB + r).u[l] = number(s.in, ordinary) | number(s.in, ordinary) << 16;
          m.v(kC + r).u[l] = narrow ? number(s.out, ordinary) | number(s.out, ordinary) << 16
                                    : number(s.out, ordinary);
        }
      replicate(m, kA, 8);
      replicate(m, kB, 8);
      const uint64_t bits = round < 4 ? 0 : random64();
      const bool constant = round % 6 == 5, inPlace = round % 3 == 2;
      Inst in = make(s.op, Enc::VOP3P, vgpr(inPlace && !constant ? kC : kD, registers),
                     {vgpr(kA, 8), vgpr(kB, 8), vgpr(kC, registers)});
      if (constant)
        in.src[2] = imm(narrow && s.out.mantissaBits == 10 ? 0x3c00 : narrow ? 0x3f80 : 0x3f800000);
      in.opSelHi = 7;
      in.neg = bits & 7;
      in.abs = bits >> 8 & 7;
      in.opSel = narrow ? bits >> 16 & 4 : 0;
      m.wave.mode = kDefaultMode & (round % 4 == 3 ? ~0xf0u : ~0u);
      m.wave.exec() = random64() & (lanes == 64 ? ~0ull : 0xffffffff); // means nothing
      const bool f16 = s.in.mantissaBits == 10, flushA = !(m.wave.mode & (f16 ? 0x40 : 0x10)),
                 outHalf = s.out.mantissaBits == 10,
                 flushC = !(m.wave.mode & (outHalf ? 0x40 : 0x10)),
                 flushD = !(m.wave.mode & (outHalf ? 0x80 : 0x20));
      const auto widened = [](Format f, uint64_t x, bool flush) {
        return convert(f, kSingle, flush ? flushDenormal(f, x) : x, toNearest);
      };
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(in, target)) << nameOf(s.op);

      const unsigned shift = in.opSel & 4 ? 16 : 0;
      Machine old;
      old.rows = before;
      for (unsigned r = 0; r < registers; ++r)
        for (unsigned l = 0; l < lanes; ++l) {
          const unsigned i = row(r, l), j = l % 16;
          uint64_t c = constant ? in.src[2].value : before[kC + r].u[l] >> shift;
          c &= narrow ? 0xffff : 0xffffffff;
          if (in.abs & 4)
            c &= ~s.out.sign();
          if (in.neg & 4)
            c ^= s.out.sign();
          uint64_t sum = widened(s.out, c, flushC);
          for (unsigned k = 0; k < 16; ++k) {
            const auto factor = [&](unsigned first, unsigned source, unsigned at) {
              const unsigned signs = k & 1 ? in.abs : in.neg;
              const uint64_t x = element(old, first, 16, at, k);
              return widened(s.in, signs >> source & 1 ? x ^ 0x8000 : x, flushA);
            };
            sum = fmaExact(kSingle, factor(kA, 0, i), factor(kB, 1, j), sum, toNearest);
          }
          uint64_t want = convert(kSingle, s.out, sum, toNearest);
          if (flushD)
            want = flushDenormal(s.out, want);
          const uint32_t was = before[in.dst.index + r].u[l];
          if (narrow)
            want = (was & ~(0xffffu << shift)) | want << shift;
          ASSERT_EQ(m.v(in.dst.index + r).u[l], want)
              << std::hex << nameOf(s.op) << " row " << i << " column " << j << " round " << round;
        }
      for (unsigned r = 0; r < m.rows.size(); ++r)
        for (unsigned l = 0; l < 64; ++l)
          if (r < in.dst.index || r >= in.dst.index + registers || l >= lanes) {
            ASSERT_EQ(m.v(r).u[l], before[r].u[l]) << "v" << r << " lane " << l;
          }
    }
}

/// MODE.FP16_OVFL, see ValuFloat.HalvesThatAreTooLarge.
TEST_P(ValuWaveMatrix, HalvesThatAreTooLarge) {
  for (uint32_t factor : {0x7bffu, 0x7c00u}) { // 65504, infinity
    Machine m;
    m.wave.mode = kDefaultMode | Mode::fp16Ovfl;
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned l = 0; l < 64; ++l) {
        m.v(kA + r).u[l] = factor | factor << 16;
        m.v(kB + r).u[l] = 0xc000c000; // -2
        m.v(kC + r).u[l] = 0;
      }
    Inst in = make(Op::v_wmma_f16_16x16x16_f16, Enc::VOP3P, vgpr(kD, registers),
                   {vgpr(kA, 8), vgpr(kB, 8), vgpr(kC, registers)});
    in.opSelHi = 7;
    ASSERT_TRUE(m.run(in, target));
    for (unsigned r = 0; r < registers; ++r)
      for (unsigned l = 0; l < lanes; ++l)
        ASSERT_EQ(m.v(kD + r).u[l] & 0xffff, factor | 0x8000);
  }
}

TEST_P(ValuWaveMatrix, Integers) {
  for (unsigned bits : {8u, 4u})
    for (unsigned signs = 0; signs < 4; ++signs)
      for (bool clamp : {false, true})
        for (bool constant : {false, true}) {
          Machine m;
          m.fill((uint32_t)random64());
          const unsigned count = bits / 2;
          for (unsigned r = 0; r < 8; ++r)
            for (unsigned l = 0; l < 64; ++l) // close to what 32 bits hold
              m.v(kC + r).u[l] =
                  (l & 1 ? 0x80000000u : 0x7fff0000u) + (uint32_t)(random64() & 0xffff);
          replicate(m, kA, count);
          replicate(m, kB, count);
          Inst in = make(bits == 8 ? Op::v_wmma_i32_16x16x16_iu8 : Op::v_wmma_i32_16x16x16_iu4,
                         Enc::VOP3P, vgpr(kD, registers),
                         {vgpr(kA, count), vgpr(kB, count), vgpr(kC, registers)});
          if (constant)
            in.src[2] = imm(0xfffffff0);
          in.neg = uint8_t(signs);
          in.opSelHi = 7;
          in.clamp = clamp;
          m.wave.exec() = 0;
          ASSERT_TRUE(m.run(in, target));
          for (unsigned r = 0; r < registers; ++r)
            for (unsigned l = 0; l < lanes; ++l) {
              int64_t sum = (int32_t)(constant ? 0xfffffff0 : m.v(kC + r).u[l]);
              for (unsigned k = 0; k < 16; ++k) {
                const auto factor = [&](unsigned first, unsigned source, unsigned at) {
                  const int64_t x = element(m, first, bits, at, k);
                  return signs >> source & 1 && x >> (bits - 1) ? x - (1 << bits) : x;
                };
                sum += factor(kA, 0, row(r, l)) * factor(kB, 1, l % 16);
              }
              if (clamp)
                sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
              ASSERT_EQ(m.v(kD + r).u[l], (uint32_t)sum)
                  << bits << " bits, signs " << signs << " register " << r << " lane " << l;
            }
        }
}

} // namespace
} // namespace meld::test
