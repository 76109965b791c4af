// The arithmetic of the compile-time table, and the kernels it is made for. No clock here.
#include "bench/runner/compile_time.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace meld::bench;

namespace {

TEST(CompileTime, FindsTheExponentOfAPower) {
  std::vector<std::pair<double, double>> points;
  for (double x : {100.0, 200.0, 500.0, 2000.0})
    points.push_back({x, 0.25 * std::pow(x, 1.4)});
  EXPECT_NEAR(growthExponent(points), 1.4, 1e-9);
}

TEST(CompileTime, OneLengthHasNoExponent) {
  EXPECT_TRUE(std::isnan(growthExponent({})));
  EXPECT_TRUE(std::isnan(growthExponent({{100, 3}})));
  EXPECT_TRUE(std::isnan(growthExponent({{100, 3}, {100, 4}})));
}

TEST(CompileTime, TheWorstRatioIsNamed) {
  const Ratios ratios = summaryOf({{"small", 8, 2}, {"large", 100, 100}, {"other", 2, 1}});
  EXPECT_NEAR(ratios.mean, 2, 1e-9); // the cube root of 4 * 1 * 2
  EXPECT_NEAR(ratios.worst, 4, 1e-9);
  EXPECT_EQ(ratios.worstProgram, "small");
  EXPECT_NEAR(ratios.ofAll, 110.0 / 103, 1e-9);
  EXPECT_EQ(summaryOf({}).mean, 0);
}

TEST(CompileTime, EachSideHasTheLengthAskedFor) {
  for (unsigned length : {1u, 100u, 2000u}) {
    const std::string text = armsSource(length);
    const size_t middle = text.find("} else {");
    ASSERT_NE(middle, std::string::npos);
    auto operations = [](const std::string &part) {
      unsigned count = 0;
      for (size_t at = part.find("    x "); at != std::string::npos;
           at = part.find("    x ", at + 1))
        ++count;
      return count;
    };
    EXPECT_EQ(operations(text.substr(0, middle)), length);
    EXPECT_EQ(operations(text.substr(middle)), length);
  }
}

} // namespace
