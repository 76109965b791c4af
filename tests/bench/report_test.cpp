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
  EXPECT_NEAR(means.all, 1.53261886, 1e-6); // cube root of 4 * 1 * 0.9
  EXPECT_NEAR(means.best, 0.94868330, 1e-6) // square root of 1 * 0.9: A is fastest with 128
      << "the block size of the fastest original, not that of the largest ratio";
  EXPECT_DOUBLE_EQ(means.least, 0.9);
  EXPECT_EQ(means.leastLabel, "B 64");
  EXPECT_EQ(meansOf(rows, Set::slices, "libmeld").count, 0u);
}

TEST(Report, PatternsAreNotBlockSizes) {
  const std::vector<Row> rows = {rowOf("A", Set::slices, 400, 100),
                                 rowOf("A uniform", Set::slices, 100, 100),
                                 rowOf("A uniform 64", Set::slices, 100, 100)};
  EXPECT_EQ(rows[1].which.family(), "A uniform");
  EXPECT_EQ(rows[2].which.family(), "A uniform");
  EXPECT_DOUBLE_EQ(meansOf(rows, Set::slices, "libmeld").best, 2) << "of 4 and 1";
}

TEST(Report, CasesAreCalledByTheirNames) {
  const auto labels = [](const std::string &text) {
    std::set<std::string> all;
    for (const Case &c : casesCalled(text))
      all.insert(c.label);
    return all;
  };
  EXPECT_EQ(casesCalled("").size(), allCases().size());
  EXPECT_EQ(labels("BIT"), (std::set<std::string>{"BIT 32", "BIT 64", "BIT 128", "BIT 256"}));
  EXPECT_EQ(labels("nqueens"), labels("NQU")) << "by program";
  EXPECT_EQ(labels("srad"), labels("SRAD"));
  EXPECT_EQ(labels("sb4-r"), labels("SB4-R")) << "whatever the case";
  EXPECT_EQ(casesCalled("melding").size(), 25u) << "a set";
  EXPECT_TRUE(casesCalled("no such thing").empty());
  const std::string text = unknownName("no such thing");
  for (const char *name : {"'no such thing'", "everyday", "SB4-R", "NQU", "suffix_match"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
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
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["configuration"], "libmeld");
  EXPECT_DOUBLE_EQ(json["runs"][1]["cycleRatio"].get<double>(), 1.5);
  ASSERT_EQ(json["means"].size(), 1u);
  EXPECT_EQ(json["means"][0]["set"], "melding");
  EXPECT_DOUBLE_EQ(json["means"][0]["bestBlockSize"].get<double>(), 1.5);
}

TEST(Report, WavesPerSimdAreThoseOfTheMainLaunches) {
  const auto launch = [](uint64_t waves, uint64_t cycles, uint64_t instructions) {
    Dispatch d{"k", cycles, 0, 0, {{"SQ_WAVES", waves}, {"SQ_INSTS", instructions}}};
    d.computeUnits = 2; // eight SIMDs
    return d;
  };
  Measurement m;
  EXPECT_EQ(m.wavesPerSimd(), 0);
  m.dispatches = {launch(8, 10, 900), launch(80, 60, 90), launch(16, 30, 10)};
  m.cycles = 100;
  EXPECT_DOUBLE_EQ(m.wavesPerSimd(), 10) << "60 of 100 cycles";
  m.dispatches[0].cycles = 110;
  m.cycles = 200;
  EXPECT_DOUBLE_EQ(m.wavesPerSimd(), 1) << "90 of 200 cycles have more";
  m.cycles = 0;
  EXPECT_DOUBLE_EQ(m.wavesPerSimd(), 1) << "by instructions";
}

TEST(Report, LaunchesThatFillTheDeviceComeFirst) {
  const auto with = [](const char *label, const char *size, uint64_t waves, unsigned occupancy) {
    Row row = rowOf(label, Set::melding, 200, 100);
    row.size = size;
    Measurement &m = row.runs[0].measured;
    m.occupancy = occupancy;
    m.dispatches = {{"k", 200, 0, occupancy, {{"SQ_WAVES", waves}}}};
    m.dispatches[0].computeUnits = 1; // four SIMDs
    return row;
  };
  const std::vector<Row> rows = {with("A", "small", 16, 8), with("A", "full", 64, 8),
                                 with("B", "small", 1, 8),  with("B", "full", 15, 8),
                                 with("C", "full", 4, 1),   with("D", "small", 20, 8)};
  const auto groups = groupsOf(rows);
  const auto labels = [&](size_t group) {
    std::string all;
    for (const Row &row : groups[group].rows)
      all += row.which.label + " " + row.size + ",";
    return all;
  };
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(labels(0), "A full,C full,D small,") << "C: LDS lets one wave onto a SIMD";
  EXPECT_EQ(labels(1), "B full,");
  EXPECT_EQ(labels(2), "A small,B small,");
  EXPECT_EQ(groupsOf({rows[2]}).size(), 1u);
  EXPECT_EQ(toJson(rows)["means"][0]["count"], 3) << "means, too, are of one kind of launch";
}

TEST(Report, APartOfTheDeviceHasItsShareOfTheCache) {
  for (const Case &c : allCases()) {
    EXPECT_EQ(problemOf(c, "small").size, "small");
    EXPECT_TRUE(problemOf(c, "small").environment().empty());
    const Problem full = problemOf(c, "full");
    if (full.computeUnits == 2) {
      EXPECT_EQ(full.environment().at("MELD_GPU_CUS"), "2");
      EXPECT_EQ(full.environment().at("MELD_GPU_TIMING_PARAMS"), "l2Bytes=161318");
    }
  }
  Case lud;
  lud.program = "lud";
  EXPECT_EQ(problemOf(lud, "full").computeUnits, 1u);
}

TEST(Table, NumbersAreGroupedAndAligned) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12345678), "12,345,678");
  EXPECT_EQ(decimal(1.005, 1), "1.0");
  EXPECT_EQ(wrapped("one two  three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("", 7), "");
}

TEST(Report, EveryRunHasACellForEveryColumn) {
  Row row = rowOf("A 64", Set::melding, 300, 200);
  row.runs[1].compiled.byPass = {{"cfm", 3}, {"tail-merge", 1}};
  const auto titles = columnTitles(false);
  for (bool bands : {false, true})
    for (const auto &run : row.runs)
      EXPECT_EQ(cellsOf(row, run, bands).size(), columnTitles(bands).size());
  const auto at =
      static_cast<size_t>(std::find(titles.begin(), titles.end(), "melded") - titles.begin());
  ASSERT_LT(at, titles.size());
  EXPECT_EQ(cellsOf(row, row.runs[1], false)[at], "cfm 3, tail-merge 1");
  EXPECT_EQ(cellsOf(row, row.runs[0], false)[at], "") << "nothing is melded in the original";
  EXPECT_EQ(Compilation{}.what(), "-");
}

TEST(Report, DecisionsInInlinedFunctionsCount) {
  const Compilation c = compilationOf(R"({"metadata": {"timings": {"totalMs": 12.5},
    "kernels": [
      {"melded": true, "decisions": [{"pass": "meld-cfm", "melded": true},
                                     {"pass": "meld-cfm", "melded": false}]},
      {"melded": false, "decisions": [{"pass": "meld-cfm", "melded": true}]}],
    "functions": [{"pass": "meld-branch-fusion", "melded": true, "function": "f"}]}})");
  EXPECT_EQ(c.kernels, 1u);
  EXPECT_EQ(c.melded, 2u);
  EXPECT_EQ(c.milliseconds, 12.5);
  EXPECT_EQ(c.what(), "branch-fusion 1, cfm 1");
  EXPECT_EQ(compilationOf(R"({"metadata": {"kernels": [{"melded": true}]}})").what(),
            "1 kernel, none logged");
  EXPECT_EQ(compilationOf("meld: no such file").what(), "-");
}

TEST(Report, PublishedNumbersStandBesideOurs) {
  EXPECT_TRUE(publishedTables({rowOf("lz", Set::everyday, 3, 2)}).empty());
  EXPECT_EQ(publishedText({}), "");
  const auto tables = publishedTables({rowOf("BIT 64", Set::melding, 300, 200)});
  ASSERT_EQ(tables.size(), 2u) << "speedups; lanes and memory";
  for (const auto &table : tables) {
    ASSERT_EQ(table.cells.size(), 2u) << table.title;
    EXPECT_EQ(table.cells[1].size(), table.cells[0].size()) << table.title;
  }
  EXPECT_EQ(tables[0].cells[1][1], "1.50");
  EXPECT_EQ(tables[0].cells[1][3], "1.46");
  EXPECT_EQ(tables[1].cells[1][1], "50 to 75");
  EXPECT_EQ(tables[1].cells[1][2], "61 to 57");
  EXPECT_EQ(tables[1].cells[1][3], "1.00") << "LDS instructions: 8 and 8";
  EXPECT_EQ(tables[1].cells[1][4], "0.73");
  EXPECT_EQ(tables[1].cells[1][5], "-") << "no vector memory";
}

TEST(Report, EveryPublishedConfigurationIsInTheTable) {
  std::vector<Row> all;
  for (const Case &c : allCases())
    if (c.set == Set::melding || c.set == Set::synthetic || c.set == Set::reductions) {
      all.push_back(rowOf(c.label, c.set, 2, 1));
      all.back().which = c;
    }
  const auto tables = publishedTables(all);
  ASSERT_EQ(tables.size(), 4u);
  EXPECT_EQ(tables[0].cells.size(), 1u + 25 + 1 + 8) << "header, configurations, mean, synthetic";
  EXPECT_EQ(tables[0].cells[26][0], "mean of 25");
  EXPECT_EQ(tables[0].cells[26][1], "2.00");
  EXPECT_EQ(tables[1].cells.size(), 1u + 7 + 8) << "one line per program";
  EXPECT_EQ(tables[2].cells.size(), 1u + 3);
  ASSERT_EQ(tables[3].cells.size(), 1u + 1) << "small, under libmeld";
  EXPECT_EQ(tables[3].cells[1][2], "25");
}

TEST(Report, HowNearThePublishedSpeedupsOursAre) {
  // Published: 1.105, 1.460, 1.296; DCT 1.001.
  const auto tables = publishedTables(
      {rowOf("BIT 32", Set::melding, 1105, 1000), rowOf("BIT 64", Set::melding, 1360, 1000),
       rowOf("BIT 128", Set::melding, 1296, 1000), rowOf("DCT 4", Set::melding, 1401, 1000)});
  const auto &line = tables.back().cells.at(1);
  EXPECT_EQ(line[1], "libmeld");
  EXPECT_EQ(line[2], "4");
  EXPECT_EQ(line[4], "-0.20 (1.00)") << "DCT, the least of theirs, is the most of ours";
  EXPECT_EQ(line[5], "0.075") << "(0 - 0.1 + 0 + 0.4) / 4";
  EXPECT_EQ(line[6], "0.125");
}

TEST(Report, MemoryIsShownWhereAProgramGainsMost) {
  std::vector<Row> rows = {rowOf("LUD 16", Set::melding, 110, 100),
                           rowOf("LUD 32", Set::melding, 150, 100)};
  rows[1].runs[0].measured.counters["SQ_INSTS_VMEM_RD"] = 6;
  rows[1].runs[0].measured.counters["SQ_INSTS_VMEM_WR"] = 2;
  rows[1].runs[1].measured.counters["SQ_INSTS_VMEM_RD"] = 2;
  const auto lines = publishedTables(rows)[1].cells;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1][0], "LUD 32");
  EXPECT_EQ(lines[1][5], "0.25") << "2 of 8 vector memory instructions are left";
  EXPECT_EQ(lines[1][6], "0.54");
}
