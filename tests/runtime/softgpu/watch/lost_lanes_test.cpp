// Whom lost lanes are charged to, change by change of EXEC.
#include "runtime/softgpu/watch/lost_lanes.h"

#include <gtest/gtest.h>
#include <map>

namespace meld::softgpu {
namespace {

using Charged = std::map<uint32_t, unsigned>;

Charged ran(LostLanes &lanes, uint64_t exec) {
  Charged charged;
  lanes.ran(exec, [&](uint32_t site, unsigned n) { charged[site] += n; });
  return charged;
}

// Sites: 1 s_and_saveexec, 2 s_or_saveexec, 3 s_xor exec, 4 s_or exec, 5 an inner if, 6 a loop's exit.

TEST(LostLanes, ElseIsTheSameBranch) {
  LostLanes lanes(0xff);
  lanes.changed(1, false, 0xff, 0x0f);
  EXPECT_EQ(ran(lanes, 0x0f), (Charged{{1, 4}}));
  lanes.changed(2, false, 0x0f, 0xff);
  lanes.changed(3, true, 0xff, 0xf0);
  EXPECT_EQ(ran(lanes, 0xf0), (Charged{{1, 4}}));
  lanes.changed(4, false, 0xf0, 0xff);
  EXPECT_EQ(ran(lanes, 0xff), Charged());
}

// A side without vector instructions changes nothing.
TEST(LostLanes, ElseBehindAnEmptySide) {
  LostLanes lanes(0xff);
  lanes.changed(1, false, 0xff, 0x0f);
  lanes.changed(3, true, 0x0f, 0xf0);
  EXPECT_EQ(ran(lanes, 0xf0), (Charged{{1, 4}}));
}

// An exclusive or that takes out lanes which have just run, and lets none of those run that waited,
// is a branch of its own.
TEST(LostLanes, NoElseWhereNobodyWaited) {
  LostLanes lanes(0xff);
  EXPECT_EQ(ran(lanes, 0xff), Charged());
  lanes.changed(3, true, 0xff, 0x0f);
  EXPECT_EQ(ran(lanes, 0x0f), (Charged{{3, 4}}));
}

TEST(LostLanes, NestedBranchesAreChargedApart) {
  LostLanes lanes(0xff);
  lanes.changed(1, false, 0xff, 0x0f);
  ran(lanes, 0x0f);
  lanes.changed(5, false, 0x0f, 0x03);
  EXPECT_EQ(ran(lanes, 0x03), (Charged{{1, 4}, {5, 2}}));
  lanes.changed(4, false, 0x03, 0x0f);
  EXPECT_EQ(ran(lanes, 0x0f), (Charged{{1, 4}}));
}

// Who comes back from an inner loop and goes out of the outer one at once waits for the outer one.
TEST(LostLanes, BackAndOutAgainWithoutAnInstructionBetween) {
  LostLanes lanes(0xff);
  lanes.changed(6, false, 0xff, 0x01);
  EXPECT_EQ(ran(lanes, 0x01), (Charged{{6, 7}}));
  lanes.changed(4, false, 0x01, 0xff);
  lanes.changed(7, false, 0xff, 0xf0);
  EXPECT_EQ(ran(lanes, 0xf0), (Charged{{7, 4}}));
}

TEST(LostLanes, OnlyLanesThatTheWaveBeganWith) {
  LostLanes lanes(0x0f);
  EXPECT_EQ(ran(lanes, 0x0f), Charged());
  lanes.changed(2, false, 0x0f, ~0ull); // as runtimes' own kernels do
  EXPECT_EQ(ran(lanes, ~0ull), Charged());
  lanes.changed(1, false, ~0ull, 0xff00);
  EXPECT_EQ(ran(lanes, 0xff00), (Charged{{1, 4}}));
}

// All have gone: an instruction under no lane loses them all, and nobody has come back by it.
TEST(LostLanes, NobodyRuns) {
  LostLanes lanes(0xff);
  lanes.changed(1, false, 0xff, 0x0f);
  ran(lanes, 0x0f);
  lanes.changed(5, false, 0x0f, 0);
  EXPECT_EQ(ran(lanes, 0), (Charged{{1, 4}, {5, 4}}));
  EXPECT_EQ(ran(lanes, 0), (Charged{{1, 4}, {5, 4}}));
}

} // namespace
} // namespace meld::softgpu
