// The verdicts of `meld-bench static`.
#include "bench/runner/static_counts.h"

#include <gtest/gtest.h>
#include <set>

namespace meld::bench {
namespace {

StaticRow row(StaticCode before, StaticCode after) {
  StaticRow r;
  r.before = before;
  r.after = after;
  r.melded = true;
  return r;
}

TEST(StaticCounts, MoreInstructionsAreFineWhereTheyCostLess) {
  EXPECT_EQ(row({100, 20, 8, 500}, {110, 25, 8, 400}).problem(), "");
  EXPECT_EQ(row({100, 20, 8, 500}, {100, 20, 8, 500}).problem(), "") << "untouched";
}

TEST(StaticCounts, ProblemsAreNamed) {
  EXPECT_EQ(row({100, 20, 8, 500}, {90, 20, 8, 501}).problem(), "MORE CYCLES");
  EXPECT_EQ(row({100, 20, 8, 500}, {90, 20, 7, 400}).problem(), "FEWER WAVES");
  StaticRow sort = row({581, 11, 8, 500}, {300, 11, 8, 400});
  sort.target = bitonicTarget(32);
  EXPECT_EQ(sort.problem(), "");
  sort.after.instructions = 301;
  EXPECT_EQ(sort.problem(), "ABOVE TARGET");
}

TEST(StaticCounts, EveryCaseOfThePaperHasAKernel) {
  std::set<std::string> kernels;
  for (const Case &which : allCases()) {
    const bool paper = which.set == Set::synthetic || which.set == Set::melding;
    if (paper) {
      EXPECT_NE(kernelOf(which), "") << which.label;
      kernels.insert(kernelOf(which));
    }
  }
  for (const char *name : {"synthetic<1, false>", "synthetic<3, true>", "bitonicSort<256u>",
                           "perimeter<8u>", "perimeter<64u>"})
    EXPECT_TRUE(kernels.count(name)) << name;
}

TEST(StaticCounts, TargetsAreForTheSizesOfThePaper) {
  EXPECT_EQ(bitonicTarget(256), 670u);
  EXPECT_FALSE(bitonicTarget(512));
}

} // namespace
} // namespace meld::bench
