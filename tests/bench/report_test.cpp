// Ratios, columns and means of the benchmark report against values worked out by hand.
#include "bench/runner/columns.h"
#include "bench/runner/published.h"
#include "bench/runner/table.h"
#include "tests/bench/rows.h"

#include <algorithm>
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

TEST(Report, AProgramOfTwoPapersCountsInBothSets) {
  Row shared = rowOf("A 64", Set::melding, 400, 100);
  shared.which.also = {Set::fusion};
  const std::vector<Row> rows = {shared, rowOf("B", Set::fusion, 100, 100)};
  EXPECT_DOUBLE_EQ(meansOf(rows, Set::melding, "libmeld").all, 4);
  EXPECT_EQ(meansOf(rows, Set::fusion, "libmeld").count, 2u);
  EXPECT_DOUBLE_EQ(meansOf(rows, Set::fusion, "libmeld").all, 2);
  std::set<std::string> report; // the programs that the branch-fusion report names
  for (const Case &c : allCases())
    if (c.isIn(Set::fusion))
      report.insert(c.program);
  EXPECT_EQ(report, (std::set<std::string>{"bfs", "lud", "nqueens", "suffix_match"}));
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

TEST(Report, EveryRunHasACellForEveryColumn) {
  Row row = rowOf("A 64", Set::melding, 300, 200);
  row.runs[1].compiled.byPass = {{"cfm", 3}, {"tail-merge", 1}};
  const auto &titles = columnTitles();
  for (const auto &run : row.runs)
    EXPECT_EQ(cellsOf(row, run).size(), titles.size());
  const auto at =
      static_cast<size_t>(std::find(titles.begin(), titles.end(), "melded") - titles.begin());
  ASSERT_LT(at, titles.size());
  EXPECT_EQ(cellsOf(row, row.runs[1])[at], "cfm 3, tail-merge 1");
  EXPECT_EQ(cellsOf(row, row.runs[0])[at], "") << "nothing is melded in the original";
  EXPECT_EQ(Compilation{}.what(), "-");
}

TEST(Report, PublishedNumbersStandBesideOurs) {
  EXPECT_TRUE(publishedCells({rowOf("SB1 64", Set::synthetic, 3, 2)}).empty());
  EXPECT_EQ(publishedTable({}), "");
  const auto cells = publishedCells({rowOf("BIT 64", Set::melding, 300, 200)});
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[1].size(), cells[0].size());
  EXPECT_EQ(cells[1][1], "1.50");
  EXPECT_EQ(cells[1][2], "1.46");
  EXPECT_EQ(cells[1][5], "50 to 75");
  // Every configuration of the paper is in the table.
  std::vector<Row> all;
  for (const Case &c : allCases())
    if (c.set == Set::melding)
      all.push_back(rowOf(c.label, c.set, 2, 1));
  EXPECT_EQ(publishedCells(all).size(), 26u);
}
