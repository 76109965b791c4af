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
  for (uint64_t page = 0; page < 32; ++page)
    EXPECT_EQ(first.extra(page), 600u) << "nobody has it yet";
  for (uint64_t page = 0; page < 32; ++page)
    EXPECT_EQ(first.extra(page), 0u);
  // Round 64 pages, the least recently used of 32 is always the one that is needed next.
  for (uint64_t page = 32; page < 64; ++page)
    EXPECT_EQ(first.extra(page), 600u);
  for (uint64_t page = 0; page < 64; ++page)
    EXPECT_EQ(first.extra(page), 100u) << "the device's TLB has it";
  FirstTlb neighbour(p, second);
  EXPECT_EQ(neighbour.extra(7), 100u);
}

} // namespace
} // namespace meld::softgpu::timing
