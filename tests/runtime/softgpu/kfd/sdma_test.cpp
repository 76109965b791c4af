#include "runtime/softgpu/kfd/sdma.h"
#include "tests/runtime/softgpu/kfd/rings.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace meld::softgpu {
namespace {
using test::Recorder;

struct SdmaTest : ::testing::Test {
  std::array<uint32_t, 256> ring{};
  uint64_t readPointer = 0, writePointer = 0;
  Recorder recorder;

  SdmaProcessor make() {
    return SdmaProcessor({reinterpret_cast<uint64_t>(ring.data()), sizeof ring,
                          reinterpret_cast<uint64_t>(&readPointer),
                          reinterpret_cast<uint64_t>(&writePointer)},
                         recorder.services());
  }
  void push(std::initializer_list<uint64_t> dwords) {
    for (uint64_t d : dwords) {
      ring[writePointer / 4 % ring.size()] = static_cast<uint32_t>(d);
      writePointer += 4;
    }
  }
  static uint64_t low(const void *p) { return reinterpret_cast<uint64_t>(p) & 0xffffffff; }
  static uint64_t high(const void *p) { return reinterpret_cast<uint64_t>(p) >> 32; }
  void copy(void *to, const void *from, uint64_t bytes) {
    push({1, bytes - 1, 0, low(from), high(from), low(to), high(to)});
  }

  void subWindowsAgainstLoops(unsigned pitchAt) {
    std::mt19937 random(1);
    auto between = [&](uint64_t a, uint64_t b) {
      return std::uniform_int_distribution<uint64_t>(a, b)(random);
    };
    for (int round = 0; round < 200; ++round) {
      const unsigned element = static_cast<unsigned>(between(0, 4));
      const uint64_t width = between(1, 9), height = between(1, 5), depth = between(1, 3);
      struct Side {
        uint64_t x, y, z, pitch, slice;
      };
      auto side = [&] {
        Side s{between(0, 3), between(0, 3), between(0, 2), 0, 0};
        s.pitch = s.x + width + between(0, 4);
        s.slice = s.pitch * (s.y + height) + between(0, 7);
        return s;
      };
      const Side a = side(), b = side();
      auto bytes = [&](const Side &s) { return ((s.z + depth) * s.slice + s.pitch) << element; };
      std::vector<uint8_t> from(bytes(a)), to(bytes(b), 0), expected(bytes(b), 0);
      for (auto &x : from)
        x = static_cast<uint8_t>(random());
      for (uint64_t z = 0; z < depth; ++z)
        for (uint64_t y = 0; y < height; ++y)
          for (uint64_t x = 0; x < width << element; ++x)
            expected[((b.x + (b.y + y) * b.pitch + (b.z + z) * b.slice) << element) + x] =
                from[((a.x + (a.y + y) * a.pitch + (a.z + z) * a.slice) << element) + x];
      auto p = make();
      push({1u | 4u << 8 | uint64_t{element} << 29, low(from.data()), high(from.data()),
            a.x | a.y << 16, a.z | (a.pitch - 1) << pitchAt, a.slice - 1, low(to.data()),
            high(to.data()), b.x | b.y << 16, b.z | (b.pitch - 1) << pitchAt, b.slice - 1,
            (width - 1) | (height - 1) << 16, depth - 1});
      ASSERT_EQ(p.step(), Step::progress);
      ASSERT_EQ(to, expected) << "round " << round;
    }
  }
};

TEST_F(SdmaTest, ModelledCopiesTakeTheirBytesAndWaitForSignals) {
  recorder.time.clockMhz = 1700;
  std::vector<uint8_t> from(50000), to(50000);
  uint64_t stamps[4] = {};
  auto stamp = [&](int i) { push({13, low(&stamps[i]), high(&stamps[i])}); };
  test::Signal done(0);
  stamp(0);
  copy(to.data(), from.data(), from.size());
  stamp(1);
  auto p = make();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(stamps[1] - stamps[0], 2000u); // 50 KB at 25 GB/s
  done.raw.end_ts = stamps[1] + 777;
  const auto *value = reinterpret_cast<const char *>(done.handle()) + offsetof(amd_signal_t, value);
  push({8 | 1u << 31 | 3u << 28, low(value + 4), high(value + 4), 0, 0xffffffff, 0});
  stamp(2);
  uint32_t word = 5; // no signal
  push({8 | 1u << 31 | 3u << 28, low(&word), high(&word), 5, 0xffffffff, 0});
  push({11 | 2u << 30, low(to.data()), high(to.data()), 0, 24999 - 3});
  stamp(3);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(p.step(), Step::progress);
  EXPECT_EQ(stamps[2] - stamps[1], 777u);
  EXPECT_EQ(stamps[3] - stamps[2], 1000u);
}

TEST_F(SdmaTest, LinearCopy) {
  std::vector<uint8_t> from(10000), to(10000);
  std::iota(from.begin(), from.end(), 0);
  auto p = make();
  EXPECT_EQ(p.step(), Step::idle);
  copy(to.data() + 3, from.data() + 1, 9001);
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(readPointer, 28u);
  EXPECT_EQ(std::memcmp(to.data() + 3, from.data() + 1, 9001), 0);
  EXPECT_EQ(to[2], 0);
  EXPECT_EQ(to[3 + 9001], 0);
}

TEST_F(SdmaTest, CopyThroughARemappedRange) {
  std::vector<uint8_t> from(100, 9), to(100);
  recorder.remapFrom = 0x5000000;
  recorder.remapSize = 50;
  recorder.remapTo = reinterpret_cast<uint64_t>(from.data());
  auto p = make();
  copy(to.data(), reinterpret_cast<void *>(0x5000000 + 10), 40);
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(std::count(to.begin(), to.end(), 9), 40);
}

TEST_F(SdmaTest, SubWindowCopyAgainstLoops) { subWindowsAgainstLoops(13); }

// Wider fields, in other places.
TEST_F(SdmaTest, SubWindowCopyOfGfx12AgainstLoops) {
  recorder.generation = 12;
  subWindowsAgainstLoops(16);
}

TEST_F(SdmaTest, SubWindowCopyOfGfx12OfManyRows) {
  recorder.generation = 12;
  std::vector<uint8_t> from(40000), to(40000);
  std::iota(from.begin(), from.end(), 3);
  auto p = make();
  push({1u | 4u << 8, low(from.data()), high(from.data()), 0, 0, 0, low(to.data()), high(to.data()),
        0, 0, 0, 39999u << 16, 0});
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(from, to);
}

TEST_F(SdmaTest, FenceTrapTimestampAtomic) {
  uint32_t fence = 0;
  alignas(8) uint64_t counter = 10, time = 0;
  auto p = make();
  push({5, low(&fence), high(&fence), 0xabcd});
  push({13 | 2 << 8, low(&time), high(&time)});
  push({10 | 47u << 25, low(&counter), high(&counter), 0xffffffff, 0xffffffff, 0, 0, 0});
  push({6, 0x123});
  const uint64_t before = gpuClock();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(fence, 0xabcdu);
  EXPECT_GE(time, before);
  EXPECT_LE(time, gpuClock());
  EXPECT_EQ(counter, 9u);
  EXPECT_EQ(recorder.events, std::vector<uint32_t>{0x123});
  EXPECT_EQ(p.step(), Step::idle);
}

TEST_F(SdmaTest, PollWaitsAndComparesAsAsked) {
  struct Case {
    unsigned function;
    uint32_t value, reference, mask;
    bool met;
  };
  const Case cases[] = {{0, 1, 2, ~0u, true},    {1, 1, 2, ~0u, true}, {1, 2, 2, ~0u, false},
                        {2, 2, 2, ~0u, true},    {3, 2, 2, ~0u, true}, {3, 3, 2, ~0u, false},
                        {3, 0x12, 2, 0xf, true}, {4, 3, 2, ~0u, true}, {5, 2, 2, ~0u, true},
                        {5, 1, 2, ~0u, false},   {6, 3, 2, ~0u, true}, {6, 2, 2, ~0u, false}};
  for (const Case &c : cases) {
    uint32_t word = c.value;
    ring = {};
    readPointer = writePointer = 0;
    auto p = make();
    push({8u | uint64_t{c.function} << 28 | 1ull << 31, low(&word), high(&word), c.reference,
          c.mask, 0xfff0004});
    EXPECT_EQ(p.step(), c.met ? Step::progress : Step::blocked) << c.function << " " << c.value;
  }
  // An HDP flush writes a register: not a wait.
  readPointer = writePointer = 0;
  auto p = make();
  push({8u | 1u << 26, 0, 0, 0, 0, 0});
  EXPECT_EQ(p.step(), Step::progress);
}

TEST_F(SdmaTest, FillByWordsHalvesAndBytes) {
  std::vector<uint8_t> to(64, 0xee);
  auto p = make();
  push({11 | 2ull << 30, low(to.data()), high(to.data()), 0x04030201,
        16 - 4}); // dword fill, count as ROCr writes it
  EXPECT_EQ(p.step(), Step::progress);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(to[i], i % 4 + 1);
  EXPECT_EQ(to[16], 0xee);
  push({11, low(to.data() + 20), high(to.data() + 20), 0x77, 5 - 1});
  EXPECT_EQ(p.step(), Step::progress);
  EXPECT_EQ(std::count(to.begin(), to.end(), 0x77), 5);
  EXPECT_EQ(to[19], 0xee);
  EXPECT_EQ(to[25], 0xee);
}

TEST_F(SdmaTest, NopsArePaddingAndPacketsWrap) {
  uint32_t fence = 0;
  auto p = make();
  for (uint32_t i = 0; i < 300;
       ++i) { // 6 dwords each: crosses the end of the 256-dword ring again and again
    push({0 | 1ull << 16, 0xdeadbeef});
    push({5, low(&fence), high(&fence), i});
    ASSERT_EQ(p.step(), Step::progress);
    ASSERT_EQ(p.step(), Step::progress);
    ASSERT_EQ(fence, i);
  }
  EXPECT_EQ(readPointer, writePointer);
}

TEST_F(SdmaTest, UnmappedAddressesRaiseAFaultAndHalt) {
  std::vector<uint8_t> to(64);
  recorder.refuse = 0x5000;
  auto p = make();
  copy(to.data(), reinterpret_cast<void *>(0x5000), 64);
  EXPECT_EQ(p.step(), Step::halted);
  EXPECT_EQ(recorder.faultAddress, 0x5000u);
  EXPECT_EQ(p.step(), Step::halted);
  EXPECT_EQ(readPointer, 0u);
}

TEST_F(SdmaTest, NoBytesWhateverTheyAreCrashIt) {
  std::mt19937 random(7);
  recorder.refuse = 1;
  auto services = recorder.services();
  services.accessible = [](uint64_t, uint64_t) { return false; };
  for (int round = 0; round < 2000; ++round) {
    for (auto &d : ring)
      d = random();
    ring[0] = (ring[0] & ~0xffu) | random() % 20;
    readPointer = 0;
    writePointer = 4 * (1 + random() % 64);
    SdmaProcessor p({reinterpret_cast<uint64_t>(ring.data()), sizeof ring,
                     reinterpret_cast<uint64_t>(&readPointer),
                     reinterpret_cast<uint64_t>(&writePointer)},
                    services);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 64 && p.step() == Step::progress; ++i)
      ASSERT_LE(readPointer, writePointer);
    testing::internal::GetCapturedStderr();
  }
}

} // namespace
} // namespace meld::softgpu
