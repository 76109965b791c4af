// What the vector ALU of gfx1030 and gfx1100 has beyond GFX9's, in waves of 32 and of 64 lanes:
// permutations of rows, DPP with eight lanes and with lanes that are off, moves with relative
// register numbers, lane numbers and masks of waves of 32. References follow the pseudocode of the
// "RDNA 2" ISA. What both generations have is checked there with GFX9's, see check().
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace meld::test {
namespace {

using namespace softgpu;

constexpr uint16_t kExec = isa::Sgpr::exec, kVcc = isa::Sgpr::vcc;

unsigned lanesOf(Target target) { return isa::traitsOf(target).waveSize; }
uint64_t maskOf(Target target) { return lanesOf(target) == 64 ? ~0ull : 0xffffffff; }

class ValuGfx1030 : public testing::TestWithParam<Target> {
protected:
  const Target target = GetParam();
  const unsigned lanes = lanesOf(target);
  const uint64_t all = maskOf(target);

  std::vector<uint64_t> execs() const {
    std::vector<uint64_t> list = {~0ull, 0, 1, 0x80000001, 0x0f0f00ff12345678, 0x8000000000000000};
    for (int n = 0; n < 6; ++n)
      list.push_back(random64());
    for (uint64_t &x : list)
      x &= all;
    return list;
  }
  void checkHere(Op op, const char *types, Reference reference, Enc enc = Enc::VOP3,
                 uint32_t mode = kDefaultMode) {
    check({op, types, std::move(reference), enc, false, mode, {}, target});
  }
  /// All rows but `except`, and lanes that the wave lacks, are as before.
  static void othersStay(const Machine &m, const std::vector<VRow> &before, uint64_t lanes,
                         std::set<unsigned> except) {
    for (unsigned r = 0; r < before.size(); ++r)
      for (unsigned l = 0; l < 64; ++l)
        if (!except.contains(r) || !(lanes >> l & 1)) {
          ASSERT_EQ(m.rows[r].u[l], before[r].u[l]) << "v" << r << " lane " << l;
        }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, ValuGfx1030, testing::ValuesIn(kRdnaTargets), [](auto &i) {
  return std::string(isa::targetName(i.param)) + (lanesOf(i.param) == 32 ? "w32" : "w64");
});

TEST_P(ValuGfx1030, Integers) {
  checkHere(Op::v_xor3_b32, "u:uuu", [](Lane &l) { return l.a ^ l.b ^ l.c; });
}

/// MODE's treatment of denormals around an operation.
Reference flushing(Format f, uint64_t (*operation)(uint64_t, uint64_t, uint64_t, Rounding)) {
  return [=](Lane &l) {
    const bool half = f.mantissaBits == 10;
    const uint32_t denormals = half ? l.mode >> 6 & 3 : l.mode >> 4 & 3;
    const auto in = [&](uint64_t x) { return denormals & 1 ? x : flushDenormal(f, x); };
    const auto r = Rounding(half ? l.rounding64() : l.rounding32());
    const uint64_t x = operation(in(l.a), in(l.b), in(l.c), r);
    return denormals & 2 ? x : flushDenormal(f, x);
  };
}

TEST_P(ValuGfx1030, Floats) {
  const auto legacy = flushing(kSingle, [](uint64_t a, uint64_t b, uint64_t c, Rounding r) {
    if (kSingle.isZero(a) || kSingle.isZero(b))
      return kSingle.isNan(c) ? c | kSingle.quietBit() : c;
    return fmaExact(kSingle, a, b, c, r);
  });
  const auto fused = flushing(kHalf, [](uint64_t a, uint64_t b, uint64_t c, Rounding r) {
    return fmaExact(kHalf, a & 0xffff, b & 0xffff, c & 0xffff, r);
  });
  for (uint32_t mode : {kDefaultMode, kDefaultMode & ~0xf0u, kDefaultMode | 5, kDefaultMode | 10,
                        (kDefaultMode & ~0xa0u) | 15}) {
    checkHere(Op::v_fma_legacy_f32, "f:fff", legacy, Enc::VOP3, mode);
    checkHere(Op::v_fmac_legacy_f32, "f:ff", legacy, Enc::VOP2, mode);
    checkHere(Op::v_fmac_f16, "h:hh", fused, Enc::VOP2, mode);
    checkHere(Op::v_fmamk_f16, "h:hhh", fused, Enc::VOP2, mode);
    checkHere(Op::v_fmaak_f16, "h:hhh", fused, Enc::VOP2, mode);
  }
  checkHere(Op::v_mullit_f32, "f:fff", [](Lane &l) -> uint64_t {
    const float y = std::bit_cast<float>(uint32_t(l.b)), z = std::bit_cast<float>(uint32_t(l.c));
    const float least = std::numeric_limits<float>::lowest();
    if (std::isnan(y) || std::isnan(z) || z <= 0 || y == least || y == -INFINITY)
      return std::bit_cast<uint32_t>(least);
    if (kSingle.isZero(l.a) || kSingle.isZero(l.b))
      return 0;
    return mulExact(kSingle, l.a, l.b, toNearest);
  });
}

TEST_P(ValuGfx1030, PermutesRows) {
  for (uint64_t exec : execs())
    for (unsigned bits = 0; bits < 4; ++bits)
      for (bool across : {false, true})
        for (bool inPlace : {false, true}) {
          Machine m;
          m.fill(uint32_t(random64()));
          m.wave.exec() = exec;
          const uint64_t select = random64();
          m.wave.s[20] = uint32_t(select);
          m.wave.s[25] = uint32_t(select >> 32);
          const unsigned dst = inPlace ? 10 : 4;
          Inst in = make(across ? Op::v_permlanex16_b32 : Op::v_permlane16_b32, Enc::VOP3,
                         vgpr(dst), {vgpr(10), sgpr(20), sgpr(25)});
          in.opSel = uint8_t(bits);
          const std::vector<VRow> before = m.rows;
          ASSERT_TRUE(m.run(in, target));
          othersStay(m, before, exec, {dst});
          for (unsigned l = 0; l < lanes; ++l) {
            if (!(exec >> l & 1))
              continue;
            const unsigned row = across ? (l / 16) ^ 1 : l / 16;
            const unsigned from = row * 16 + unsigned(select >> (l % 16 * 4) & 15);
            const uint32_t want = (bits & 1) || (exec >> from & 1) ? before[10].u[from]
                                  : bits & 2                       ? 0
                                                                   : before[dst].u[l];
            ASSERT_EQ(m.v(dst).u[l], want) << "lane " << l << " op_sel " << bits;
          }
        }
}

/// Lane that a lane of a 16-lane DPP control reads; -1: none.
int rowSource(unsigned ctrl, int l) {
  const int row = l / 16 * 16, k = ctrl % 16, at = l % 16;
  if (ctrl < 0x100)
    return l / 4 * 4 + int(ctrl >> (l % 4 * 2) & 3);
  switch (ctrl / 16) {
  case 0x10:
    return at + k < 16 ? l + k : -1;
  case 0x11:
    return at - k >= 0 ? l - k : -1;
  case 0x12:
    return row + (at + 16 - k) % 16;
  case 0x14:
    return k ? l / 8 * 8 + 7 - l % 8 : row + 15 - at; // row_half_mirror, row_mirror
  case 0x15:
    return row + k;
  default:
    return row + (at ^ k);
  }
}

TEST_P(ValuGfx1030, DppRows) {
  std::vector<unsigned> controls = {0x00, 0x1b, 0xe4, 0xff, 0x140, 0x141};
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned base : {0x100u, 0x110u, 0x120u, 0x150u, 0x160u})
      if (k || base >= 0x150)
        controls.push_back(base + k);
  for (unsigned ctrl : controls)
    for (uint64_t exec : execs())
      for (unsigned n = 0; n < 8; ++n) {
        Machine m;
        m.fill(uint32_t(random64()));
        m.wave.exec() = exec;
        Inst in = make(Op::v_add_u32, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)});
        in.dpp = true;
        in.dppCtrl = uint16_t(ctrl);
        in.dppFi = n & 1;
        in.dppBoundCtrl = n & 2;
        in.dppRowMask = n & 4 ? 0xf : uint8_t(random64() & 15);
        in.dppBankMask = n & 4 ? 0xf : uint8_t(random64() & 15);
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(m.run(in, target));
        othersStay(m, before, exec, {4});
        for (unsigned l = 0; l < lanes; ++l) {
          const int s = rowSource(ctrl, int(l));
          const bool have = s >= 0 && (in.dppFi || (exec >> s & 1));
          const bool write = (exec >> l & 1) && (in.dppRowMask >> l / 16 & 1) &&
                             (in.dppBankMask >> l / 4 % 4 & 1) && (have || in.dppBoundCtrl);
          const uint32_t sum = (have ? before[10].u[s] : 0) + before[11].u[l];
          ASSERT_EQ(m.v(4).u[l], write ? sum : before[4].u[l])
              << std::hex << "lane " << l << " ctrl " << ctrl << " exec " << exec << " n " << n;
        }
      }
}

TEST_P(ValuGfx1030, DppEightLanes) {
  for (uint64_t exec : execs())
    for (unsigned n = 0; n < 32; ++n) {
      Machine m;
      m.fill(uint32_t(random64()));
      m.wave.exec() = exec;
      Inst in = make(Op::v_sub_u32, Enc::VOP2, vgpr(4), {vgpr(n & 2 ? 4 : 10), vgpr(11)});
      in.dpp8 = true;
      in.dpp8Sel = uint32_t(random64() & 0xffffff);
      in.dppFi = n & 1;
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(in, target));
      othersStay(m, before, exec, {4});
      for (unsigned l = 0; l < lanes; ++l) {
        const unsigned s = l / 8 * 8 + (in.dpp8Sel >> (l % 8 * 3) & 7);
        const uint32_t a = in.dppFi || (exec >> s & 1) ? before[in.src[0].index].u[s] : 0;
        ASSERT_EQ(m.v(4).u[l], exec >> l & 1 ? a - before[11].u[l] : before[4].u[l])
            << std::hex << "lane " << l << " selection " << in.dpp8Sel << " exec " << exec;
      }
    }
}

TEST_P(ValuGfx1030, RelativeMoves) {
  struct Case {
    Op op;
    uint32_t m0;
    unsigned src, dst; ///< registers that are read and written; 99: none
  };
  // v10 is named as the source, v20 as the destination; the wave has 96.
  const Case cases[] = {{Op::v_movrels_b32, 7, 17, 20},
                        {Op::v_movrels_b32, 90, 0, 20}, // beyond the file: v0
                        {Op::v_movreld_b32, 7, 10, 27},
                        {Op::v_movreld_b32, 76, 10, 99},
                        {Op::v_movrelsd_b32, 5, 15, 25},
                        {Op::v_movrelsd_b32, 80, 90, 99},
                        {Op::v_movrelsd_b32, 0xffffffff, 9, 19},
                        {Op::v_movrelsd_2_b32, 3 | 9 << 16, 13, 29},
                        {Op::v_movrelsd_2_b32, 0x3ff | 2 << 16, 0, 22},
                        {Op::v_movrelsd_2_b32, 0xfc00fc01, 11, 20},
                        {Op::v_movrelsd_2_b32, 1 | 76 << 16, 11, 99}};
  for (const Case &c : cases)
    for (uint64_t exec : execs())
      for (bool dpp : {false, true}) {
        Machine m;
        m.fill(uint32_t(random64()));
        m.wave.exec() = exec;
        m.wave.s[isa::Sgpr::m0] = c.m0;
        Inst in = make(c.op, Enc::VOP1, vgpr(20), {vgpr(10)});
        in.dpp = dpp;
        in.dppCtrl = 0x160;
        const std::vector<VRow> before = m.rows;
        ASSERT_TRUE(m.run(in, target));
        othersStay(m, before, exec, {c.dst});
        for (unsigned l = 0; c.dst < 96 && l < lanes; ++l)
          if (exec >> l & 1) {
            ASSERT_EQ(m.v(c.dst).u[l], before[c.src].u[l]) << nameOf(c.op) << " lane " << l;
          }
      }
  for (uint64_t exec : execs()) {
    Machine m;
    m.wave.exec() = exec;
    m.wave.s[isa::Sgpr::m0] = 3 | 9 << 16;
    const std::vector<VRow> before = m.rows;
    ASSERT_TRUE(m.run(make(Op::v_swaprel_b32, Enc::VOP1, vgpr(20), {vgpr(10)}), target));
    othersStay(m, before, exec, {13, 29});
    for (unsigned l = 0; l < lanes; ++l)
      if (exec >> l & 1) {
        EXPECT_EQ(m.v(29).u[l], before[13].u[l]);
        EXPECT_EQ(m.v(13).u[l], before[29].u[l]);
      }
  }
}

TEST_P(ValuGfx1030, ReadsAndWritesLanes) {
  Machine m;
  m.wave.exec() = 0; // both ignore EXEC
  for (uint32_t lane : {0u, 1u, 31u, 32u, 37u, 63u, 64u, 0xffffffffu}) {
    m.wave.s[7] = lane;
    ASSERT_TRUE(m.run(make(Op::v_readlane_b32, Enc::VOP3, sgpr(5), {vgpr(10), sgpr(7)}), target));
    EXPECT_EQ(m.wave.s[5], m.v(10).u[lane % lanes]);
    std::vector<VRow> before = m.rows;
    m.wave.s[8] = 0xabc00000 + lane;
    ASSERT_TRUE(m.run(make(Op::v_writelane_b32, Enc::VOP3, vgpr(12), {sgpr(8), sgpr(7)}), target));
    before[12].u[lane % lanes] = m.wave.s[8];
    othersStay(m, before, 0, {});
  }
  ASSERT_TRUE(m.run(make(Op::v_readfirstlane_b32, Enc::VOP1, sgpr(5), {vgpr(10)}), target));
  EXPECT_EQ(m.wave.s[5], m.v(10).u[0]) << "no lane on: lane 0";
}

/// Comparisons into SGPRs whose neighbours are other values, and into EXEC.
TEST_P(ValuGfx1030, Masks) {
  const bool one = lanes == 32;
  for (uint64_t exec : execs()) {
    Machine m;
    uint64_t less = 0;
    for (unsigned l = 0; l < 64; ++l)
      less |= uint64_t(m.v(10).u[l] < m.v(11).u[l]) << l;
    less &= exec;
    for (Enc enc : {Enc::VOPC, Enc::VOP3}) {
      m.wave.exec() = exec;
      m.wave.s[30] = m.wave.s[31] = m.wave.s[32] = m.wave.s[kVcc] = m.wave.s[kVcc + 1] = 0x1234;
      const unsigned to = enc == Enc::VOPC ? kVcc : 31;
      ASSERT_TRUE(
          m.run(make(Op::v_cmp_lt_u32, enc, sgpr(to, one ? 1 : 2), {vgpr(10), vgpr(11)}), target));
      EXPECT_EQ(m.wave.s[30], 0x1234u);
      EXPECT_EQ(m.wave.s[to], uint32_t(less));
      EXPECT_EQ(m.wave.s[to + 1], one ? 0x1234u : uint32_t(less >> 32));
      ASSERT_TRUE(m.run(make(Op::v_cmp_lt_u32, enc, sgpr(kExec, one ? 1 : 2), {vgpr(10), vgpr(11)}),
                        target));
      EXPECT_EQ(m.wave.exec(), less);
    }
    // The destination of v_cmpx is EXEC, whatever stands in its place.
    for (const Operand &dst : {Operand{}, sgpr(kExec, one ? 1 : 2), sgpr(kVcc, one ? 1 : 2)}) {
      m.wave.exec() = exec;
      m.wave.vcc() = 0x5555aaaa5555aaaa;
      ASSERT_TRUE(m.run(make(Op::v_cmpx_lt_u32, Enc::VOPC, dst, {vgpr(10), vgpr(11)}), target));
      EXPECT_EQ(m.wave.exec(), less);
      EXPECT_EQ(m.wave.vcc(), 0x5555aaaa5555aaaau);
    }
    // What is written to the lanes that a wave of 32 lacks is lost.
    if (one) {
      m.wave.exec() = exec;
      ASSERT_TRUE(
          m.run(make(Op::v_cmp_lt_u32, Enc::VOP3, sgpr(kExec + 1), {vgpr(10), vgpr(11)}), target));
      EXPECT_EQ(m.wave.exec(), exec);
      ASSERT_TRUE(
          m.run(make(Op::v_readfirstlane_b32, Enc::VOP1, sgpr(kExec + 1), {vgpr(10)}), target));
      EXPECT_EQ(m.wave.exec(), exec);
      Inst add = make(Op::v_add_co_u32, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11)});
      add.sdst = sgpr(kExec + 1);
      ASSERT_TRUE(m.run(add, target));
      EXPECT_EQ(m.wave.exec(), exec);
    }
    // A carry nobody wants goes to the slot nobody reads.
    const Wave before = m.wave;
    Inst sum = make(Op::v_add_co_u32, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11)});
    sum.sdst = sgpr(isa::Sgpr::sink, one ? 1 : 2);
    ASSERT_TRUE(m.run(sum, target));
    EXPECT_TRUE(std::equal(before.s, before.s + isa::Sgpr::sink, m.wave.s));
  }
}

/// A carry chain: sums of 64 bits, the carries between in any SGPR.
TEST_P(ValuGfx1030, Carries) {
  const bool one = lanes == 32;
  for (uint64_t exec : execs()) {
    Machine m;
    m.wave.exec() = exec;
    std::fill_n(m.wave.s + 20, 10, 0x77777777);
    const std::vector<VRow> before = m.rows;
    Inst low = make(Op::v_add_co_u32, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(12)});
    low.sdst = sgpr(21, one ? 1 : 2);
    Inst high =
        make(Op::v_addc_co_u32, Enc::VOP3, vgpr(5), {vgpr(11), vgpr(13), sgpr(21, one ? 1 : 2)});
    high.sdst = sgpr(25, one ? 1 : 2);
    ASSERT_TRUE(m.run(low, target));
    ASSERT_TRUE(m.run(high, target));
    othersStay(m, before, exec, {4, 5});
    uint64_t carries[2] = {};
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1) {
        const auto pair = [&](unsigned r) {
          return before[r].u[l] | uint64_t(before[r + 1].u[l]) << 32;
        };
        const uint64_t sum = pair(10) + pair(12);
        EXPECT_EQ(m.v(4).u[l] | uint64_t(m.v(5).u[l]) << 32, sum);
        carries[0] |= uint64_t(uint32_t(sum) < before[10].u[l]) << l;
        carries[1] |= uint64_t(sum < pair(10)) << l;
      }
    for (unsigned k = 0; k < 2; ++k) {
      EXPECT_EQ(m.wave.s[21 + 4 * k], uint32_t(carries[k]));
      EXPECT_EQ(m.wave.s[22 + 4 * k], one ? 0x77777777 : uint32_t(carries[k] >> 32));
      EXPECT_EQ(m.wave.s[20 + 4 * k], 0x77777777u);
      EXPECT_EQ(m.wave.s[23 + 4 * k], 0x77777777u);
    }
  }
}

/// Halves of registers: op_sel names them, the other half of the destination stays.
TEST_P(ValuGfx1030, Halves) {
  for (uint64_t exec : execs())
    for (unsigned sel = 0; sel < 16; ++sel) {
      Machine m;
      m.wave.exec() = exec;
      Inst in = make(Op::v_mul_lo_u16, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11)});
      in.opSel = uint8_t(sel);
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(in, target));
      othersStay(m, before, exec, {4});
      for (unsigned l = 0; l < 64; ++l) {
        if (!(exec >> l & 1))
          continue;
        const auto half = [&](unsigned k) {
          return before[10 + k].u[l] >> (sel >> k & 1 ? 16 : 0);
        };
        const uint32_t product = (half(0) & 0xffff) * (half(1) & 0xffff) & 0xffff;
        const uint32_t old = before[4].u[l];
        EXPECT_EQ(m.v(4).u[l],
                  sel & 8 ? (old & 0xffff) | product << 16 : (old & 0xffff0000) | product);
      }
    }
}

} // namespace
} // namespace meld::test
