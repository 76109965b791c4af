// What the timing model's memory answers, access by access: lines that are on their way are there for
// nobody, and nobody else waits for a page.
#include "runtime/softgpu/timing/memory.h"

#include <gtest/gtest.h>

namespace meld::softgpu::timing {
namespace {

class MemoryPathTest : public testing::Test {
protected:
  MemoryPathTest() {
    p.sharedMemory = 1, p.writeBack = 1, p.tlbEntries = 0, p.vmemPerLine = 1;
    p.l1Latency = 100, p.l2Latency = 200, p.hbmLatency = 500;
    p.l2BytesPerCycle = 64;
    p.l2MilliBytesPerCycle = p.l2StoreMilliBytesPerCycle = 0; // as fast as asked for
    p.hbmMilliBytesPerCycle = 64000, p.hbmPercent = 100;      // a line a cycle
  }

  /// When the first line of `address` is there, or is stored.
  static uint64_t at(MemoryPath &unit, uint64_t now, uint64_t address,
                     Access access = Access::load) {
    MemoryTrace trace;
    trace.numLines = 1, trace.lines[0] = address;
    return unit.vector(trace, access, now, 0);
  }

  TimingParameters p;
};

constexpr uint64_t kSlack = 2; // the line's passage of port and memory

TEST_F(MemoryPathTest, WhoAsksForALineOnItsWayWaitsForIt) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  const uint64_t there = at(unit, 1000, 0x10000);
  EXPECT_NEAR(double(there), 1500, kSlack);
  EXPECT_EQ(at(unit, 1010, 0x10000), there) << "in the L1, but not there";
  EXPECT_EQ(at(unit, 1399, 0x10000), there);
  EXPECT_EQ(at(unit, 1410, 0x10000), 1510u) << "the L1's own latency is longer";
  EXPECT_EQ(at(unit, 5000, 0x10000), 5100u);
}

TEST_F(MemoryPathTest, AnotherUnitWaitsForTheSameLine) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device), other(p, device);
  const uint64_t there = at(unit, 1000, 0x10000);
  EXPECT_NEAR(double(at(other, 1050, 0x10000)), double(there), kSlack);
  EXPECT_NEAR(double(at(other, 1050, 0x20000)), 1550, kSlack) << "a line of its own";
  EXPECT_NEAR(double(at(unit, 5000, 0x20000)), 5200, kSlack) << "in the L2 by now";
}

TEST_F(MemoryPathTest, AStoreWaitsForNoLine) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  at(unit, 1000, 0x10000);
  EXPECT_NEAR(double(at(unit, 1010, 0x10000, Access::store)), 1210, kSlack);
  // What was stored is in the L2 as soon as it is done there.
  at(unit, 3000, 0x30000, Access::store);
  EXPECT_NEAR(double(at(unit, 3300, 0x30000)), 3500, kSlack);
}

TEST_F(MemoryPathTest, AnAtomicOnALineOnItsWayWaits) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device), other(p, device);
  const uint64_t there = at(unit, 1000, 0x10000, Access::atomic);
  EXPECT_NEAR(double(there), 1500, kSlack);
  EXPECT_NEAR(double(at(other, 1100, 0x10000, Access::atomic)), double(there), kSlack);
}

TEST_F(MemoryPathTest, NobodyElseWaitsForAPage) {
  p.tlbEntries = 32, p.tlb2Entries = 4096, p.tlbPage = 4096;
  p.tlbMiss = 100, p.tlbWalk = 500;
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  EXPECT_NEAR(double(at(unit, 1000, 0x10000)), 2100, kSlack);
  at(unit, 3000, 0x20000);
  EXPECT_NEAR(double(at(unit, 3001, 0x10040)), 3501, kSlack) << "its page is there";
  EXPECT_NEAR(double(at(unit, 3002, 0x20040)), 4100, kSlack) << "the page on its way";
}

} // namespace
} // namespace meld::softgpu::timing
