#include "runtime/profile/marks.h"

#include <gtest/gtest.h>

namespace meld::profile {
namespace {

// B0 -> B1 or B3; B1 -> B1 or B2; B2 -> B3. B1 is a loop; 20: B0 to B3, 21: B1 to itself.
constexpr const char *kMarks = R"({"functions": [
  {"name": "kernel", "cfg": "1", "blocks": [16, 17, 18, 19],
   "branches": [{"block": 0, "exitsLoop": false, "edges": [[1, 22], [3, 20]]},
                {"block": 1, "exitsLoop": true, "edges": [[1, 21], [2, 18]]}],
   "loops": [{"header": 1, "depth": 1, "entries": [22]}]},
  {"name": "straight", "cfg": "2", "blocks": [30], "branches": [], "loops": []}]})";

MarkCounts counts() {
  // Three waves; one has no lane in the loop, the others go round four times.
  return {{16, {3, 192}}, {17, {8, 300}}, {18, {5, 100}}, {19, {3, 192}},
          {20, {2, 92}},  {21, {6, 200}}, {22, {2, 100}}};
}

TEST(Marks, AreReadFromDisassembly) {
  EXPECT_EQ(markOf("s_nop 0x10"), 16u);
  EXPECT_EQ(markOf("s_nop 0xffff"), 0xffffu);
  EXPECT_EQ(markOf("s_nop 100"), 100u);
  EXPECT_FALSE(markOf("s_nop 0xf")); // the compiler's
  EXPECT_FALSE(markOf("s_nop 0"));
  EXPECT_FALSE(markOf("s_nop"));
  EXPECT_FALSE(markOf("s_nop 0x1g"));
  EXPECT_FALSE(markOf("s_nop_more 0x20"));
  EXPECT_FALSE(markOf("v_nop"));
}

TEST(Marks, BecomeCountsOfBlocksBranchesAndLoops) {
  const auto functions = functionsOf(kMarks, counts(), "kernel", 3);
  ASSERT_EQ(functions.size(), 1u) << "without branches there is nothing to say";
  const Function &f = functions[0];
  EXPECT_EQ(f.blocks, (std::vector<Count>{{3, 192}, {8, 300}, {5, 100}, {3, 192}}));
  ASSERT_EQ(f.branches.size(), 2u);
  EXPECT_EQ(f.branches[0].executions, 3u);
  EXPECT_EQ(f.branches[0].both(), 1u); // two go into the loop, two around it, of three
  EXPECT_EQ(f.branches[1].executions, 8u);
  EXPECT_FALSE(f.branches[1].knowsBoth());
  ASSERT_EQ(f.loops.size(), 1u);
  EXPECT_EQ(f.loops[0].entries, 2u);
  EXPECT_DOUBLE_EQ(f.loops[0].waveMean(), 4);
  EXPECT_DOUBLE_EQ(f.loops[0].laneMean(), 3);
}

TEST(Marks, WhatDoesNotFitIsNothing) {
  EXPECT_TRUE(functionsOf(kMarks, counts(), "kernel", 4).empty()) << "a wave ran elsewhere";
  EXPECT_TRUE(functionsOf(kMarks, counts(), "other", 3).empty());
  EXPECT_TRUE(functionsOf("{}", counts(), "kernel", 3).empty());
  EXPECT_TRUE(functionsOf("", counts(), "kernel", 3).empty());
  MarkCounts empty = counts();
  empty[18].lanes = 4; // some of five executions had none
  EXPECT_TRUE(functionsOf(kMarks, empty, "kernel", 3).empty());
}

} // namespace
} // namespace meld::profile
