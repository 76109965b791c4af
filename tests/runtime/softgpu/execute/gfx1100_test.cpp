// Scalar programs of gfx1100, in waves of 32 and of 64 lanes: hardware registers, messages with an
// answer, the places of M0 and null, pairs of operations. The programs are in kernels/gfx1100.s; what
// is expected of them is worked out by hand from the "RDNA3" ISA. What gfx1100 has in common with
// gfx1030 is in gfx1030_test.cpp.
#include "tests/runtime/softgpu/execute/scalar_reference.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"

#include <bit>
#include <cstring>
#include <memory>

namespace meld::softgpu::test {
namespace {

class Gfx1100 : public testing::TestWithParam<unsigned> {
protected:
  const unsigned lanes = GetParam();
  const isa::Target target = lanes == 32 ? isa::Target::gfx1100 : isa::Target::gfx1100w64;
  CodeCache cache{target};
  TestCode programs{MELD_TEST_KERNELS "/gfx1100-gfx1100.hsaco"};
  Wave w;
  VRow rows[8] = {};
  WaveCounters counters;

  /// Runs a program to its end, or to where it cannot go on.
  void run(const std::string &program, uint64_t exec, uint32_t mode = 0xf0) {
    w.waveSize = lanes;
    w.v = rows;
    w.numVgprs = 8;
    w.exec() = exec;
    w.mode = mode;
    w.quantum = 1000;
    w.code = &cache;
    w.next = cache.lookup(reinterpret_cast<uint64_t>(programs.symbol(program)));
    runWave(w, counters);
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx1100, testing::Values(32, 64),
                         [](auto &i) { return "Of" + std::to_string(i.param); });

TEST_P(Gfx1100, HardwareRegisters) {
  w.flatScratch[0] = 0x55556660;
  w.flatScratch[1] = 0x7777;
  w.numVgprs = 8;
  run("registers", 1);
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.s[20], 0x96u) << "s_round_mode, s_denorm_mode";
  EXPECT_EQ(w.mode, 0x96u);
  EXPECT_EQ(w.s[21], 0x55556660u) << "where scratch is, which only trap handlers change";
  EXPECT_EQ(w.s[22], 0x7777u);
  EXPECT_EQ(w.s[23], 1u) << "8 VGPRs in fours, less one";
  EXPECT_EQ(w.s[24], 1u) << "STATUS.SCC";
  EXPECT_EQ(w.s[25], lanes == 32 ? 2u : 0u) << "STATUS.VCCZ and EXECZ";
}

TEST_P(Gfx1100, MemoryAddressRegisterAndNothing) {
  run("nothing", 1);
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.m0(), 5u);
  EXPECT_EQ(w.s[20], 5u);
  EXPECT_EQ(w.s[21], 0u);
  EXPECT_EQ(w.s64(22), 0u);
  EXPECT_EQ(w.s[24], 101u) << "s_movrels_b32 by M0";
}

/// "RDNA3" ISA, "Scalar ALU operands": null is 0 where it is read, and what is written to it is lost.
TEST_P(Gfx1100, NothingInPlaceOfARegister) {
  // Without a base, an SGPR's 32 bits are the address.
  void *low =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  ASSERT_NE(low, MAP_FAILED);
  *static_cast<uint32_t *>(low) = 0x13579bdf;
  w.setS64(10, reinterpret_cast<uint64_t>(low));
  run("onNull", 1, 0xff);
  munmap(low, 4096);
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.s[20], 0u) << "s_addk_i32: no overflow";
  EXPECT_EQ(w.s[21], 1u) << "s_cmpk_eq_i32 with 0";
  EXPECT_EQ(w.s[22], 0u) << "s_cmpk_gt_u32 with 3";
  EXPECT_EQ(w.s[23], 0u) << "s_setreg_b32";
  EXPECT_EQ(w.s[24], 0x13579bdfu) << "s_load_b32 with no base";
}

TEST_P(Gfx1100, Messages) {
  Workgroup group;
  DispatchRequest request;
  request.dispatchId = 0x1234567890;
  group.request = &request;
  static uint32_t event, interrupts;
  interrupts = 0;
  group.interrupt = [](Workgroup &, uint32_t id) { event = id, ++interrupts; };
  w.group = &group;
  run("messages", 1);
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_GT(w.s64(20), 0u);
  EXPECT_GE(w.s64(22), w.s64(20)) << "MSG_RTN_GET_REALTIME";
  EXPECT_EQ(w.s[24], 0u) << "MSG_RTN_GET_DOORBELL";
  EXPECT_EQ(w.s64(26), 0u) << "MSG_RTN_GET_TBA";
  EXPECT_EQ(w.s64(28), 0x1234567890u) << "MSG_RTN_GET_DDID";
  EXPECT_EQ(interrupts, 1u);
  EXPECT_EQ(event, 0x15u);
}

TEST_P(Gfx1100, BranchesOnVcc) {
  const bool one = lanes == 32; // VCC is vcc_lo
  run("branches", 1);
  ASSERT_EQ(w.status, WaveStatus::ended);
  EXPECT_EQ(w.s[20], one ? 1u : 2u) << "s_cbranch_vccz";
  EXPECT_EQ(w.s[22], one ? 2u : 1u) << "s_cbranch_vccnz";
  EXPECT_EQ(w.s[23], one ? 0u : 1u) << "s_cbranch_execz";
  EXPECT_EQ(w.exec(), one ? 0u : 7ull << 32);
}

TEST_P(Gfx1100, CallsAndNoCode) {
  run("calls", 1);
  EXPECT_EQ(w.s[20], 84u);
  EXPECT_EQ(w.status, WaveStatus::faulted);
  EXPECT_EQ(w.fault.kind, FaultKind::illegalInstruction) << "s_code_end";
}

TEST_P(Gfx1100, PairsOfOperations) {
  run("pairs", 3);
  if (lanes == 64) { // these are not for waves of 64
    EXPECT_EQ(w.fault.kind, FaultKind::illegalInstruction);
    return;
  }
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(std::bit_cast<float>(w.s[20]), 2.f);
  EXPECT_EQ(std::bit_cast<float>(w.s[21]), 1.f);
  EXPECT_EQ(std::bit_cast<float>(w.s[22]), 3.f);
  EXPECT_EQ(std::bit_cast<float>(w.s[23]), 12.f);
  EXPECT_EQ(counters.insts[unsigned(isa::Category::valu)], 8u) << "a pair counts as one";
  EXPECT_EQ(counters.activeLanesValu, 16u);
}

} // namespace
} // namespace meld::softgpu::test
