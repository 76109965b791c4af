// What the timing model's memory answers, access by access: lines that are on their way are there for
// nobody, and nobody else waits for a page.
#include "runtime/softgpu/timing/memory.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

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

  /// When the lines of `addresses` are there, or are stored.
  static uint64_t all(MemoryPath &unit, uint64_t now, const std::vector<uint64_t> &addresses,
                      Access access = Access::load) {
    MemoryTrace trace;
    for (uint64_t address : addresses)
      trace.lines[trace.numLines++] = address;
    return unit.vector(trace, access, now, 0);
  }
  static uint64_t at(MemoryPath &unit, uint64_t now, uint64_t address,
                     Access access = Access::load) {
    return all(unit, now, {address}, access);
  }

  TimingParameters p;
};

constexpr uint64_t kSlack = 2; // the line's passage of port and memory
constexpr uint64_t kTook = 8;  // what a line took is kept in these

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

TEST_F(MemoryPathTest, ALineOfTheL2DoesNotWaitForAnotherOfTheMemory) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device), other(p, device);
  at(other, 1000, 0x10000);
  EXPECT_NEAR(double(all(unit, 3000, {0x10000, 0x20000})), 3500, kSlack + 1);
  EXPECT_NEAR(double(at(unit, 3010, 0x10000)), 3200, kSlack) << "came with the same load, sooner";
  EXPECT_NEAR(double(at(unit, 3010, 0x20000)), 3500, kSlack + 1);
}

TEST_F(MemoryPathTest, WhoAsksEarlierThanTheOneThatFetchedDoesNotWaitLonger) {
  DeviceMemory device(p, 2);
  MemoryPath ahead(p, device), behind(p, device);
  EXPECT_NEAR(double(at(ahead, 1120, 0x10000)), 1620, kSlack);
  EXPECT_NEAR(double(at(behind, 1005, 0x10000)), 1505, kSlack + kTook);
  // It is known from then on.
  MemoryPath third(p, device);
  EXPECT_NEAR(double(at(third, 1200, 0x10000)), 1505, kSlack + kTook);
}

TEST_F(MemoryPathTest, CoherentLoadsWaitInTheL2AndLeaveTheL1Alone) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  EXPECT_NEAR(double(at(unit, 1000, 0x10000, Access::loadPastL1)), 1500, kSlack);
  EXPECT_NEAR(double(at(unit, 1100, 0x10000, Access::loadPastL1)), 1500, kSlack);
  EXPECT_NEAR(double(at(unit, 3000, 0x10000)), 3200, kSlack) << "not in the L1";
}

TEST_F(MemoryPathTest, AnEmptiedL1AsksAgain) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  at(unit, 1000, 0x10000);
  at(unit, 3000, 0x10000);
  unit.clearL1();
  EXPECT_NEAR(double(at(unit, 4000, 0x10000)), 4200, kSlack);
}

TEST_F(MemoryPathTest, AStoreMakesALineThatWasOnItsWay) {
  p.l2Bytes = 64 * 16, p.l2Ways = 16; // one set
  p.hbmMilliBytesPerCycle = 640;      // a line in 100 cycles: the last of 17 comes after 1,700
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  at(unit, 1000, 0x10000);
  for (uint64_t k = 1; k <= 16; ++k)
    at(unit, 1000, 0x10000 + k * 0x1000); // has left the L2 again
  at(unit, 1100, 0x10000, Access::store);
  EXPECT_NEAR(double(at(unit, 1200, 0x10000, Access::loadPastL1)), 1400, kSlack);
}

TEST_F(MemoryPathTest, OfManyUnitsTheLastOneWaitsAsTheFirst) {
  constexpr unsigned kUnits = 104;
  DeviceMemory device(p, kUnits);
  std::vector<std::unique_ptr<MemoryPath>> units;
  for (unsigned k = 0; k < kUnits; ++k)
    units.push_back(std::make_unique<MemoryPath>(p, device));
  const uint64_t there = at(*units[0], 1000, 0x10000);
  for (unsigned k = 1; k < kUnits; ++k) {
    for (unsigned line = 0; line < 16; ++line) // lines of its own
      at(*units[k], 1001, 0x1000000 + (k * 16 + line) * 64);
    EXPECT_NEAR(double(at(*units[k], 1010, 0x10000)), double(there), 2 * kSlack) << k;
  }
}

TEST_F(MemoryPathTest, ManyLinesComeOneAfterTheOther) {
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  std::vector<uint64_t> lines;
  for (uint64_t k = 0; k < 64; ++k)
    lines.push_back(0x10000 + k * 64);
  EXPECT_NEAR(double(all(unit, 1000, lines)), 1000 + 64 + 64 + 500, 64 + kSlack)
      << "a cycle each at the port and at the memory";
  EXPECT_EQ(all(unit, 3000, lines), 3063u + 100) << "the last one is looked up 63 cycles later";
}

// Lines of 128 bytes (GFX10): both halves are one line, a cache has half as many of them, and one takes
// twice as long to pass.
TEST_F(MemoryPathTest, LinesOf128Bytes) {
  p.lineShift = 7;
  p.l1Bytes = 4 * 128, p.l1Ways = 4;
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  EXPECT_NEAR(double(at(unit, 1000, 0x10000)), 1000 + 2 + 2 + 500, kSlack);
  EXPECT_EQ(at(unit, 5000, 0x10040), 5100u) << "the other half of a line that is there";
  for (uint64_t k = 1; k < 4; ++k)
    at(unit, 6000 + 1000 * k, 0x10000 + 128 * k);
  EXPECT_EQ(at(unit, 20000, 0x10000), 20100u) << "four lines fit";
  at(unit, 21000, 0x10000 + 128 * 4);
  EXPECT_GT(at(unit, 30000, 0x10000 + 128), 30200u - 1) << "the oldest one made room for the fifth";
  std::vector<uint64_t> lines;
  for (uint64_t k = 0; k < 64; ++k)
    lines.push_back(0x100000 + k * 128);
  EXPECT_NEAR(double(all(unit, 40000, lines)), 40000 + 2 * 64 + 2 * 64 + 500, 64 + kSlack);
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
  // A load of a known page and of a new one: its lines are asked for when both are translated. Who
  // needs only the first one, and comes then, is first.
  EXPECT_NEAR(double(all(unit, 6000, {0x11000 - 64, 0x31000})), 7100, kSlack + 1);
  EXPECT_NEAR(double(at(unit, 6001, 0x11000 - 64)), 6501, kSlack + 1 + kTook);
  // What is in the L1 comes when its page is translated, and is waited for there.
  EXPECT_NEAR(double(at(unit, 9000, 0x10000)), 9100, kSlack);
}

TEST_F(MemoryPathTest, WithSharesNobodyElseWaitsForAPage) {
  p.sharedMemory = 0, p.tlbEntries = 32, p.tlb2Entries = 4096, p.tlbPage = 4096;
  p.tlbMiss = 100, p.tlbWalk = 500;
  DeviceMemory device(p, 1);
  MemoryPath unit(p, device);
  at(unit, 1000, 0x10000);
  EXPECT_NEAR(double(at(unit, 3000, 0x20000)), 4100, kSlack);
  EXPECT_NEAR(double(at(unit, 3001, 0x10040)), 3501, kSlack);
  EXPECT_NEAR(double(at(unit, 3010, 0x10040)), 3501, kSlack) << "the line on its way";
}

} // namespace
} // namespace meld::softgpu::timing
