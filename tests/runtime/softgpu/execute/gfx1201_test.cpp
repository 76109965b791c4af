// Programs of gfx1201, in waves of 32 and of 64 lanes: hardware registers, floats and 64-bit
// integers of the scalar unit, small scalar loads, barriers in two halves, where a workgroup's
// numbers are. The programs are in kernels/gfx1201.s; what is expected of them is worked out by
// hand from the "RDNA4" ISA. Skipped where no LLVM at hand knows GFX12. What gfx1201 has in common
// with gfx1030 and gfx1100 is in gfx1030_test.cpp.
#include "tests/runtime/softgpu/execute/test_code.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/execute/workgroup.h"

#include <bit>
#include <memory>
#include <optional>

namespace meld::softgpu::test {
namespace {

class Gfx1201 : public testing::TestWithParam<unsigned> {
protected:
  const unsigned lanes = GetParam();
  const isa::Target target = lanes == 32 ? isa::Target::gfx1201 : isa::Target::gfx1201w64;
  CodeCache cache{target};
  std::optional<TestCode> programs;
  Wave w;
  VRow rows[8] = {};
  WaveCounters counters;

  void SetUp() override {
    if (!kGfx1201Code)
      GTEST_SKIP() << "no LLVM that knows GFX12 in /usr/lib/llvm-*";
    programs.emplace(std::string(MELD_TEST_KERNELS "/gfx1201-gfx1201") +
                     (lanes == 32 ? "" : "w64") + ".hsaco");
  }

  /// Runs a program to its end, or to where it cannot go on.
  void run(const std::string &program, uint32_t mode = 0xf0) {
    w.waveSize = lanes;
    w.v = rows;
    w.numVgprs = 8;
    w.exec() = 3;
    w.mode = mode;
    w.quantum = 1000;
    w.code = &cache;
    w.next = cache.lookup(reinterpret_cast<uint64_t>(programs->symbol(program)));
    runWave(w, counters);
  }
  float number(unsigned s) const { return std::bit_cast<float>(w.s[s]); }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx1201, testing::Values(32, 64),
                         [](auto &i) { return "Of" + std::to_string(i.param); });

TEST_P(Gfx1201, HardwareRegisters) {
  w.flatScratch[0] = 0x55556660;
  w.flatScratch[1] = 0x7777;
  run("registers");
  ASSERT_EQ(w.status, WaveStatus::yielded) << w.fault.what;
  runWave(w, counters);
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.s[20], 0x96u) << "s_round_mode, s_denorm_mode";
  EXPECT_EQ(w.mode, 0x96u);
  EXPECT_EQ(w.s[21], 0x55556660u) << "where scratch is, which only trap handlers change";
  EXPECT_EQ(w.s[22], 0x7777u);
  EXPECT_EQ(w.s[23], 1u) << "8 VGPRs in fours, less one";
  EXPECT_EQ(w.s[24], 1u) << "STATE_PRIV.SCC";
  EXPECT_EQ(w.s[25], lanes == 32 ? 2u : 0u) << "STATUS.VCCZ and EXECZ";
  EXPECT_EQ(w.s[26], lanes == 64) << "STATUS.WAVE64";
  EXPECT_EQ(w.s[30], 0x61u) << "EXCP_FLAG_USER, which programs may write";
  EXPECT_EQ(w.s[27], 0u) << "no clamping of NaNs and no IEEE mode to choose";
}

TEST_P(Gfx1201, MemoryAddressRegisterAndNothing) {
  run("nothing");
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.m0(), 5u);
  EXPECT_EQ(w.s[20], 5u);
  EXPECT_EQ(w.s[21], 0u);
  EXPECT_EQ(w.s64(22), 0u);
}

TEST_P(Gfx1201, CallsAndNoCode) {
  run("calls");
  EXPECT_EQ(w.s[20], 84u);
  EXPECT_EQ(w.status, WaveStatus::faulted);
  EXPECT_EQ(w.fault.kind, FaultKind::illegalInstruction) << "s_code_end";
}

TEST_P(Gfx1201, WideIntegers) {
  run("wide");
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.s64(20), 0x100000001u);
  EXPECT_EQ(w.s64(22), 0x100000003u);
  EXPECT_EQ(w.s64(24), 0x400000004u) << "the low 64 bits of the square of 2^32 + 2";
  EXPECT_EQ(w.s[26], 1u) << "SCC stays";
}

TEST_P(Gfx1201, FloatsOfTheScalarUnit) {
  run("floats");
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(number(20), 6.5f);
  EXPECT_EQ(number(21), 13.f);
  EXPECT_EQ(number(22), 17.f);
  EXPECT_EQ(number(23), -7.f);
  EXPECT_EQ(w.s[24], 6u);
  EXPECT_EQ(w.s[25], 1u);
  EXPECT_EQ(w.s[26], 1u) << "not greater or equal: unordered";
  EXPECT_EQ(number(27), 1.5f) << "the number";
  EXPECT_EQ(w.s[28], 0x7fc00000u) << "the NaN";
  EXPECT_EQ(number(29), 0.5f);
  EXPECT_EQ(number(30), 0.25f);
  EXPECT_EQ(w.s[31], 0x40003e00u);
  EXPECT_EQ(w.s[32], 0x4600u) << "1.5 * 4, the upper half is not read";
  EXPECT_EQ(number(33), 2.f);
  EXPECT_EQ(number(34), -1.f);
  EXPECT_EQ(counters.insts[unsigned(isa::Category::valu)], 2u) << "v_s_rcp_f32, v_s_exp_f32";
}

TEST_P(Gfx1201, SmallScalarLoads) {
  const uint32_t memory[4] = {0x01020304, 0x8584c3c2, 0x11111111, 0x22222222};
  w.setS64(10, reinterpret_cast<uint64_t>(memory + 1));
  run("loads");
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  EXPECT_EQ(w.s[20], 0x85u);
  EXPECT_EQ(w.s[21], 0xffffff85u);
  EXPECT_EQ(w.s[22], 0x8584u);
  EXPECT_EQ(w.s[23], 0xffff8584u);
  EXPECT_EQ(w.s[24], memory[1]);
  EXPECT_EQ(w.s[25], memory[2]);
  EXPECT_EQ(w.s[26], memory[3]);
  EXPECT_EQ(w.s[27], memory[0]) << "a negative offset";
}

TEST_P(Gfx1201, PairsOfOperations) {
  run("pairs");
  ASSERT_EQ(w.status, WaveStatus::ended) << w.fault.what;
  if (lanes == 64) // these are not for waves of 64
    return;
  EXPECT_EQ(number(20), 2.f);
  EXPECT_EQ(number(21), 1.f);
  EXPECT_EQ(number(22), 3.f);
  EXPECT_EQ(number(23), 2.f);
}

TEST_P(Gfx1201, BarrierOfOneWave) {
  Workgroup group;
  group.numWaves = 1;
  w.group = &group;
  run("barrier");
  EXPECT_EQ(w.s[20], 1u << 4 | 1) << "one wave, none has signalled";
  EXPECT_EQ(w.s[21], 1u << 16 | 1 << 4 | 1);
  EXPECT_EQ(w.status, WaveStatus::barrier);
  run("named");
  EXPECT_EQ(w.fault.kind, FaultKind::illegalInstruction);
}

/// Interpreted, translated, watched and timed.
TEST_P(Gfx1201, BarrierInTwoHalves) {
  constexpr unsigned kGroups = 5, kSize = 256, kPhases = 3;
  for (const char *how : {"off", "always", "checked", "timed"}) {
    SCOPED_TRACE(how);
    DeviceConfig c = testConfig("gfx1201", 2);
    const bool checked = std::string_view(how) == "checked";
    c.checks = checked ? ~0u : 0;
    c.timing = std::string_view(how) == "timed";
    c.translate = checked || c.timing ? "off" : how;
    const auto gpu = Gpu::create(c);
    std::vector<uint32_t> out(kGroups * kSize), first(1);
    const auto r = launch(*gpu, *programs, "split", {kGroups * kSize}, {kSize},
                          Args(out.data(), first.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    for (uint32_t k = 0; k < out.size(); ++k)
      ASSERT_EQ(out[k], (kSize - 1 - k % kSize) | k % kSize / lanes << 16) << k;
    EXPECT_EQ(first[0], kGroups * kPhases) << "one first wave in each phase";
    EXPECT_EQ(r.counters.waves, kGroups * kSize / lanes);
  }
}

TEST_P(Gfx1201, SizeOfTheWorkgroup) {
  const auto gpu = Gpu::create(testConfig("gfx1201", 1));
  std::vector<uint32_t> out(256 / lanes);
  const auto r = launch(*gpu, *programs, "waves", {256}, {256}, Args(out.data()));
  ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
  EXPECT_EQ(out, std::vector<uint32_t>(256 / lanes, 256 / lanes)) << "in waves";
}

} // namespace
} // namespace meld::softgpu::test
