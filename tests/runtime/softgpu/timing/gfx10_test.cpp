// The timing model on GFX10.3: microbenchmarks whose time follows from the documented rules, in waves of
// 32 and of 64 lanes, with workgroups on one compute unit and on both of a pair.
#include "tests/runtime/softgpu/timing/timing_fixture.h"

#include <cmath>

namespace meld::softgpu::test {
namespace {

class Gfx10Timing : public testing::TestWithParam<unsigned> {
protected:
  const unsigned lanes = GetParam();
  const double passes = lanes / 32;
  TestCode code{std::string(MELD_TEST_KERNELS) + "/timing10-gfx1030" + (lanes == 64 ? "w64" : "") +
                ".hsaco"};
  alignas(4096) uint32_t data[4096] = {};
  const TimingParameters p = TimingParameters::of(isa::Target::gfx1030);

  uint64_t cycles(const std::string &kernel, unsigned waves, const char *parameters) {
    DeviceConfig c = testConfig("gfx1030", 1);
    c.timing = true;
    // Code in the instruction cache, and enough of it at once that fetching costs nothing.
    c.timingParameters =
        parseTimingChanges(std::string("fetchMiss=0,fetchLatency=4,fetchBytes=64,") + parameters)
            .value();
    auto gpu = Gpu::create(c);
    Args args(&data[0]);
    AqlPacket packet = makePacket(code, kernel, {waves * lanes}, {waves * lanes}, args.data());
    packet.groupSegment = 16384;
    DispatchRequest r;
    r.packet = &packet;
    const DispatchResult result = gpu->run(r);
    EXPECT_EQ(result.code, DispatchCode::ok) << result.message;
    return result.cycles;
  }
  /// Cycles per repetition of the body, for `waves` waves in one workgroup.
  double each(const std::string &name, unsigned waves = 1, const char *parameters = "") {
    return double(cycles(name + "_2", waves, parameters) - cycles(name + "_1", waves, parameters)) /
           100;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx10Timing, testing::Values(32u, 64u),
                         [](auto &i) { return std::to_string(i.param); });

// "RDNA" white paper: 32 lanes a cycle; special functions a quarter, f64 a sixteenth of it.
TEST_P(Gfx10Timing, IssueCosts) {
  EXPECT_EQ(each("valu"), passes);
  EXPECT_EQ(each("trans"), 4 * passes);
  EXPECT_EQ(each("mulhi"), 4 * passes);
  EXPECT_EQ(each("f64"), 16 * passes);
  EXPECT_EQ(each("salu"), 1);
}

// A result is there 5 cycles after its instruction began (LLVM, GFX10SpeedModel), for waves of 64 a
// pass later.
TEST_P(Gfx10Timing, DependentInstructionsWait) {
  EXPECT_EQ(each("chain"), passes + 4);
  EXPECT_EQ(each("chain", 1, "valuResult=0"), passes);
  // Other waves of the SIMD fill the gap: five of 32 lanes, three of 64.
  const unsigned filling = unsigned(passes + 4) / unsigned(passes);
  EXPECT_EQ(each("chain", 2 * filling), passes + 4);
}

TEST_P(Gfx10Timing, WavesShareTheSimds) {
  EXPECT_EQ(each("valu", 2), passes); // two SIMDs
  EXPECT_EQ(each("valu", 4), 2 * passes);
  EXPECT_EQ(each("valu_pair", 4), passes); // four
  EXPECT_EQ(each("valu_pair", 8), 2 * passes);
}

// Sixteen instructions of four bytes to a line of 64. With two bytes a cycle for each SIMD a wave
// has its next line every 32 cycles, whatever the others fetch. A hundred of them are six lines or
// seven.
TEST_P(Gfx10Timing, EachSimdFetches) {
  const double line = 32.0 / 100;
  EXPECT_NEAR(each("valu", 1, "fetchBytes=2"), 2, line);
  EXPECT_NEAR(each("valu", 2, "fetchBytes=2"), 2, line);
  EXPECT_NEAR(each("valu_pair", 4, "fetchBytes=2"), 2, line);
  EXPECT_NEAR(each("valu_pair", 8, "fetchBytes=2"), 4, 2 * line);
  EXPECT_NEAR(each("valu_pair", 4, "fetchBytes=2,fetchPerSimd=0"), 8, 4 * line);
}

// 128 bytes a cycle for two SIMDs; conflicts as counted, for each 32 lanes.
TEST_P(Gfx10Timing, Lds) {
  EXPECT_EQ(each("lds_read"), passes);
  EXPECT_EQ(each("lds_conflict"), passes * 32);
  EXPECT_EQ(each("lds_conflict", 2), 2 * passes * 32);
  EXPECT_EQ(each("lds_conflict_pair", 4), 2 * passes * 32); // each half of the LDS serves two waves
}

TEST_P(Gfx10Timing, Memory) {
  // A wave of 32 reads one line of 128 bytes, one of 64 two.
  EXPECT_EQ(each("load_hit"), p.l1Latency + passes - 1);
}

// Stores have a counter of their own: who waits for loads does not wait for them.
TEST_P(Gfx10Timing, StoresCountApart) {
  EXPECT_GE(each("store_wait"), p.l2Latency);
  EXPECT_LT(each("store_wrong_wait"), p.l2Latency / 4);
  EXPECT_LT(each("load_behind_store"), p.l1Latency + 20);
}

// What fits: 32 waves a compute unit, 64 a pair, 64 KiB of LDS for one workgroup.
TEST(Gfx10Launch, Occupancy) {
  struct Case {
    const char *file, *kernel;
    uint32_t items, lds;
    unsigned groups, waves; ///< on what it is placed on, on a SIMD
  };
  for (const Case &c : {
           Case{"gfx1030", "valu_1", 64, 0, 16, 16},        // 2 waves: 16 barriers, 32 waves
           Case{"gfx1030", "valu_pair_1", 64, 0, 32, 16},   // both doubled
           Case{"gfx1030", "valu_1", 32, 0, 32, 16},        // no barrier
           Case{"gfx1030", "valu_1", 64, 65536, 1, 1},      // all of a unit's LDS
           Case{"gfx1030", "valu_pair_1", 64, 65536, 2, 1}, // half of a pair's
           Case{"gfx1030", "valu_1", 64, 40000, 1, 1},
           Case{"gfx1030", "valu_pair_1", 64, 40000, 3, 2},
           Case{"gfx1030w64", "valu_1", 64, 0, 32, 16},
           Case{"gfx1030w64", "valu_1", 1024, 0, 2, 16},
       }) {
    TestCode code(std::string(MELD_TEST_KERNELS) + "/timing10-" + c.file + ".hsaco");
    AqlPacket packet = makePacket(code, c.kernel, {c.items}, {c.items}, nullptr);
    packet.groupSegment = c.lds;
    DispatchRequest r;
    r.packet = &packet;
    Launch l;
    const DispatchResult result = readLaunch(r, testConfig("gfx1030", 1), l);
    ASSERT_EQ(result.code, DispatchCode::ok) << result.message;
    const bool w64 = std::string(c.file).ends_with("w64");
    EXPECT_EQ(l.waveSize, w64 ? 64u : 32u);
    EXPECT_EQ(l.target, w64 ? isa::Target::gfx1030w64 : isa::Target::gfx1030);
    EXPECT_EQ(l.wavesPerGroup, c.items / l.waveSize);
    EXPECT_EQ(l.vgprs, 24u);
    EXPECT_EQ(l.sgprs, 128u);
    EXPECT_EQ(l.groupsPerUnit, c.groups) << c.kernel << " " << c.items << " " << c.lds;
    EXPECT_EQ(l.wavesPerSimd, c.waves) << c.kernel << " " << c.items << " " << c.lds;
    packet.groupSegment = 65537;
    EXPECT_EQ(readLaunch(r, testConfig("gfx1030", 1), l).code, DispatchCode::ldsTooLarge);
  }
}

// GFX9 has one size of waves.
TEST(Gfx10Launch, Wave32IsRefusedElsewhere) {
  TestCode code(std::string(MELD_TEST_KERNELS) + "/timing10-gfx1030.hsaco");
  AqlPacket packet = makePacket(code, "valu_1", {64}, {64}, nullptr);
  DispatchRequest r;
  r.packet = &packet;
  Launch l;
  EXPECT_EQ(readLaunch(r, testConfig("gfx90a", 1), l).code, DispatchCode::badCodeObject);
}

} // namespace
} // namespace meld::softgpu::test
