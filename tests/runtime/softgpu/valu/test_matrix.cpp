// v_mfma_*: plain matrix products placed into registers by the published element-to-register
// equations (AMD matrix instruction calculator, "MI200" ISA manual), with cbsz/abid/blgp.
#include "tests/runtime/softgpu/valu/gfx950.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

struct Shape {
  Op op;
  char type; ///< f f32, x xf32, h f16, b bf16, i i8, d f64, p fp8, q bf8
  unsigned m, k, blocks, perLane;
  char typeB = 0; ///< of B, where it is another
};
const Shape kShapes[] = {
    {Op::v_mfma_f32_32x32x1f32, 'f', 32, 1, 2, 1},
    {Op::v_mfma_f32_16x16x1f32, 'f', 16, 1, 4, 1},
    {Op::v_mfma_f32_4x4x1f32, 'f', 4, 1, 16, 1},
    {Op::v_mfma_f32_32x32x2f32, 'f', 32, 2, 1, 1},
    {Op::v_mfma_f32_16x16x4f32, 'f', 16, 4, 1, 1},
    {Op::v_mfma_f32_32x32x4f16, 'h', 32, 4, 2, 4},
    {Op::v_mfma_f32_16x16x4f16, 'h', 16, 4, 4, 4},
    {Op::v_mfma_f32_4x4x4f16, 'h', 4, 4, 16, 4},
    {Op::v_mfma_f32_32x32x8f16, 'h', 32, 8, 1, 4},
    {Op::v_mfma_f32_16x16x16f16, 'h', 16, 16, 1, 4},
    {Op::v_mfma_f32_32x32x2bf16, 'b', 32, 2, 2, 2},
    {Op::v_mfma_f32_16x16x2bf16, 'b', 16, 2, 4, 2},
    {Op::v_mfma_f32_4x4x2bf16, 'b', 4, 2, 16, 2},
    {Op::v_mfma_f32_32x32x4bf16, 'b', 32, 4, 1, 2},
    {Op::v_mfma_f32_16x16x8bf16, 'b', 16, 8, 1, 2},
    {Op::v_mfma_f32_32x32x4bf16_1k, 'b', 32, 4, 2, 4},
    {Op::v_mfma_f32_16x16x4bf16_1k, 'b', 16, 4, 4, 4},
    {Op::v_mfma_f32_4x4x4bf16_1k, 'b', 4, 4, 16, 4},
    {Op::v_mfma_f32_32x32x8bf16_1k, 'b', 32, 8, 1, 4},
    {Op::v_mfma_f32_16x16x16bf16_1k, 'b', 16, 16, 1, 4},
    {Op::v_mfma_i32_32x32x4i8, 'i', 32, 4, 2, 4},
    {Op::v_mfma_i32_16x16x4i8, 'i', 16, 4, 4, 4},
    {Op::v_mfma_i32_4x4x4i8, 'i', 4, 4, 16, 4},
    {Op::v_mfma_i32_32x32x8i8, 'i', 32, 8, 1, 4},
    {Op::v_mfma_i32_16x16x16i8, 'i', 16, 16, 1, 4},
    {Op::v_mfma_f64_16x16x4f64, 'd', 16, 4, 1, 1},
    {Op::v_mfma_f64_4x4x4f64, 'd', 4, 4, 4, 1},
};

/// What gfx942 calls otherwise or has beyond.
const Shape kShapes942[] = {
    {Op::v_mfma_f32_32x32x1_2b_f32, 'f', 32, 1, 2, 1},
    {Op::v_mfma_f32_16x16x1_4b_f32, 'f', 16, 1, 4, 1},
    {Op::v_mfma_f32_4x4x1_16b_f32, 'f', 4, 1, 16, 1},
    {Op::v_mfma_f32_32x32x2_f32, 'f', 32, 2, 1, 1},
    {Op::v_mfma_f32_16x16x4_f32, 'f', 16, 4, 1, 1},
    {Op::v_mfma_f32_32x32x4_2b_f16, 'h', 32, 4, 2, 4},
    {Op::v_mfma_f32_16x16x4_4b_f16, 'h', 16, 4, 4, 4},
    {Op::v_mfma_f32_4x4x4_16b_f16, 'h', 4, 4, 16, 4},
    {Op::v_mfma_f32_32x32x8_f16, 'h', 32, 8, 1, 4},
    {Op::v_mfma_f32_16x16x16_f16, 'h', 16, 16, 1, 4},
    {Op::v_mfma_f32_32x32x4_2b_bf16, 'b', 32, 4, 2, 4},
    {Op::v_mfma_f32_16x16x4_4b_bf16, 'b', 16, 4, 4, 4},
    {Op::v_mfma_f32_4x4x4_16b_bf16, 'b', 4, 4, 16, 4},
    {Op::v_mfma_f32_32x32x8_bf16, 'b', 32, 8, 1, 4},
    {Op::v_mfma_f32_16x16x16_bf16, 'b', 16, 16, 1, 4},
    {Op::v_mfma_i32_32x32x4_2b_i8, 'i', 32, 4, 2, 4},
    {Op::v_mfma_i32_16x16x4_4b_i8, 'i', 16, 4, 4, 4},
    {Op::v_mfma_i32_4x4x4_16b_i8, 'i', 4, 4, 16, 4},
    {Op::v_mfma_i32_32x32x16_i8, 'i', 32, 16, 1, 8},
    {Op::v_mfma_i32_16x16x32_i8, 'i', 16, 32, 1, 8},
    {Op::v_mfma_f64_16x16x4_f64, 'd', 16, 4, 1, 1},
    {Op::v_mfma_f64_4x4x4_4b_f64, 'd', 4, 4, 4, 1},
    {Op::v_mfma_f32_16x16x8_xf32, 'x', 16, 8, 1, 2},
    {Op::v_mfma_f32_32x32x4_xf32, 'x', 32, 4, 1, 2},
    {Op::v_mfma_f32_16x16x32_bf8_bf8, 'q', 16, 32, 1, 8},
    {Op::v_mfma_f32_16x16x32_bf8_fp8, 'q', 16, 32, 1, 8, 'p'},
    {Op::v_mfma_f32_16x16x32_fp8_bf8, 'p', 16, 32, 1, 8, 'q'},
    {Op::v_mfma_f32_16x16x32_fp8_fp8, 'p', 16, 32, 1, 8},
    {Op::v_mfma_f32_32x32x16_bf8_bf8, 'q', 32, 16, 1, 8},
    {Op::v_mfma_f32_32x32x16_bf8_fp8, 'q', 32, 16, 1, 8, 'p'},
    {Op::v_mfma_f32_32x32x16_fp8_bf8, 'p', 32, 16, 1, 8, 'q'},
    {Op::v_mfma_f32_32x32x16_fp8_fp8, 'p', 32, 16, 1, 8},
};

/// What gfx950 has beyond gfx942, and products of its own 8-bit floats.
const Shape kShapes950[] = {
    {Op::v_mfma_f32_16x16x32_f16, 'h', 16, 32, 1, 8},
    {Op::v_mfma_f32_32x32x16_f16, 'h', 32, 16, 1, 8},
    {Op::v_mfma_f32_16x16x32_bf16, 'b', 16, 32, 1, 8},
    {Op::v_mfma_f32_32x32x16_bf16, 'b', 32, 16, 1, 8},
    {Op::v_mfma_i32_16x16x64_i8, 'i', 16, 64, 1, 16},
    {Op::v_mfma_i32_32x32x32_i8, 'i', 32, 32, 1, 16},
    {Op::v_mfma_f32_16x16x32_bf8_fp8, 'q', 16, 32, 1, 8, 'p'},
    {Op::v_mfma_f32_32x32x16_fp8_bf8, 'p', 32, 16, 1, 8, 'q'},
    {Op::v_mfma_f32_16x16x16_bf16, 'b', 16, 16, 1, 4},
    {Op::v_mfma_f64_16x16x4_f64, 'd', 16, 4, 1, 1},
};

bool isByte(char type) { return type == 'i' || type == 'p' || type == 'q'; }

/// An input as f32.
uint64_t toSingle(char type, uint64_t x, Target target) {
  if (type == 'f')
    return x;
  if (type == 'h' || type == 'b')
    return convert(type == 'h' ? kHalf : Format{8, 7}, kSingle, x, toNearest);
  if (type == 'x') // eight bits of exponent, ten of mantissa, truncated
    return convert(Format{8, 10}, kSingle, convert(kSingle, Format{8, 10}, x, toZero), toNearest);
  if (target == Target::gfx950) {
    const double v = (type == 'p' ? kFp8 : kBf8).value(unsigned(x));
    return v != v ? kSingle.nan() | (x & 0x80) << 24 : std::bit_cast<uint32_t>(float(v));
  }
  if (x == 0x80)
    return kSingle.nan();
  const int bits = type == 'p' ? 3 : 2, bias = type == 'p' ? 8 : 16, e = int(x & 0x7f) >> bits;
  const double mantissa = double(x & ((1u << bits) - 1)) / (1 << bits);
  const double v = e ? std::ldexp(1 + mantissa, e - bias) : std::ldexp(mantissa, 1 - bias);
  return std::bit_cast<uint32_t>(float(x & 0x80 ? -v : v));
}

unsigned permute(unsigned blgp, unsigned lane) {
  static const unsigned firstGroup[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                            {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  return firstGroup[blgp][lane / 16] * 16 + lane % 16;
}

void checkShape(const Shape &s, Target target, unsigned cbsz, unsigned abid, unsigned blgp,
                bool accumulators, bool inPlace, int seed) {
  SCOPED_TRACE(nameOf(s.op));
  Machine m;
  m.fill((uint32_t)seed);
  const bool f64 = s.type == 'd';
  const Format in = s.type == 'h' ? kHalf : s.type == 'b' ? Format{8, 7} : f64 ? kDouble : kSingle;
  const Format out = f64 ? kDouble : kSingle;
  const unsigned regsOut = s.m * s.m * s.blocks / 64 * (f64 ? 2 : 1);
  // Values with few bits, so that sums differ where the order is wrong, and now and then specials.
  const auto value = [&]() -> uint64_t {
    const uint64_t r = random64();
    if (seed % 4 == 3 && r % 16 == 0)
      return edgeValues(f64             ? 'd'
                        : s.type == 'h' ? 'h'
                                        : 'f')[(r >> 8) % 30] >>
             (s.type == 'b' ? 16 : 0);
    const uint64_t e = (uint64_t)(in.bias() - 3 + (int)(r >> 8) % 6) << in.mantissaBits;
    return e | (r >> 20 & ((1ull << in.mantissaBits) - 1)) | (r >> 60 & 1 ? in.sign() : 0);
  };
  if (s.type != 'i')
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned l = 0; l < 64; ++l) {
        if (isByte(s.type)) {
          m.v(40 + row).u[l] = (uint32_t)random64();
          continue;
        }
        if (f64) {
          if (row & 1)
            continue;
          const uint64_t x = value();
          m.v(40 + row).u[l] = (uint32_t)x;
          m.v(41 + row).u[l] = (uint32_t)(x >> 32);
        } else {
          m.v(40 + row).u[l] = s.type == 'f' || s.type == 'x'
                                   ? (uint32_t)value()
                                   : (uint32_t)((value() & 0xffff) | value() << 16);
        }
      }
  const unsigned base = accumulators ? 96 : 0;
  for (unsigned r = 0; r < regsOut; ++r)
    for (unsigned l = 0; l < 64; ++l)
      if (s.type == 'i') {
        m.v(base + r).u[l] = (uint32_t)random64();
      } else if (!f64) {
        m.v(base + r).u[l] = 0x3f000000 + (uint32_t)(random64() & 0xffffff);
      } else if (!(r & 1)) {
        m.v(base + r).u[l] = (uint32_t)random64();
        m.v(base + r + 1).u[l] = 0x3fe00000 + (uint32_t)(random64() & 0xfffff);
      }
  const std::vector<VRow> before = m.rows;
  const unsigned bitsIn = s.type == 'f' || s.type == 'x' ? 32 : isByte(s.type) ? 8 : 16;
  const unsigned dwordsIn = f64 ? 2 : s.perLane * bitsIn / 32;
  const auto reg = [&](unsigned n, unsigned d) { return accumulators ? agpr(n, d) : vgpr(n, d); };
  const unsigned firstB = dwordsIn > 2 ? 44 : 42;
  const bool constantC = seed % 5 == 4;
  Inst i = make(s.op, Enc::VOP3P, reg(inPlace ? 0 : 32, regsOut),
                {vgpr(40, dwordsIn), vgpr(firstB, dwordsIn), constantC ? imm(0) : reg(0, regsOut)});
  if (!inPlace && !accumulators)
    i.dst = vgpr(48, regsOut);
  i.cbsz = (uint8_t)cbsz;
  i.abid = (uint8_t)abid;
  i.blgp = (uint8_t)blgp;
  m.wave.exec() = 0x5; // matrix instructions ignore EXEC
  ASSERT_TRUE(m.run(i, target));
  const unsigned dst = accumulators ? 96 + i.dst.index : i.dst.index;
  const bool signsOfDoubles = target == Target::gfx942 || target == Target::gfx950;
  const bool flushes = target == Target::gfx90a && (s.type == 'h' || s.type == 'b');

  const auto read = [&](unsigned row, unsigned lane) {
    return f64 ? before[row].u[lane] | (uint64_t)before[row + 1].u[lane] << 32
               : before[row].u[lane];
  };
  // Input element (index along M or N, k, block) by the published equation.
  const auto element = [&](unsigned first, unsigned index, unsigned k, unsigned block,
                           unsigned lanePattern) -> uint64_t {
    const unsigned lane = s.m * block + s.m * s.blocks * (k / s.perLane) + index;
    const unsigned from = permute(lanePattern, lane), at = k % s.perLane;
    if (isByte(s.type))
      return before[first + at / 4].u[from] >> 8 * (at % 4) & 0xff;
    if (bitsIn == 32 || f64)
      return read(first + (f64 ? 0 : at), from);
    return before[first + at / 2].u[from] >> 16 * (at % 2) & 0xffff;
  };
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned row = 0; row < s.m; ++row)
      for (unsigned col = 0; col < s.m; ++col) {
        unsigned gpr, lane;
        if (s.m == 32) {
          gpr = 16 * block + 4 * (row / 8) + row % 4;
          lane = 32 * (row / 4) % 64 + col;
        } else if (s.m == 16 && f64) {
          gpr = 2 * (row / 4);
          lane = 16 * (row % 4) + col;
        } else if (s.m == 16) {
          gpr = 4 * block + row % 4;
          lane = 16 * (row / 4) + col;
        } else if (f64) {
          gpr = 0;
          lane = 16 * row + 4 * block + col;
        } else {
          gpr = row;
          lane = 4 * block + col;
        }
        const unsigned blockA = (block / (1u << cbsz)) * (1u << cbsz) + (cbsz ? abid : 0);
        uint64_t sum = constantC ? 0 : read(base + gpr, lane);
        if (f64 && signsOfDoubles && blgp & 4)
          sum ^= kDouble.sign();
        for (unsigned k = 0; k < s.k; ++k) {
          uint64_t a = element(40, row, k, blockA, 0),
                   b = element(firstB, col, k, block, f64 ? 0 : blgp);
          if (f64 && signsOfDoubles) { // blgp is the signs
            a ^= blgp & 1 ? kDouble.sign() : 0;
            b ^= blgp & 2 ? kDouble.sign() : 0;
          }
          if (s.type == 'i') {
            sum = (uint32_t)(sum + (uint64_t)((int64_t)(int8_t)a * (int8_t)b));
            continue;
          }
          if (flushes) {
            a = flushDenormal(in, a);
            b = flushDenormal(in, b);
          }
          if (!f64) {
            a = toSingle(s.type, a, target);
            b = toSingle(s.typeB ? s.typeB : s.type, b, target);
          }
          sum = fmaExact(out, a, b, sum, toNearest);
        }
        if (flushes)
          sum = flushDenormal(out, sum);
        uint64_t got = m.v(dst + gpr).u[lane];
        if (f64)
          got |= (uint64_t)m.v(dst + gpr + 1).u[lane] << 32;
        ASSERT_EQ(got, sum) << std::hex << "block " << block << " row " << row << " col " << col;
      }
}

TEST(ValuMatrix, AllShapes) {
  for (const Shape &s : kShapes)
    for (int seed = 0; seed < 6; ++seed) {
      const bool acc = seed & 1, inPlace = seed & 2 || s.m * s.m * s.blocks / 64 > 16;
      if (::testing::Test::HasFatalFailure())
        return;
      checkShape(s, Target::gfx90a, 0, 0, 0, acc, inPlace, seed);
    }
}
TEST(ValuMatrix, AllShapesOfGfx942) {
  for (const Shape &s : kShapes942)
    for (int seed = 0; seed < 6; ++seed) {
      const bool acc = seed & 1, inPlace = seed & 2 || s.m * s.m * s.blocks / 64 > 16;
      checkShape(s, Target::gfx942, 0, 0, 0, acc, inPlace, seed);
      if (::testing::Test::HasFatalFailure())
        return;
    }
}
TEST(ValuMatrix, AllShapesOfGfx950) {
  for (const Shape &s : kShapes950) {
    for (int seed = 0; seed < 6; ++seed) {
      const bool acc = seed & 1, inPlace = seed & 2;
      checkShape(s, Target::gfx950, 0, 0, s.type == 'd' ? unsigned(seed) : 0, acc, inPlace, seed);
      if (::testing::Test::HasFatalFailure())
        return;
    }
    Machine m;
    Inst i = make(s.op, Enc::VOP3P, vgpr(0, 16), {vgpr(40, 4), vgpr(44, 4), vgpr(0, 16)});
    i.blgp = 2;
    EXPECT_EQ(m.run(i, Target::gfx950), s.type == 'd') << nameOf(s.op);
  }
}
// AMD's calculator lists for each instruction of CDNA3 whether it has blgp: those of one block with
// operands of f32 or f64, and those of several blocks do.
TEST(ValuMatrix, BlgpOfGfx942) {
  for (const Shape &s : kShapes942) {
    const bool has = s.blocks > 1 || s.type == 'f' || s.type == 'd';
    Machine m;
    Inst i = make(s.op, Enc::VOP3P, vgpr(0, 32), {vgpr(40, 2), vgpr(42, 2), vgpr(0, 32)});
    i.blgp = 2;
    EXPECT_EQ(m.run(i, Target::gfx942), has) << nameOf(s.op);
    if (has && s.type != 'd')
      checkShape(s, Target::gfx942, 0, 0, 2, true, true, 1);
  }
}
TEST(ValuMatrix, SignsOfDoubles) {
  for (const Shape &s : kShapes942)
    for (unsigned blgp = 1; s.type == 'd' && blgp < 8; ++blgp)
      for (int seed = 0; seed < 5; ++seed) {
        checkShape(s, Target::gfx942, 0, 0, blgp, true, true, seed);
        if (HasFatalFailure())
          return;
      }
}
TEST(ValuMatrix, Broadcasts) {
  for (const Shape &s : kShapes) {
    if (s.type == 'd')
      continue;
    unsigned log = 0;
    while (1u << log < s.blocks)
      ++log;
    for (unsigned cbsz = 0; cbsz <= log && cbsz < 5; ++cbsz)
      for (unsigned abid : {0u, (1u << cbsz) - 1}) {
        checkShape(s, Target::gfx908, cbsz, abid, 0, true, true, (int)(cbsz + 8 * abid));
        if (HasFatalFailure())
          return;
      }
    for (unsigned blgp = 1; blgp < 8; ++blgp) {
      checkShape(s, Target::gfx908, 0, 0, blgp, true, true, (int)blgp);
      if (HasFatalFailure())
        return;
    }
  }
}

} // namespace
} // namespace meld::test
