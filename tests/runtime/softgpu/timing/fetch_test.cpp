// Instruction fetch and what scalar instructions wait for, in kernels whose time follows from the rules
// whatever the parameters' values are.
#include "tests/runtime/softgpu/timing/timing_fixture.h"

namespace meld::softgpu::test {
namespace {

class FetchTest : public Timing {
protected:
  /// One round more of a loop.
  double round(const std::string &loop, const std::string &parameters) {
    auto g = timed(1, parameters.c_str());
    return double(cycles(*g, loop + "_2", 64, 64) - cycles(*g, loop + "_1", 64, 64));
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, FetchTest, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

const std::string kNoFetch = "fetchLatency=0,branchTaken=4";
const std::string kFetch = "fetchLatency=20,fetchMiss=140,branchTaken=4,icacheBytes=32768";

TEST_P(FetchTest, ALoneWavePaysForAJump) {
  EXPECT_EQ(each("branch_taken", 1, kNoFetch.c_str()), 4);
  EXPECT_EQ(each("branch_taken", 1, kFetch.c_str()), 24) << "four to issue, and the refill";
  // Straight code comes as fast as it is needed from the cache, and not from the L2.
  EXPECT_EQ(each("salu", 1, (kFetch + ",fetchMiss=0").c_str()), 4);
  EXPECT_NEAR(each("salu", 1, kFetch.c_str()), 160 / 16.0, 0.5);
}

TEST_P(FetchTest, WavesHideEachOthersJumps) {
  // Sixteen waves, four on each SIMD: while one refills the others issue theirs.
  EXPECT_EQ(each("branch_taken", 16, kNoFetch.c_str()), 16) << "one branch per visit";
  EXPECT_LT(each("branch_taken", 16, kFetch.c_str()), 28);
}

TEST_P(FetchTest, CodeThatFitsTheCacheIsReadOnce) {
  const double with = round("loop_4k", kFetch), without = round("loop_4k", kNoFetch);
  EXPECT_NEAR(with, without + 20, 4) << "the jump back";
}

TEST_P(FetchTest, CodeOfTwiceTheCacheMissesEachLineEachRound) {
  // 1024 lines of 16 instructions. The next line is asked for when one is entered, so each takes
  // what is longer: 64 cycles to issue it, or 160 to fetch the next.
  EXPECT_NEAR(round("loop_64k", kFetch), 1024 * 160.0, 1024);
  // A line that comes sooner than the wave needs it costs nothing.
  EXPECT_NEAR(round("loop_64k", "fetchLatency=20,fetchMiss=30,branchTaken=4"),
              round("loop_64k", kNoFetch), 100);
  // In a cache of its size it is read once.
  EXPECT_NEAR(round("loop_64k", kFetch + ",icacheBytes=131072"), round("loop_64k", kNoFetch), 100);
}

TEST_P(FetchTest, ScalarInstructionsWaitForTheVectorAlu) {
  EXPECT_EQ(each("compare_salu", 1, "scalarAfterVector=0"), 8);
  EXPECT_EQ(each("compare_salu", 1, "scalarAfterVector=16"), 8 + 16);
  EXPECT_EQ(each("both", 1, "scalarAfterVector=16"), 8) << "it wrote no scalar register";
  EXPECT_EQ(each("save_exec", 1, "saveExec=8"), 8);
  EXPECT_EQ(each("salu", 1, "saveExec=8"), 4);
}

TEST_P(FetchTest, ABranchWaitsForItsCondition) {
  const std::string behind = "branchNotTaken=4,branchAfterCondition=4";
  EXPECT_EQ(each("compare_branch", 1, "branchNotTaken=4,branchAfterCondition=0"), 8);
  EXPECT_EQ(each("compare_branch", 1, behind.c_str()), 12);
  EXPECT_EQ(each("compare_vcc", 1, (behind + ",scalarAfterVector=16").c_str()), 12)
      << "CLRX: a branch on VCC waits for the penalty alone";
  EXPECT_EQ(each("far_branch", 1, behind.c_str()), 12) << "the s_nop, and no wait";
}

} // namespace
} // namespace meld::softgpu::test
