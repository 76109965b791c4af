// The TLBs of the timing model, page by page.
#include "runtime/softgpu/timing/tlb.h"

#include <gtest/gtest.h>

namespace meld::softgpu::timing {
namespace {

TEST(TlbTest, PagesThatFitAreThere) {
  TimingParameters p;
  p.tlbEntries = 32, p.tlb2Entries = 4096;
  p.tlbMiss = 100, p.tlbWalk = 500;
  SecondTlb second(p);
  FirstTlb first(p, second);
  uint64_t now = 0;
  const auto extra = [&now](FirstTlb &tlb, uint64_t page) {
    now += 1000; // nothing is on its way any more
    return tlb.there(page, now) - now;
  };
  for (uint64_t page = 0; page < 32; ++page)
    EXPECT_EQ(extra(first, page), 600u) << "nobody has it yet";
  for (uint64_t page = 0; page < 32; ++page)
    EXPECT_EQ(extra(first, page), 0u);
  // Round 64 pages, the least recently used of 32 is always the one that is needed next.
  for (uint64_t page = 32; page < 64; ++page)
    EXPECT_EQ(extra(first, page), 600u);
  for (uint64_t page = 0; page < 64; ++page)
    EXPECT_EQ(extra(first, page), 100u) << "the device's TLB has it";
  FirstTlb neighbour(p, second);
  EXPECT_EQ(extra(neighbour, 7), 100u);
}

TEST(TlbTest, WhoAsksForAPageOnItsWayWaitsForIt) {
  TimingParameters p;
  p.tlbEntries = 32, p.tlb2Entries = 4096;
  p.tlbMiss = 100, p.tlbWalk = 500;
  SecondTlb second(p);
  FirstTlb first(p, second), neighbour(p, second);
  EXPECT_EQ(first.there(7, 1000), 1600u);
  EXPECT_EQ(first.there(7, 1200), 1600u) << "the page of the access before";
  EXPECT_EQ(first.there(8, 1200), 1800u);
  EXPECT_EQ(first.there(7, 1250), 1600u) << "another page than the access before";
  EXPECT_EQ(neighbour.there(7, 1300), 1600u) << "the device's TLB waits for it";
  EXPECT_EQ(neighbour.there(8, 2000), 2100u) << "it is there";
  EXPECT_EQ(first.there(7, 1700), 1700u);
  // Arrays that begin a multiple of 64 MiB apart, in turns.
  for (uint64_t k = 0; k < 16; ++k)
    EXPECT_EQ(first.there(1000 + 32 * k, 5000 + k), 5600u + k);
  for (uint64_t k = 0; k < 16; ++k) {
    EXPECT_EQ(first.there(1000 + 32 * k, 5100), 5600u + k);
    EXPECT_EQ(neighbour.there(1000 + 32 * k, 5100), 5600u + k);
  }
}

} // namespace
} // namespace meld::softgpu::timing
