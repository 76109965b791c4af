// v_smfmac_*: the dense product of what A stands for, by the element-to-register equations of AMD's
// matrix instruction calculator (architecture cdna3): element k of a row of A lies with its
// neighbours of the same four in lane M * (k / KB) + row, KB = K * M / 64; the two kept elements of
// four lie side by side, and the third operand has two bits of k for each of them.
#include "tests/runtime/softgpu/valu/gfx950.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

struct Sparse {
  Op op;
  char a, b; ///< h f16, b bf16, i i8, p fp8, q bf8
  unsigned m, k;
};
const Sparse kSparse[] = {
    {Op::v_smfmac_f32_16x16x32_f16, 'h', 'h', 16, 32},
    {Op::v_smfmac_f32_32x32x16_f16, 'h', 'h', 32, 16},
    {Op::v_smfmac_f32_16x16x32_bf16, 'b', 'b', 16, 32},
    {Op::v_smfmac_f32_32x32x16_bf16, 'b', 'b', 32, 16},
    {Op::v_smfmac_i32_16x16x64_i8, 'i', 'i', 16, 64},
    {Op::v_smfmac_i32_32x32x32_i8, 'i', 'i', 32, 32},
    {Op::v_smfmac_f32_16x16x64_bf8_bf8, 'q', 'q', 16, 64},
    {Op::v_smfmac_f32_16x16x64_bf8_fp8, 'q', 'p', 16, 64},
    {Op::v_smfmac_f32_16x16x64_fp8_bf8, 'p', 'q', 16, 64},
    {Op::v_smfmac_f32_16x16x64_fp8_fp8, 'p', 'p', 16, 64},
    {Op::v_smfmac_f32_32x32x32_bf8_bf8, 'q', 'q', 32, 32},
    {Op::v_smfmac_f32_32x32x32_bf8_fp8, 'q', 'p', 32, 32},
    {Op::v_smfmac_f32_32x32x32_fp8_bf8, 'p', 'q', 32, 32},
    {Op::v_smfmac_f32_32x32x32_fp8_fp8, 'p', 'p', 32, 32},
};

/// Twice the K, on gfx950.
const Sparse kDouble950[] = {
    {Op::v_smfmac_f32_16x16x64_f16, 'h', 'h', 16, 64},
    {Op::v_smfmac_f32_32x32x32_f16, 'h', 'h', 32, 32},
    {Op::v_smfmac_f32_16x16x64_bf16, 'b', 'b', 16, 64},
    {Op::v_smfmac_f32_32x32x32_bf16, 'b', 'b', 32, 32},
    {Op::v_smfmac_i32_16x16x128_i8, 'i', 'i', 16, 128},
    {Op::v_smfmac_i32_32x32x64_i8, 'i', 'i', 32, 64},
    {Op::v_smfmac_f32_16x16x128_bf8_bf8, 'q', 'q', 16, 128},
    {Op::v_smfmac_f32_16x16x128_bf8_fp8, 'q', 'p', 16, 128},
    {Op::v_smfmac_f32_16x16x128_fp8_bf8, 'p', 'q', 16, 128},
    {Op::v_smfmac_f32_16x16x128_fp8_fp8, 'p', 'p', 16, 128},
    {Op::v_smfmac_f32_32x32x64_bf8_bf8, 'q', 'q', 32, 64},
    {Op::v_smfmac_f32_32x32x64_bf8_fp8, 'q', 'p', 32, 64},
    {Op::v_smfmac_f32_32x32x64_fp8_bf8, 'p', 'q', 32, 64},
    {Op::v_smfmac_f32_32x32x64_fp8_fp8, 'p', 'p', 32, 64},
};

unsigned bitsOf(char type) { return type == 'h' || type == 'b' ? 16 : 8; }

/// As f32, or as the integer.
uint64_t widen(char type, uint64_t x, Target target) {
  if (type == 'h')
    return convert(kHalf, kSingle, x, toNearest);
  if (type == 'b')
    return x << 16;
  if (type == 'i')
    return uint64_t(int64_t(int8_t(x)));
  if (target == Target::gfx950) {
    const double v = (type == 'p' ? kFp8 : kBf8).value(unsigned(x));
    return v != v ? 0x7fc00000 | (x & 0x80) << 24 : std::bit_cast<uint32_t>(float(v));
  }
  if (x == 0x80)
    return 0x7fc00000;
  const int bits = type == 'p' ? 3 : 2, bias = type == 'p' ? 8 : 16, e = int(x & 0x7f) >> bits;
  const double mantissa = double(x & ((1u << bits) - 1)) / (1 << bits);
  const double v = e ? std::ldexp(1 + mantissa, e - bias) : std::ldexp(mantissa, 1 - bias);
  return std::bit_cast<uint32_t>(float(x & 0x80 ? -v : v));
}

void checkSparse(const Sparse &s, unsigned cbsz, unsigned abid, unsigned seed,
                 Target target = Target::gfx942) {
  SCOPED_TRACE(nameOf(s.op));
  Machine m;
  m.fill(seed);
  const unsigned width = bitsOf(s.a), kb = s.k * s.m / 64, regs = s.m * s.m / 64;
  // Ordinary magnitudes of f16 and bf16, and anything of 8 bits.
  for (unsigned row = 40; row < 56; ++row)
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t x = uint32_t(random64());
      if (s.a == 'h')
        x = (x & 0x8fff8fff) | 0x30003000;
      if (s.a == 'b')
        x = (x & 0x81ff81ff) | 0x3e003e00;
      m.v(row).u[l] = x;
      if (width == 8 && s.a != 'i' && seed % 2 == 0 && target == Target::gfx950)
        m.v(row).u[l] &= 0xbfbfbfbf; // without NaN
      else if (width == 8 && s.a != 'i' && seed % 2 == 0)
        for (unsigned byte = 0; byte < 32; byte += 8)
          if ((m.v(row).u[l] >> byte & 0xff) == 0x80)
            m.v(row).u[l] ^= 1u << byte;
    }
  if (s.a != 'i')
    for (unsigned r = 0; r < regs; ++r)
      for (unsigned l = 0; l < 64; ++l)
        m.v(r).u[l] = 0x3f000000 + (uint32_t(random64()) & 0xffffff);
  const std::vector<VRow> before = m.rows;
  // With twice the K a lane's part of B is two pieces of 16 bytes, the second ones of all behind the
  // first ones ("CDNA4" ISA, 7.5).
  const bool twice = target == Target::gfx950;
  const unsigned piece = twice ? kb / 2 : kb, groups = 64 / s.m;
  const unsigned firstB = twice ? 44 : 42, index = twice ? 52 : 46;
  Inst i = make(s.op, Enc::VOP3P, vgpr(0, regs),
                {vgpr(40, twice ? 4 : 2), vgpr(firstB, twice ? 8 : 4), vgpr(index)});
  i.cbsz = uint8_t(cbsz);
  i.abid = uint8_t(abid);
  m.wave.exec() = 0x5; // matrix instructions ignore EXEC
  ASSERT_TRUE(m.run(i, target));
  const auto element = [&](unsigned first, unsigned lane, unsigned n) {
    return before[first + n * width / 32].u[lane] >> (n * width % 32) & ((1u << width) - 1);
  };
  const unsigned set = cbsz ? 0 : abid * (width == 16 ? 8 : 16) * (twice ? 2 : 1) % 32;
  for (unsigned row = 0; row < s.m; ++row)
    for (unsigned col = 0; col < s.m; ++col) {
      const unsigned gpr = s.m == 32 ? 4 * (row / 8) + row % 4 : row % 4;
      const unsigned lane = (s.m == 32 ? 32 * (row / 4) % 64 : 16 * (row / 4)) + col;
      uint64_t sum = before[gpr].u[lane];
      for (unsigned four = 0; four < s.k / 4; ++four)
        for (unsigned kept = 0; kept < 2; ++kept) {
          const unsigned laneA = s.m * (4 * four / kb) + row, inLane = four % (kb / 4);
          const unsigned k =
              4 * four + (before[index].u[laneA] >> (set + 4 * inLane + 2 * kept) & 3);
          const unsigned laneB = s.m * (k / piece % groups) + col,
                         atB = k / (piece * groups) * piece + k % piece;
          const uint64_t a = widen(s.a, element(40, laneA, 2 * inLane + kept), target),
                         b = widen(s.b, element(firstB, laneB, atB), target);
          sum = s.a == 'i' ? uint32_t(sum + a * b) : fmaExact(kSingle, a, b, sum, toNearest);
        }
      ASSERT_EQ(m.v(gpr).u[lane], uint32_t(sum)) << std::hex << "row " << row << " col " << col;
    }
}

TEST(ValuSparse, AllShapes) {
  for (const Sparse &s : kSparse)
    for (unsigned abid = 0; abid < (bitsOf(s.a) == 16 ? 4u : 2u); ++abid)
      for (unsigned cbsz : {0u, 1u}) {
        checkSparse(s, cbsz, abid, 3 * abid + cbsz);
        if (HasFatalFailure())
          return;
      }
}

TEST(ValuSparse, TwiceTheK) {
  for (const Sparse &s : kDouble950)
    for (unsigned abid = 0; abid < (bitsOf(s.a) == 16 ? 2u : 1u); ++abid)
      for (unsigned cbsz : {0u, 1u}) {
        checkSparse(s, cbsz, abid, 3 * abid + cbsz, Target::gfx950);
        if (HasFatalFailure())
          return;
      }
}

} // namespace
} // namespace meld::test
