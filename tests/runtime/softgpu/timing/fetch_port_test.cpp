// The fetch port of the timing model, line by line.
#include "runtime/softgpu/timing/fetch.h"

#include <gtest/gtest.h>

namespace meld::softgpu::timing {
namespace {

// The dispatcher deals a workgroup whose registers are written much later.
TEST(FetchPortTest, AWaveThatBeginsLaterKeepsNobodyWaiting) {
  TimingParameters p;
  p.fetchLatency = 16, p.fetchMiss = 100, p.fetchBytes = 32;
  InstructionCache cache(p);
  FetchPort port(p, cache);
  FetchedLines running, later;
  EXPECT_EQ(port.begin(running, 0, 10), 10 + 116u);
  EXPECT_EQ(port.begin(later, 0, 10000), 10000 + 16u);
  // The next line was asked for when the first one was there.
  EXPECT_EQ(port.enter(running, 1, false, 130, 130), 126 + 116u);
}

} // namespace
} // namespace meld::softgpu::timing
