// The timing model: microbenchmarks whose time follows from the documented rules, determinism, and
// that it computes the same results and counters as the plain interpreter.
#include "tests/runtime/softgpu/timing/timing_fixture.h"

#include <atomic>
#include <numeric>
#include <thread>

namespace meld::softgpu::test {
namespace {

using std::vector;

INSTANTIATE_TEST_SUITE_P(Targets, Timing, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

uint32_t up(uint32_t x) { return (x + 3) / 4 * 4; }

TEST_P(Timing, IssueCosts) {
  EXPECT_EQ(each("valu"), 4);
  EXPECT_EQ(each("trans"), 16);
  EXPECT_EQ(each("mulhi"), 16);
  EXPECT_EQ(each("f64"), target == "gfx900" ? 64 : 4);
  EXPECT_EQ(each("salu"), 4);
  // CLRX, "GCN ISA Instruction Timings", SOPP.
  EXPECT_EQ(each("branch_not"), 4);
  EXPECT_EQ(each("branch_taken"), 20);
  EXPECT_EQ(each("nop"), 4);
}

TEST_P(Timing, WavesShareUnits) {
  // One wave on each SIMD: no conflict. Two on each: the vector ALU alternates.
  EXPECT_EQ(each("valu", 4), 4);
  EXPECT_EQ(each("valu", 8), 8);
  EXPECT_EQ(each("trans", 8), 32);
  // A vector and a scalar instruction: 8 cycles for one wave; two waves overlap them.
  EXPECT_EQ(each("both", 1), 8);
  EXPECT_EQ(each("both", 8), 8);
  EXPECT_EQ(each("both", 16), 16);
}

TEST_P(Timing, Lds) {
  EXPECT_EQ(each("lds_read"), 4);
  EXPECT_EQ(each("lds_write"), 8);
  EXPECT_EQ(each("lds_write128"), 20) << "every lane the same address: no bank conflict";
  // 64 lanes 128 bytes apart: in each half 32 addresses in one bank, 31 extra cycles.
  // A SIMD is visited on every fourth cycle, so 66 become 68.
  EXPECT_EQ(each("lds_conflict"), up(4 + 2 * 31));
  // Two SIMDs share a port, the other two have their own: waves are dealt to SIMDs 0, 1, 2, 3.
  EXPECT_EQ(each("lds_write", 4), 16);
  EXPECT_EQ(each("lds_conflict", 1, "ldsConflict=2"), up(4 + 2 * 62));
}

TEST_P(Timing, Memory) {
  // 64 lanes x 4 bytes are 4 lines: the last is looked up 3 cycles after the first. A wave issues
  // on every fourth cycle. The wait gives way 4 cycles after its issue or when the data is there.
  EXPECT_EQ(each("load_hit"), up(3 + p.l1Latency));
  // Each line from memory takes 64 / (bytes per cycle) of this unit's share; the first comes
  // through after one, the last after four. 1 cycle per line at the L2 port.
  const double line = 64.0 * 1000 / p.hbmMilliBytesPerCycle;
  const double miss = each("load_miss", 1, "sharedMemory=0,hbmPercent=100,tlbEntries=0") - 4;
  EXPECT_NEAR(miss, 1 + 4 * line + p.hbmLatency, 5);
  // At most 63 may be on their way, so they must not take longer than 63 issues.
  EXPECT_EQ(each("store", 1, "l2Latency=200"), 4) << "4 lines each, nobody waits for them";
}

TEST_P(Timing, OccupancyAndRoundRobin) {
  auto g = timed(1, "dispatchWave=0,fetchLatency=0");
  const uint32_t units = 8;
  const uint64_t one = cycles(*g, "trans_2", 64, 64, 65536);
  // With all of the LDS a compute unit runs one workgroup at a time.
  EXPECT_EQ(cycles(*g, "trans_2", units * 64, 64, 65536), one);
  const uint64_t two = cycles(*g, "trans_2", (units + 1) * 64, 64, 65536);
  EXPECT_NEAR(double(two), 2.0 * one, 8);
  // Without it, four workgroups use four SIMDs at a time, whose visits are up to 3 cycles apart.
  EXPECT_NEAR(double(cycles(*g, "trans_2", 4 * units * 64, 64, 0)), double(one), 3);
}

TEST_P(Timing, DeterministicAndEqualToThePlainInterpreter) {
  DeviceConfig plainConfig = testConfig(target, 2);
  auto plain = Gpu::create(plainConfig);
  for (const char *kernel : {"collatz", "reduce", "scratch"}) {
    vector<uint32_t> in(256 * 40), expected(256 * 40);
    for (size_t k = 0; k < in.size(); ++k)
      in[k] = uint32_t(k * 2654435761u);
    auto run = [&](Gpu &g, vector<uint32_t> &out) {
      Args args =
          std::string(kernel) == "collatz" ? Args(out.data()) : Args(in.data(), out.data(), 50u);
      return launch(g, code, kernel, {256 * 40}, {256}, args);
    };
    vector<uint32_t> out(expected.size()); // one buffer: cache lines depend on its alignment
    DispatchResult base = run(*plain, out);
    EXPECT_EQ(base.cycles, 0u);
    expected = out;
    uint64_t before = 0;
    for (unsigned threads : {1u, 4u, 1u}) {
      auto g = timed(threads);
      std::fill(out.begin(), out.end(), 0);
      DispatchResult r = run(*g, out);
      EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
      EXPECT_EQ(out, expected) << kernel;
      for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
        EXPECT_EQ(r.counters.insts[k], base.counters.insts[k]) << kernel << " " << k;
      EXPECT_EQ(r.counters.activeLanesValu, base.counters.activeLanesValu);
      EXPECT_EQ(r.counters.cacheLines, base.counters.cacheLines);
      EXPECT_EQ(r.counters.ldsBankConflicts, base.counters.ldsBankConflicts);
      EXPECT_EQ(r.counters.waves, base.counters.waves);
      EXPECT_TRUE(before == 0 || before == r.cycles) << kernel << " " << before << " " << r.cycles;
      before = r.cycles;
    }
  }
}

#ifndef __SANITIZE_THREAD__ // which says itself where memory may lie
/// What the host has mapped meanwhile does not say which lines of scratch memory are in each other's
/// way.
TEST_P(Timing, WhereTheHostHasMemoryDoesNotMatter) {
  vector<uint32_t> in(256 * 40), out(in.size());
  for (size_t k = 0; k < in.size(); ++k)
    in[k] = uint32_t(k * 2654435761u);
  vector<std::pair<void *, size_t>> taken;
  uint64_t first = 0;
  for (size_t k = 1; k <= 10; ++k) {
    auto g = timed(1);
    const DispatchResult r =
        launch(*g, code, "scratch", {256 * 40}, {256}, Args(in.data(), out.data(), 50u));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    EXPECT_EQ(r.cycles, k == 1 ? r.cycles : first) << "run " << k;
    first = r.cycles;
    // Gaps among what is taken, other ones for each run.
    for (size_t n = 0; n < 400; ++n) {
      const size_t bytes = (8 + (n * 37 + k * 11) % 300) * 4096;
      void *p = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(p, MAP_FAILED);
      taken.emplace_back(p, bytes);
    }
    for (size_t n = 0; n < 400; n += 2) {
      auto &[at, bytes] = taken[taken.size() - 1 - n];
      munmap(at, bytes);
      bytes = 0; // what lies there next is another's
    }
    std::erase_if(taken, [](const auto &range) { return range.second == 0; });
  }
  for (const auto &[at, bytes] : taken)
    munmap(at, bytes);
}
#endif

/// What lies in scratch memory at once is spread over the sets of the L2, as any stretch of memory
/// that is used from its begin: where all of it fits, sets of 1,024 lines take as long.
TEST_P(Timing, ScratchMemoryIsSpreadOverTheCaches) {
  vector<uint32_t> in(200), out(200 * 256);
  std::iota(in.begin(), in.end(), 1u);
  uint64_t cycles[2] = {};
  for (unsigned k = 0; k < 2; ++k) {
    DeviceConfig c = testConfig(target, 1);
    c.computeUnits = 64;
    c.timing = true;
    c.timingParameters = parseTimingChanges(k ? "l2Ways=1024" : "").value();
    auto g = Gpu::create(c);
    const DispatchResult r = launch(*g, code, "scratch", {200 * 64}, {64},
                                    Args(in.data(), out.data(), uint32_t(in.size())));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    cycles[k] = r.cycles;
  }
  EXPECT_NEAR(double(cycles[0]), double(cycles[1]), 0.05 * double(cycles[1]));
}

/// Workgroups run in the memory of those before (spare_groups.h): a thread that has run nothing yet
/// takes as long.
TEST_P(Timing, WhatTheThreadRanBeforeDoesNotMatter) {
  auto g = timed(1);
  const std::pair<const char *, uint32_t> kernels[] = {{"valu_2", 0},
                                                       {"lds_conflict_1", 16384},
                                                       {"trans_2", 65536},
                                                       {"load_miss_1", 0},
                                                       {"valu_1", 1024}};
  for (int round = 0; round < 2; ++round)
    for (const auto &[kernel, lds] : kernels) {
      uint64_t alone = 0;
      std::thread([&] { alone = cycles(*g, kernel, 512, 128, lds); }).join();
      EXPECT_EQ(cycles(*g, kernel, 512, 128, lds), alone) << kernel;
    }
}

TEST_P(Timing, WaitsFaultsAndCancel) {
  auto g = timed();
  vector<uint32_t> flag(300);
  EXPECT_EQ(launch(*g, code, "chain", {300 * 64}, {64}, Args(flag.data())).code, DispatchCode::ok);
  EXPECT_EQ(flag[299], 301u);
  vector<uint32_t> count(1), out(64 * 64);
  EXPECT_EQ(
      launch(*g, code, "grid_barrier", {64 * 64}, {64}, Args(count.data(), out.data(), 64u, 1u))
          .code,
      DispatchCode::ok);
  EXPECT_EQ(out[5], 64u);
  auto r = launch(*g, code, "wild", {256}, {256}, Args(out.data(), uint64_t(0x223456789abc)));
  EXPECT_EQ(r.code, DispatchCode::memoryFault);
  EXPECT_NE(r.message.find("lane 5"), std::string::npos) << r.message;
  std::atomic<bool> cancel{false};
  DispatchRequest request;
  request.cancel = &cancel;
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    cancel = true;
  });
  uint32_t zero = 0;
  EXPECT_EQ(launch(*g, code, "forever", {512}, {256}, Args(&zero), request).code,
            DispatchCode::cancelled);
  host.join();
}

TEST(TimingParameters, ChangesByName) {
  TimingParameters p;
  p.apply({{"valu", 8}, {"l1Latency", 200}});
  EXPECT_EQ(p.valu, 8u);
  EXPECT_EQ(p.l1Latency, 200u);
  EXPECT_EQ(p.salu, TimingParameters().salu);
}

TEST(TimingParameters, RangesHoldTheValues) {
  for (isa::Target target : isa::kTargets) {
    const auto ranges = timingRanges(target);
    TimingParameters p;
    for (const TimingRange &r : ranges) {
      EXPECT_LE(r.low, r.value) << r.name;
      EXPECT_GE(r.high, r.value) << r.name;
      // What the ends of a range are good for: a setting takes them.
      for (uint32_t end : {r.low, r.high})
        EXPECT_TRUE(parseTimingChanges(std::string(r.name) + "=" + std::to_string(end))) << r.name;
      p.apply({{std::string(r.name), r.value}});
    }
    EXPECT_EQ(p.f64, TimingParameters::of(target).f64);
    EXPECT_EQ(p.l2Bytes, TimingParameters::of(target).l2Bytes);
  }
  // Data sheets: Vega 64 computes f64 at 1/16 of the rate of f32, an MI250X at the same rate.
  EXPECT_EQ(TimingParameters::of(isa::Target::gfx900).f64, 64u);
  EXPECT_EQ(TimingParameters::of(isa::Target::gfx90a).f64, 4u);
  EXPECT_EQ(TimingParameters::of(isa::Target::gfx908).f64, 8u);
  // RDNA 2: 1/16 in waves of 32, for which the parameters are.
  EXPECT_EQ(TimingParameters::of(isa::Target::gfx1030).f64, 16u);
  EXPECT_EQ(TimingParameters::of(isa::Target::gfx1030w64).f64, 16u);
  // AMD's product page of the RX 7900 XTX: 960 GB/s for 96 compute units at 2.5 GHz; 6 MiB of L2.
  for (isa::Target target : {isa::Target::gfx1100, isa::Target::gfx1100w64}) {
    const TimingParameters large = TimingParameters::of(target);
    EXPECT_EQ(large.f64, 16u);
    EXPECT_EQ(uint64_t(large.hbmMilliBytesPerCycle) * 96 * 2500, 960'000'000u);
    EXPECT_EQ(large.l2Bytes, 6u << 20);
    EXPECT_EQ(large.lineShift, 7u);
  }
  // AMD's product page of the RX 9070 XT: 640 GB/s for 64 compute units at 2.97 GHz.
  for (isa::Target target : {isa::Target::gfx1201, isa::Target::gfx1201w64}) {
    const TimingParameters small = TimingParameters::of(target);
    EXPECT_EQ(small.f64, 16u);
    EXPECT_NEAR(small.hbmMilliBytesPerCycle * 64 * 2.97, 640'000., 100.);
    EXPECT_EQ(small.l2Bytes, 8u << 20);
    EXPECT_EQ(small.lineShift, 7u);
  }
}

// A setting of the environment is no reason to do without a GPU.
TEST(TimingParameters, NonsenseInTheEnvironmentIsAWarning) {
  for (const std::string &text : {std::string("((("), std::string(1 << 20, ','),
                                  std::string(1 << 20, 'a'), std::string("valu=1=\x1b")}) {
    setenv("MELD_GPU_TIMING_PARAMS", text.c_str(), 1);
    testing::internal::CaptureStderr();
    std::string problem;
    EXPECT_NE(Gpu::create(DeviceConfig(), nullptr, &problem), nullptr) << problem;
    EXPECT_LT(testing::internal::GetCapturedStderr().size(), 300u);
  }
  unsetenv("MELD_GPU_TIMING_PARAMS");
}

} // namespace
} // namespace meld::softgpu::test
