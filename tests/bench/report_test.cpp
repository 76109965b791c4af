// Ratios and means of the benchmark report against values worked out by hand.
#include "bench/runner/table.h"
#include "tests/bench/rows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace meld::bench;

TEST(Report, RatiosAreOriginalOverRun) {
  const Row row = rowOf("A 64", Set::melding, 300, 200);
  EXPECT_DOUBLE_EQ(cycleRatio(row, row.runs[1]), 1.5);
  EXPECT_DOUBLE_EQ(instructionRatio(row, row.runs[1]), 1.25);
  EXPECT_EQ(ratio(5, 0), 0) << "nothing to divide by";
  EXPECT_EQ(row.find("cfm"), nullptr);
}

TEST(Report, MeansAreGeometricOverTheSet) {
  const std::vector<Row> rows = {
      rowOf("A 64", Set::melding, 400, 100),  // 4
      rowOf("A 128", Set::melding, 100, 100), // 1
      rowOf("B 64", Set::melding, 90, 100),   // 0.9
      rowOf("C 64", Set::synthetic, 1000, 1),
  };
  const Means means = meansOf(rows, Set::melding, "libmeld");
  EXPECT_EQ(means.count, 3u);
  EXPECT_NEAR(means.all, 1.53261886, 1e-6);  // cube root of 4 * 1 * 0.9
  EXPECT_NEAR(means.best, 1.89736660, 1e-6); // square root of 4 * 0.9
  EXPECT_DOUBLE_EQ(means.least, 0.9);
  EXPECT_EQ(means.leastLabel, "B 64");
  EXPECT_EQ(meansOf(rows, Set::slices, "libmeld").count, 0u);
}

TEST(Report, CasesHaveDistinctLabelsInTheirSet) {
  std::set<std::string> seen;
  unsigned melding = 0;
  for (const Case &c : allCases()) {
    EXPECT_TRUE(seen.insert(std::string(nameOf(c.set)) + "/" + c.label).second) << c.label;
    melding += c.set == Set::melding;
  }
  EXPECT_EQ(melding, 25u) << "the paper's configurations";
}

TEST(Report, JsonHasOneObjectPerRun) {
  const auto json = toJson({rowOf("A 64", Set::melding, 300, 200)});
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["configuration"], "libmeld");
  EXPECT_DOUBLE_EQ(json[1]["cycleRatio"].get<double>(), 1.5);
}

TEST(Table, NumbersAreGroupedAndAligned) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
  EXPECT_EQ(decimal(1.005, 1), "1.0");
}
