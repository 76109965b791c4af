// Lane access: readlane, writelane, readfirstlane, mbcnt, swap, accumulation registers.
#include "tests/runtime/softgpu/valu/harness.h"

#include <gtest/gtest.h>

namespace meld::test {
namespace {

using namespace softgpu;

TEST(ValuLanes, ReadFirstLane) {
  Machine m;
  for (uint64_t exec : {~0ull, 0ull, 1ull << 63, 0xf0ull, 0x8000000000000100ull}) {
    m.wave.exec() = exec;
    ASSERT_TRUE(m.run(make(Op::v_readfirstlane_b32, Enc::VOP1, sgpr(5), {vgpr(10)})));
    unsigned lane = 0; // EXEC = 0 reads lane 0
    while (exec && !(exec >> lane & 1))
      ++lane;
    EXPECT_EQ(m.wave.s[5], m.v(10).u[lane]);
  }
}

TEST(ValuLanes, ReadWriteLane) {
  Machine m;
  m.wave.exec() = 0; // both ignore EXEC
  for (uint32_t lane : {0u, 1u, 31u, 63u, 64u, 0xffffffffu}) {
    m.wave.s[7] = lane;
    ASSERT_TRUE(m.run(make(Op::v_readlane_b32, Enc::VOP3, sgpr(5), {vgpr(10), sgpr(7)})));
    EXPECT_EQ(m.wave.s[5], m.v(10).u[lane & 63]);
    ASSERT_TRUE(m.run(make(Op::v_readlane_b32, Enc::VOP3, sgpr(5), {vgpr(11), imm(lane)})));
    EXPECT_EQ(m.wave.s[5], m.v(11).u[lane & 63]);
    const VRow before = m.v(12);
    m.wave.s[8] = 0xabc00000 + lane;
    ASSERT_TRUE(m.run(make(Op::v_writelane_b32, Enc::VOP3, vgpr(12), {sgpr(8), sgpr(7)})));
    for (unsigned l = 0; l < 64; ++l)
      EXPECT_EQ(m.v(12).u[l], l == (lane & 63) ? m.wave.s[8] : before.u[l]);
  }
}

TEST(ValuLanes, Mbcnt) {
  for (bool high : {false, true})
    check({high ? Op::v_mbcnt_hi_u32_b32 : Op::v_mbcnt_lo_u32_b32, "u:uu", [=](Lane &l) {
             uint32_t n = (uint32_t)l.b;
             const uint64_t below = l.lane ? (~0ull >> (64 - l.lane)) : 0;
             const uint64_t mask = high ? (l.a << 32) : (uint32_t)l.a;
             for (int k = 0; k < 64; ++k)
               n += (mask & below) >> k & 1;
             return (uint64_t)n;
           }});
}

TEST(ValuLanes, Swap) {
  Machine m;
  for (uint64_t exec : {~0ull, 0x00ff00ff12345678ull}) {
    m.wave.exec() = exec;
    const VRow a = m.v(4), b = m.v(5);
    ASSERT_TRUE(m.run(make(Op::v_swap_b32, Enc::VOP1, vgpr(4), {vgpr(5)})));
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(m.v(4).u[l], exec >> l & 1 ? b.u[l] : a.u[l]);
      EXPECT_EQ(m.v(5).u[l], exec >> l & 1 ? a.u[l] : b.u[l]);
    }
  }
}

TEST(ValuLanes, AccumulationRegisters) {
  Machine m;
  m.wave.exec() = 0xffff0000ffff0000;
  const std::vector<VRow> before = m.rows;
  ASSERT_TRUE(m.run(make(Op::v_accvgpr_write_b32, Enc::VOP3P, agpr(3), {vgpr(10)})));
  ASSERT_TRUE(m.run(make(Op::v_accvgpr_write_b32, Enc::VOP3P, agpr(4), {imm(0x42)})));
  ASSERT_TRUE(m.run(make(Op::v_accvgpr_read_b32, Enc::VOP3P, vgpr(6), {agpr(3)})));
  ASSERT_TRUE(m.run(make(Op::v_accvgpr_mov_b32, Enc::VOP1, agpr(9), {agpr(4)})));
  for (unsigned l = 0; l < 64; ++l) {
    const bool on = m.wave.exec() >> l & 1;
    EXPECT_EQ(m.v(96 + 3).u[l], on ? before[10].u[l] : before[96 + 3].u[l]);
    EXPECT_EQ(m.v(6).u[l], on ? before[10].u[l] : before[6].u[l]);
    EXPECT_EQ(m.v(96 + 9).u[l], on ? 0x42 : before[96 + 9].u[l]);
  }
}

TEST(ValuLanes, Nop) {
  Machine m;
  const std::vector<VRow> before = m.rows;
  ASSERT_TRUE(m.run(make(Op::v_nop, Enc::VOP1, {}, {})));
  EXPECT_EQ(std::memcmp(before.data(), m.rows.data(), before.size() * sizeof(VRow)), 0);
}

} // namespace
} // namespace meld::test
