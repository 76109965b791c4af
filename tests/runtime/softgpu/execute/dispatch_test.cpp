// Whole kernels, compiled by clang for each generation and size of waves, run without ROCm; results
// against host code.
#include "tests/runtime/softgpu/execute/test_code.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <xmmintrin.h>

namespace meld::softgpu::test {
namespace {

using std::vector;

class Dispatch : public testing::TestWithParam<std::string> {
protected:
  /// "gfx1030w64": a device gfx1030, and code for waves of 64.
  std::string target = GetParam().substr(0, GetParam().find('w'));
  const uint32_t waveSize =
      GetParam() == "gfx1030" || GetParam() == "gfx1100" || GetParam() == "gfx1201" ? 32 : 64;
  const bool gfx12 = target == "gfx1201", gfx11 = gfx12 || target == "gfx1100";
  const std::string storeDword = gfx11 ? "global_store_b32" : "global_store_dword";
  /// gfx950 runs code of gfx942, which more compilers know.
  TestCode code{std::string(MELD_TEST_KERNELS) + "/kernels-" +
                (GetParam() == "gfx950" ? "gfx942" : GetParam()) + ".hsaco"};

  std::unique_ptr<Gpu> gpu(unsigned threads = 2) {
    return Gpu::create(testConfig(target, threads));
  }
  static void expectOk(const DispatchResult &r) {
    EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Dispatch,
                         testing::ValuesIn(withCode({"gfx900", "gfx90a", "gfx942", "gfx950",
                                                     "gfx1030", "gfx1030w64", "gfx1100",
                                                     "gfx1100w64", "gfx1201", "gfx1201w64"})),
                         [](auto &i) { return i.param; });

void storeToNowhere() {
  volatile uintptr_t nowhere = 16;
  *reinterpret_cast<volatile int *>(nowhere) = 1;
}

vector<uint32_t> numbers(size_t n, uint32_t seed = 1) {
  vector<uint32_t> v(n);
  for (auto &x : v)
    x = seed = seed * 1664525 + 1013904223;
  return v;
}

TEST_P(Dispatch, LinearWholeGroups) {
  auto g = gpu();
  vector<uint32_t> out(4096, 10);
  auto r = launch(*g, code, "linear", {4096}, {256}, Args(out.data()));
  expectOk(r);
  for (uint32_t k = 0; k < out.size(); ++k)
    ASSERT_EQ(out[k], 10 + k + 1);
  EXPECT_EQ(r.counters.waves, 4096 / waveSize);
}

// Grids that are no multiple of the workgroup: every work-item exists exactly once, with its ids.
TEST_P(Dispatch, PartialGroups) {
  auto g = gpu();
  struct Case {
    Dim grid, group;
  };
  for (Case c : {Case{{1}, {64}}, Case{{63}, {64}}, Case{{65}, {64}}, Case{{1000}, {256}},
                 Case{{5}, {1}}, Case{{7, 5}, {4, 4}}, Case{{100, 3}, {33, 2}},
                 Case{{17, 9, 5}, {8, 4, 2}}, Case{{3, 3, 3}, {2, 2, 2}},
                 Case{{1, 1, 100}, {1, 1, 64}}, Case{{1, 300, 1}, {1, 256, 1}}}) {
    const uint32_t n = c.grid.x * c.grid.y * c.grid.z;
    vector<uint32_t> out(n + 64, 0);
    auto r = launch(*g, code, "ids", c.grid, c.group,
                    Args(out.data(), c.group.x, c.group.y, c.group.z, c.grid.x, c.grid.y));
    expectOk(r);
    uint32_t at = 0;
    for (uint32_t z = 0; z < c.grid.z; ++z)
      for (uint32_t y = 0; y < c.grid.y; ++y)
        for (uint32_t x = 0; x < c.grid.x; ++x, ++at)
          ASSERT_EQ(out[at], x | y << 10 | z << 20)
              << x << "," << y << "," << z << " of " << c.grid.x << "x" << c.grid.y;
    for (; at < out.size(); ++at)
      ASSERT_EQ(out[at], 0u);
    // The waves of partial groups hold only their own work-items.
    uint64_t waves = 0;
    for (uint32_t z = 0; z < c.grid.z; z += c.group.z)
      for (uint32_t y = 0; y < c.grid.y; y += c.group.y)
        for (uint32_t x = 0; x < c.grid.x; x += c.group.x)
          waves += (std::min(c.group.x, c.grid.x - x) * std::min(c.group.y, c.grid.y - y) *
                        std::min(c.group.z, c.grid.z - z) +
                    waveSize - 1) /
                   waveSize;
    EXPECT_EQ(r.counters.waves, waves);
  }
}

TEST_P(Dispatch, LdsAndBarriers) {
  auto g = gpu();
  auto in = numbers(256 * 40);
  vector<uint32_t> out(in.size()), sums(40);
  expectOk(launch(*g, code, "reverse", {256 * 40}, {256}, Args(in.data(), out.data())));
  for (size_t k = 0; k < in.size(); ++k)
    ASSERT_EQ(out[k], in[k / 256 * 256 + 255 - k % 256]);
  expectOk(launch(*g, code, "reduce", {256 * 40}, {256}, Args(in.data(), sums.data())));
  for (size_t k = 0; k < 40; ++k) {
    uint32_t s = 0;
    for (size_t i = 0; i < 256; ++i)
      s += in[k * 256 + i];
    ASSERT_EQ(sums[k], s);
  }
}

TEST_P(Dispatch, DivergentLoops) {
  auto g = gpu();
  vector<uint32_t> out(2048);
  expectOk(launch(*g, code, "collatz", {2048}, {256}, Args(out.data())));
  for (uint32_t k = 0; k < out.size(); ++k) {
    uint32_t steps = 0;
    for (uint32_t n = k + 1; n != 1; ++steps)
      n = n & 1 ? 3 * n + 1 : n / 2;
    ASSERT_EQ(out[k], steps) << k;
  }
}

TEST_P(Dispatch, ScratchArrays) {
  auto g = gpu();
  auto in = numbers(100, 7);
  vector<uint32_t> out(512);
  ASSERT_GT(code.field<uint32_t>("scratch", 4), 0u)
      << "the kernel uses no scratch, so this tests nothing";
  expectOk(launch(*g, code, "scratch", {512}, {256}, Args(in.data(), out.data(), 100u)));
  for (uint32_t t = 0; t < out.size(); ++t) {
    uint32_t a[64], h = 0;
    for (uint32_t k = 0; k < 64; ++k)
      a[k] = t + k;
    for (uint32_t k = 0; k < 100; ++k) {
      uint32_t i = in[k] & 63, j = ((in[k] >> 8) + t) & 63, x = a[i];
      a[i] = a[j];
      a[j] = x * 3 + k;
    }
    for (uint32_t x : a)
      h = h * 31 + x;
    ASSERT_EQ(out[t], h) << t;
  }
}

TEST_P(Dispatch, RecursiveCalls) {
  auto g = gpu();
  vector<uint32_t> out(64);
  AqlPacket p;
  Args args(out.data());
  p = makePacket(code, "recursion", {64}, {64}, args.data());
  p.privateSegment = 4096; // the stack of a recursive kernel is the launcher's guess
  DispatchRequest r;
  r.packet = &p;
  expectOk(g->run(r));
  const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  for (uint32_t t = 0; t < 64; ++t)
    ASSERT_EQ(out[t], fib[t & 15]);
}

TEST_P(Dispatch, GenericPointers) {
  auto g = gpu();
  for (uint32_t which = 0; which < 3; ++which) {
    vector<uint32_t> out(64);
    expectOk(launch(*g, code, "anywhere", {64}, {64}, Args(out.data(), which)));
    for (uint32_t t = 0; t < 64; ++t) {
      uint32_t tile = 1000 + t, mine = 2000 + t, o = 3000 + t;
      ((t + which) % 3 == 0 ? tile : (t + which) % 3 == 1 ? mine : o) += 5;
      ASSERT_EQ(out[t], o + tile * 7 + mine * 11) << t;
    }
  }
}

// Workgroups that wait for one another, with one host thread and with several.
TEST_P(Dispatch, SpinWaits) {
  for (unsigned threads : {1u, 2u, 4u}) {
    auto g = gpu(threads);
    vector<uint32_t> flag(300);
    expectOk(launch(*g, code, "chain", {300 * 64}, {64}, Args(flag.data())));
    for (uint32_t k = 0; k < flag.size(); ++k)
      ASSERT_EQ(flag[k], k + 2);

    for (uint32_t nap : {0u, 1u}) {
      // As many workgroups as the device holds at once, as a cooperative launch guarantees.
      const uint32_t groups = 8 * 16;
      vector<uint32_t> count(1), out(groups * 64);
      expectOk(launch(*g, code, "grid_barrier", {groups * 64}, {64},
                      Args(count.data(), out.data(), groups, nap)));
      for (uint32_t x : out)
        ASSERT_EQ(x, groups);
    }

    vector<uint32_t> lock(1), sum(1);
    expectOk(launch(*g, code, "locked", {20 * 64}, {64}, Args(lock.data(), sum.data())));
    EXPECT_EQ(sum[0], 20u * 64);
  }
}

TEST_P(Dispatch, WaitsForHost) {
  auto g = gpu(1);
  alignas(64) static uint32_t flag[2];
  flag[0] = flag[1] = 0;
  std::thread host([] {
    while (std::atomic_ref(flag[1]).load() != 1)
      std::this_thread::yield();
    std::atomic_ref(flag[0]).store(1);
  });
  expectOk(launch(*g, code, "wait_host", {64}, {64}, Args(&flag[0])));
  host.join();
  EXPECT_EQ(flag[1], 2u);
}

// Two dispatches at a time, one of which waits for the other, with fewer threads than dispatches.
TEST_P(Dispatch, ConcurrentDispatches) {
  auto g = gpu(2);
  alignas(64) static uint32_t flag[2];
  flag[0] = flag[1] = 0;
  std::thread waiter(
      [&] { expectOk(launch(*g, code, "wait_host", {64 * 8}, {64}, Args(&flag[0]))); });
  vector<uint32_t> out(4096, 0);
  expectOk(launch(*g, code, "linear", {4096}, {256}, Args(out.data())));
  std::atomic_ref(flag[0]).store(1);
  waiter.join();
  for (uint32_t k = 0; k < out.size(); ++k)
    ASSERT_EQ(out[k], k + 1);
}

TEST_P(Dispatch, Cancel) {
  for (unsigned threads : {1u, 3u}) {
    auto g = gpu(threads);
    uint32_t flag = 0;
    std::atomic<bool> cancel{false};
    DispatchRequest request;
    request.cancel = &cancel;
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = true;
    });
    auto r = launch(*g, code, "forever", {256 * 4}, {256}, Args(&flag), request);
    host.join();
    EXPECT_EQ(r.code, DispatchCode::cancelled);
    EXPECT_NE(r.message.find("forever"), std::string::npos) << r.message;
    // The device goes on working.
    vector<uint32_t> out(256, 0);
    expectOk(launch(*g, code, "linear", {256}, {256}, Args(out.data())));
    EXPECT_EQ(out[255], 256u);
  }
}

TEST_P(Dispatch, WildStore) {
  for (unsigned threads : {1u, 2u}) {
    auto g = gpu(threads);
    vector<uint32_t> out(256);
    const uint64_t where = 0x223456789abc; // nothing there, nor has any sanitizer
    for (int again = 0; again < 3; ++again) {
      auto r = launch(*g, code, "wild", {256}, {256}, Args(out.data(), where));
      EXPECT_EQ(r.code, DispatchCode::memoryFault);
      EXPECT_EQ(r.address, where);
      EXPECT_TRUE(r.write);
      const std::string wave = "wave " + std::to_string(69 / waveSize);
      for (const char *part :
           {"wild", storeDword.c_str(), "0x223456789abc", wave.c_str(), "lane 5"})
        EXPECT_NE(r.message.find(part), std::string::npos) << r.message;
    }
    expectOk(launch(*g, code, "linear", {256}, {256}, Args(out.data())));
  }
}

// What ran until a wave's fault is counted, and the same one instruction at a time.
TEST_P(Dispatch, WhatRanUntilAFaultIsCounted) {
  const std::string name =
      testing::TempDir() + "meld-fault-" + std::to_string(getpid()) + "-" + target;
  vector<WaveCounters> seen;
  for (bool trace : {false, true}) {
    DeviceConfig c = testConfig(target, 1);
    if (trace)
      c.trace = name;
    else
      c.translate = "off";
    auto g = Gpu::create(c);
    vector<uint32_t> out(256);
    auto r = launch(*g, code, "wild", {256}, {256}, Args(out.data(), uint64_t(0x223456789abc)));
    EXPECT_EQ(r.code, DispatchCode::memoryFault);
    seen.push_back(r.counters);
  }
  std::remove(name.c_str());
  EXPECT_GT(seen[0].insts[unsigned(isa::Category::waitcnt)], 0u);
  for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
    EXPECT_EQ(seen[0].insts[k], seen[1].insts[k]) << k;
}

// A fault that is not ours reaches the handler that was there first.
TEST_P(Dispatch, ForeignFaultsAreChained) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, [](int) { _exit(42); });
    auto g = gpu(2);
    vector<uint32_t> out(256);
    auto r = launch(*g, code, "wild", {256}, {256}, Args(out.data(), uint64_t(0x223456789abc)));
    if (r.code != DispatchCode::memoryFault)
      _exit(1);
    storeToNowhere();
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

// ... and kills the process as before when there was none.
TEST_P(Dispatch, ForeignFaultsWithoutHandler) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    auto g = gpu(1);
    vector<uint32_t> out(256);
    launch(*g, code, "linear", {256}, {256}, Args(out.data()));
    storeToNowhere();
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(Dispatch, Trap) {
  auto g = gpu();
  vector<uint32_t> out(256, 0);
  expectOk(launch(*g, code, "aborts", {256}, {256}, Args(out.data())));
  EXPECT_EQ(out[100], 1u);
  out[100] = 7;
  auto r = launch(*g, code, "aborts", {256}, {256}, Args(out.data()));
  EXPECT_EQ(r.code, DispatchCode::trap) << r.message;
  EXPECT_NE(r.message.find("s_trap 2"), std::string::npos) << r.message;
}

TEST_P(Dispatch, Interrupt) {
  auto g = gpu();
  vector<uint32_t> out(128);
  std::atomic<uint32_t> calls{0}, sum{0};
  DispatchRequest request;
  request.interrupt = [&](uint32_t id) { ++calls, sum += id; };
  expectOk(launch(*g, code, "interrupts", {128}, {64}, Args(out.data()), request));
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(sum, 2u * 77);
}

// Counters are the same for any number of threads, and add up.
TEST_P(Dispatch, CountersDoNotDependOnThreads) {
  vector<WaveCounters> seen;
  for (unsigned threads : {1u, 2u, 5u}) {
    auto g = gpu(threads);
    vector<uint32_t> out(256 * 40);
    auto in = numbers(out.size());
    vector<uint32_t> sums(40);
    WaveCounters c;
    c.add(launch(*g, code, "collatz", {256 * 40}, {256}, Args(out.data())).counters);
    c.add(launch(*g, code, "reduce", {256 * 40}, {256}, Args(in.data(), sums.data())).counters);
    seen.push_back(c);
  }
  EXPECT_EQ(seen[0].waves, 2u * 160 * (64 / waveSize));
  EXPECT_GT(seen[0].total(), 10000u);
  for (auto &c : seen) {
    for (unsigned k = 0; k < WaveCounters::kCategories; ++k)
      EXPECT_EQ(c.insts[k], seen[0].insts[k]) << k;
    EXPECT_EQ(c.activeLanesValu, seen[0].activeLanesValu);
    EXPECT_EQ(c.ldsBankConflicts, seen[0].ldsBankConflicts);
  }
}

TEST_P(Dispatch, Limits) {
  auto g = gpu();
  vector<uint32_t> out(2048);
  Args args(out.data());
  const void *kernarg = args.data();
  auto run = [&](auto change) {
    AqlPacket p = makePacket(code, "linear", {256}, {256}, kernarg);
    change(p);
    DispatchRequest r;
    r.packet = &p;
    return g->run(r);
  };
  EXPECT_EQ(run([](AqlPacket &) {}).code, DispatchCode::ok);
  EXPECT_EQ(run([](AqlPacket &p) { p.setup = 0; }).code, DispatchCode::badDimensions);
  EXPECT_EQ(run([](AqlPacket &p) { p.grid[1] = 0; }).code, DispatchCode::badDimensions);
  EXPECT_EQ(run([](AqlPacket &p) { p.workgroup[2] = 0; }).code, DispatchCode::badDimensions);
  EXPECT_EQ(run([](AqlPacket &p) { p.setup = 1, p.grid[1] = 0; }).code, DispatchCode::ok);
  EXPECT_EQ(run([](AqlPacket &p) { p.workgroup[0] = 1025; }).code, DispatchCode::groupTooLarge);
  const uint32_t lds = target == "gfx950" ? 160 << 10 : 64 << 10;
  EXPECT_EQ(run([&](AqlPacket &p) { p.groupSegment = lds; }).code, DispatchCode::ok);
  EXPECT_EQ(run([&](AqlPacket &p) { p.groupSegment = lds + 1; }).code, DispatchCode::ldsTooLarge);
  // 13 bits of 256 dwords for a wave, on GFX11 15 bits of 64, on GFX12 18.
  const uint32_t most = (gfx12   ? ((1 << 18) - 1) * 256
                         : gfx11 ? 32767 * 256
                                 : 8191 * 1024) /
                        waveSize;
  EXPECT_EQ(run([&](AqlPacket &p) { p.privateSegment = most + 1; }).code,
            DispatchCode::scratchTooLarge);
  EXPECT_EQ(run([&](AqlPacket &p) { p.privateSegment = most / 16 * 16; }).code, DispatchCode::ok);
  EXPECT_EQ(run([](AqlPacket &p) { p.kernelObject = 0; }).code, DispatchCode::badCodeObject);
  EXPECT_EQ(run([](AqlPacket &p) { p.kernelObject = 0x223456789000; }).code,
            DispatchCode::badCodeObject);
  auto r = run([&](AqlPacket &p) { p.groupSegment = lds + 1; });
  EXPECT_NE(r.message.find("linear"), std::string::npos) << r.message;
  // Too many registers for a workgroup of 1024 work-items.
  const uint32_t rsrc1 = code.field<uint32_t>("ids", 48);
  code.setField<uint32_t>("ids", 48, rsrc1 | 63);
  auto many = launch(*g, code, "ids", {1024}, {1024}, Args(out.data(), 1024u, 1u, 1u, 1024u, 1u));
  EXPECT_EQ(many.code, DispatchCode::tooManyVgprs) << many.message;
  code.setField<uint32_t>("ids", 48, rsrc1);
}

// Code that changed is decoded again after invalidateCode().
TEST_P(Dispatch, InvalidateCode) {
  auto g = gpu();
  vector<uint32_t> out(256, 0);
  expectOk(launch(*g, code, "linear", {256}, {256}, Args(out.data())));
  const uint64_t entry = code.descriptor("linear") + uint64_t(code.field<int64_t>("linear", 16));
  auto *first = reinterpret_cast<uint32_t *>(entry);
  const uint32_t saved = *first;
  *first = gfx11 ? 0xbfb00000 : 0xbf810000; // s_endpgm
  expectOk(launch(*g, code, "linear", {256}, {256}, Args(out.data())));
  g->invalidateCode();
  expectOk(launch(*g, code, "linear", {256}, {256}, Args(out.data())));
  *first = saved;
  g->invalidateCode();
  EXPECT_EQ(out[9], 20u) << "ran twice: before, and once from the old cache";
}

// The trace has one line per counted instruction and does not change results.
TEST_P(Dispatch, Trace) {
  const std::string name =
      testing::TempDir() + "meld-trace-" + std::to_string(getpid()) + "-" + target;
  uint64_t total = 0;
  {
    DeviceConfig c = testConfig(target, 2);
    c.trace = name;
    c.traceKernel = "line";
    auto g = Gpu::create(c);
    vector<uint32_t> out(512, 0), unused(256);
    auto r = launch(*g, code, "linear", {512}, {256}, Args(out.data()));
    expectOk(r);
    total = r.counters.total();
    expectOk(launch(*g, code, "collatz", {256}, {256}, Args(unused.data())));
    EXPECT_EQ(out[511], 512u);
  }
  std::ifstream in(name);
  int lines = 0;
  bool store = false;
  for (std::string line; std::getline(in, line); ++lines) {
    EXPECT_EQ(line.rfind("linear g", 0), 0u) << line;
    store |=
        line.find(storeDword) != line.npos &&
        line.find(waveSize == 64 ? "exec=ffffffffffffffff" : "exec=00000000ffffffff") != line.npos;
  }
  EXPECT_GT(lines, 8);
  EXPECT_TRUE(store);
  EXPECT_EQ(total, uint64_t(lines));
  std::remove(name.c_str());
}

// An application compiled with fast math, or one that rounds upwards, does not change results; its
// own state comes back.
TEST_P(Dispatch, HostFloatingPointStateDoesNotMatter) {
  vector<uint32_t> want(1024), out(1024);
  for (bool timing : {false, true}) {
    DeviceConfig c = testConfig(target, 1);
    c.timing = timing;
    auto g = Gpu::create(c);
    expectOk(launch(*g, code, "float_bits", {1024}, {256}, Args(want.data())));
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(0xdf80); // round up, flush and ignore denormals, no traps
    auto r = launch(*g, code, "float_bits", {1024}, {256}, Args(out.data()));
    const unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    expectOk(r);
    EXPECT_EQ(after & ~0x3fu, 0xdf80u & ~0x3fu);
    EXPECT_EQ(out, want) << (timing ? "timing" : "interpreter");
  }
}

// A non-canonical address faults without the host saying where: the message has it all the same.
TEST_P(Dispatch, NonCanonicalAddressIsNamed) {
  for (bool timing : {false, true}) {
    DeviceConfig c = testConfig(target, 1);
    c.timing = timing;
    auto g = Gpu::create(c);
    vector<uint32_t> out(256);
    auto r = launch(*g, code, "wild", {256}, {256}, Args(out.data(), uint64_t(0x00dead0012345678)));
    EXPECT_EQ(r.code, DispatchCode::memoryFault);
    EXPECT_EQ(r.address, 0x00dead0012345678u);
    EXPECT_TRUE(r.write);
    const std::string wave = "wave " + std::to_string(69 / waveSize);
    for (const std::string part : {"0xdead0012345678", wave.c_str(), "lane 5"})
      EXPECT_NE(r.message.find(part), r.message.npos) << r.message;
  }
}

TEST_P(Dispatch, SurvivesFork) {
  auto g = gpu(2);
  vector<uint32_t> out(1024, 0);
  expectOk(launch(*g, code, "linear", {1024}, {256}, Args(out.data())));
  pid_t child = fork();
  if (child == 0) {
    auto r = launch(*g, code, "linear", {1024}, {256}, Args(out.data()));
    _exit(r.code == DispatchCode::ok && out[1023] == 2048 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace meld::softgpu::test
