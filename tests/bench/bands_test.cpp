// Bands: the design is balanced and covers every parameter that has a range, ratios are of runs under
// the same parameters, and only what lies above 1 as a whole is called a gain.
#include "bench/runner/band.h"
#include "bench/runner/columns.h"
#include "bench/runner/design.h"
#include "bench/runner/parallel.h"
#include "runtime/softgpu/timing/parameters.h"
#include "tests/bench/rows.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace meld::bench;
using meld::softgpu::TimingRange;
using meld::softgpu::timingRanges;
using meld::softgpu::isa::Target;

namespace {

constexpr Target targets[] = {Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a,
                              Target::gfx942, Target::gfx950};

std::map<std::string, uint32_t> valuesIn(const std::string &parameters) {
  std::map<std::string, uint32_t> values;
  std::istringstream in(parameters);
  for (std::string one; std::getline(in, one, ',');)
    values[one.substr(0, one.find('='))] =
        static_cast<uint32_t>(std::stoul(one.substr(one.find('=') + 1)));
  return values;
}

/// With cycles under two runs of a design.
Row banded(const std::string &label, uint64_t before, uint64_t after, std::vector<uint64_t> plain,
           std::vector<uint64_t> melded) {
  Row row = rowOf(label, Set::melding, before, after);
  row.runs[0].under = std::move(plain);
  row.runs[1].under = std::move(melded);
  return row;
}

std::string cell(const Row &row, const char *title) {
  const auto titles = columnTitles(true);
  const auto at = std::find(titles.begin(), titles.end(), title) - titles.begin();
  return cellsOf(row, row.runs[1], true).at(static_cast<size_t>(at));
}

} // namespace

TEST(Design, EachGroupIsSlowAsOftenAsFast) {
  const auto &runs = designRuns();
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_EQ(std::set<DesignRun>(runs.begin(), runs.end()).size(), 8u) << "none twice";
  for (size_t group = 0; group < parameterGroups.size(); ++group)
    EXPECT_EQ(
        std::count_if(runs.begin(), runs.end(), [&](const DesignRun &run) { return run[group]; }),
        4)
        << parameterGroups[group];
}

TEST(Design, EachTwoGroupsMeetInAllWays) {
  for (size_t a = 0; a < parameterGroups.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      std::map<std::pair<bool, bool>, int> met;
      for (const DesignRun &run : designRuns())
        ++met[{run[a], run[b]}];
      EXPECT_EQ(met.size(), 4u) << parameterGroups[a] << ", " << parameterGroups[b];
      for (const auto &[ways, times] : met)
        EXPECT_EQ(times, 2) << parameterGroups[a] << ", " << parameterGroups[b];
    }
}

// The first row as Plackett and Burman print it for eight runs.
TEST(Design, IsThePublishedOne) {
  EXPECT_EQ(designRuns()[0], (DesignRun{true, true, true, false, true, false, false}));
  EXPECT_EQ(designRuns()[1], (DesignRun{false, true, true, true, false, true, false}));
  EXPECT_EQ(designRuns()[7], (DesignRun{}));
}

// A parameter that is new in the table has to be given a group in bench/runner/design.cpp.
TEST(Design, EveryParameterWithARangeIsInAGroup) {
  for (Target target : targets) {
    std::map<std::string, std::set<uint32_t>> seen;
    for (const DesignRun &run : designRuns())
      for (const auto &[name, value] : valuesIn(parametersOf(run, target)))
        seen[name].insert(value);
    for (const TimingRange &range : timingRanges(target)) {
      const std::set<uint32_t> ends = {range.low, range.high};
      if (range.low == range.high)
        EXPECT_EQ(seen.count(std::string(range.name)), 0u) << range.name << " is known exactly";
      else
        EXPECT_EQ(seen[std::string(range.name)], ends) << range.name << " is in no group";
    }
  }
}

TEST(Design, SlowIsALongLatencyAndALowRate) {
  const DesignRun fast = {}, slow = {true, true, true, true, true, true, true};
  const auto atFast = valuesIn(parametersOf(fast, Target::gfx906));
  const auto atSlow = valuesIn(parametersOf(slow, Target::gfx906));
  for (const char *more : {"hbmLatency", "ldsLatency", "l2Latency", "tlbWalk"})
    EXPECT_GT(atSlow.at(more), atFast.at(more)) << more;
  for (const char *more : {"hbmPercent", "tlbEntries", "tlbPage"})
    EXPECT_LT(atSlow.at(more), atFast.at(more)) << more;
  EXPECT_TRUE(moreIsFaster("hbmMilliBytesPerCycle"));
}

TEST(Design, ParametersAreJoined) {
  EXPECT_EQ(joinedParameters("", ""), "");
  EXPECT_EQ(joinedParameters("a=1", ""), "a=1");
  EXPECT_EQ(joinedParameters("", "b=2"), "b=2");
  EXPECT_EQ(joinedParameters("a=1", "b=2"), "a=1,b=2");
}

TEST(Bands, BothCodesRunUnderTheSameParameters) {
  // 300/200 = 1.5 as modelled; 600/300 = 2 and 100/80 = 1.25 under others. Mixed up it would be
  // 600/80 and 100/300.
  const Band band = bandOf(300, 200, {600, 100}, {300, 80});
  EXPECT_DOUBLE_EQ(band.low, 1.25);
  EXPECT_DOUBLE_EQ(band.high, 2);
  const Band inside = bandOf(300, 200, {130, 140}, {100, 100});
  EXPECT_DOUBLE_EQ(inside.low, 1.3);
  EXPECT_DOUBLE_EQ(inside.high, 1.5) << "the modelled ratio is in its band";
}

TEST(Bands, WhatIsMissingIsNoBand) {
  EXPECT_FALSE(bandOf(300, 200, {}, {}).known());
  EXPECT_FALSE(bandOf(300, 200, {600, 100}, {300}).known()) << "one side is short";
  EXPECT_FALSE(bandOf(300, 200, {600, 100}, {300, 0}).known()) << "a run failed";
  EXPECT_FALSE(bandOf(300, 0, {600}, {300}).known());
  EXPECT_EQ(claimOf({}), "");
}

TEST(Bands, AMeanMovesWithAllItsPrograms) {
  MeanBand mean;
  mean.add(200, 100, {400, 100}, {100, 100}); // 2; 4, 1
  mean.add(200, 100, {100, 400}, {100, 100}); // 2; 1, 4
  const Band band = mean.band();
  EXPECT_NEAR(band.low, 2, 1e-12) << "both means are 2, though each program goes from 1 to 4";
  EXPECT_NEAR(band.high, 2, 1e-12);
  mean.add(200, 100, {}, {});
  EXPECT_FALSE(mean.band().known()) << "of some programs only it would be another mean";
}

TEST(Bands, AClaimIsOfTheWholeBandAsPrinted) {
  EXPECT_EQ(claimOf({1.11, 1.3}), "gain");
  EXPECT_EQ(claimOf({1.006, 1.3}), "gain");
  EXPECT_EQ(claimOf({1.004, 1.3}), "open") << "prints as 1.00";
  EXPECT_EQ(claimOf({0.9, 1.3}), "open");
  EXPECT_EQ(claimOf({0.7, 1.0}), "open");
  EXPECT_EQ(claimOf({0.7, 0.994}), "loss");
  EXPECT_EQ(claimOf({1, 1}), "same");
  EXPECT_EQ(claimOf({0.996, 1.004}), "same");
}

TEST(Bands, TheTableShowsThem) {
  const Row row = banded("A 64", 300, 200, {600, 100}, {300, 80});
  EXPECT_EQ(cell(row, "cycle ratio"), "1.50 (1.25-2.00)");
  EXPECT_EQ(cell(row, "claim"), "gain");
  EXPECT_EQ(cell(banded("A", 300, 200, {60, 100}, {100, 80}), "claim"), "open");
  const auto titles = columnTitles(false);
  EXPECT_EQ(std::count(titles.begin(), titles.end(), "claim"), 0) << "nobody asked";
  EXPECT_EQ(cellsOf(row, row.runs[0], true)[5], "") << "the original has no ratio";

  const auto cells = meansCells({row, banded("B 64", 100, 100, {100, 100}, {100, 100})});
  ASSERT_EQ(cells.size(), 2u);
  ASSERT_EQ(cells[0].size(), cells[1].size());
  // The square roots of 1.5, 1.25 and 2.
  EXPECT_EQ(cells[1][3], "1.225 (1.118-1.414)");
  EXPECT_EQ(cells[1][5], "1.000 (1.000-1.000)") << "the least, of B";
  const std::vector<std::string> counts(cells[1].end() - 4, cells[1].end());
  EXPECT_EQ(counts, (std::vector<std::string>{"1", "0", "1", "0"})) << "gain, loss, same, open";
}

TEST(Bands, TheBestBlockSizeIsThatOfTheModel) {
  // A with 64 threads is the fastest original as modelled; under other parameters it need not be.
  const Means means = meansOf({banded("A 64", 100, 50, {900}, {300}),   // 2; 3
                               banded("A 128", 200, 50, {100}, {100})}, // 4; 1
                              Set::melding, "libmeld");
  EXPECT_NEAR(means.bestBand.low, 2, 1e-12);
  EXPECT_NEAR(means.bestBand.high, 3, 1e-12);
  EXPECT_NEAR(means.leastBand.low, 2, 1e-12) << "the program whose modelled ratio is least";
}

TEST(Bands, JsonHasThem) {
  const auto json = toJson({banded("A 64", 300, 200, {600, 100}, {300, 80})});
  const auto &run = json["runs"][1];
  EXPECT_EQ(run["cycleRatioBand"], (nlohmann::json{1.25, 2.0}));
  EXPECT_EQ(run["claim"], "gain");
  EXPECT_EQ(run["cyclesUnderDesign"], (nlohmann::json{300, 80}));
  EXPECT_FALSE(json["runs"][0].contains("claim")) << "of the original nothing is claimed";
  EXPECT_EQ(json["means"][0]["claims"]["gain"], 1);
  EXPECT_EQ(json["means"][0]["allBlockSizesBand"].size(), 2u);
  ASSERT_EQ(json["design"].size(), 8u);
  EXPECT_EQ(json["design"][0]["groups"]["issue"], "slow");
  EXPECT_EQ(json["design"][7]["groups"]["issue"], "fast");
  const auto without = toJson({rowOf("A 64", Set::melding, 300, 200)});
  EXPECT_FALSE(without.contains("design"));
  EXPECT_FALSE(without["runs"][1].contains("claim"));
  EXPECT_FALSE(without["means"][0].contains("claims"));
}

TEST(Bands, EveryTaskOfManyRunsOnce) {
  std::vector<std::atomic<int>> times(100);
  inParallel(times.size(), 8, [&](size_t i) { ++times[i]; });
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](const auto &n) { return n == 1; }));
  inParallel(0, 8, [&](size_t) { ADD_FAILURE(); });
}
