// The second held-out set: that its table is sound, and what is computed from two measurements. The
// programs themselves, and their results, are the test bench.pairs; how near the model comes is
// judged by nobody here.
#include "bench/runner/pairs.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace meld::bench;

namespace {

PairRow row(double published, uint64_t before, uint64_t after, PairKind kind = PairKind::kernel,
            bool pass = true) {
  PairRow r;
  r.pair = publishedPairs().front();
  r.pair.published = published;
  r.pair.kind = kind;
  r.before.cycles = before;
  r.after.cycles = after;
  r.before.pass = r.after.pass = pass;
  return r;
}

} // namespace

TEST(Pairs, EveryRowIsComplete) {
  std::set<std::string> sources, used, names;
  for (const PairSource &source : pairSources()) {
    EXPECT_TRUE(sources.insert(source.id).second) << source.id;
    EXPECT_GT(source.citation.size(), 40u) << source.id;
  }
  for (const PublishedPair &pair : publishedPairs()) {
    EXPECT_TRUE(names.insert(pair.name).second) << pair.name << " is there twice";
    for (const std::string *text :
         {&pair.what, &pair.program, &pair.before, &pair.after, &pair.sizes, &pair.printed,
          &pair.where, &pair.hardware, &pair.scaled})
      EXPECT_FALSE(text->empty()) << pair.name;
    EXPECT_NE(pair.before, pair.after) << pair.name;
    EXPECT_GT(pair.published, 0) << pair.name;
    EXPECT_TRUE(sources.count(pair.source)) << pair.name << " names no source";
    used.insert(pair.source);
  }
  EXPECT_EQ(used, sources) << "a source without a pair";
  EXPECT_GE(publishedPairs().size(), 15u);
  EXPECT_GE(sources.size(), 5u);
}

// What a source prints as "A to B" is the ratio: of times A / B, of rates B / A.
TEST(Pairs, RatiosAreThoseOfThePrintedFigures) {
  unsigned looked = 0;
  for (const PublishedPair &pair : publishedPairs()) {
    double from = 0, to = 0;
    char unit[32] = "";
    if (std::sscanf(pair.printed.c_str(), "%lf to %lf %31s", &from, &to, unit) < 2)
      continue;
    ++looked;
    const std::string u = unit;
    const bool time = u == "ms" || u == "us" || u == "cycles";
    EXPECT_NEAR(pair.published, time ? from / to : to / from, 0.006) << pair.name;
  }
  EXPECT_GE(looked, 15u);
}

TEST(Pairs, EveryProgramHasAQuickPair) {
  std::set<std::string> programs, quick;
  for (const PublishedPair &pair : publishedPairs()) {
    programs.insert(pair.program);
    if (pair.quick)
      quick.insert(pair.program);
  }
  EXPECT_EQ(programs, quick);
}

TEST(Pairs, APartOfADeviceHasItsShareOfTheL2) {
  PublishedPair pair = publishedPairs().front();
  pair.device = "gfx900";
  pair.computeUnits = 0;
  EXPECT_EQ(environmentOf(pair), (std::map<std::string, std::string>{{"MELD_GPU", "gfx900"}}));
  pair.computeUnits = 8;
  EXPECT_EQ(environmentOf(pair),
            (std::map<std::string, std::string>{{"MELD_GPU", "gfx900"},
                                                {"MELD_GPU_CUS", "8"},
                                                {"MELD_GPU_TIMING_PARAMS", "l2Bytes=524288"}}));
  pair.device = "gfx90a";
  pair.computeUnits = 13; // an eighth, in whole sets
  EXPECT_EQ(environmentOf(pair)["MELD_GPU_TIMING_PARAMS"], "l2Bytes=1048576");
}

TEST(Pairs, AreCalledByNameProgramOrSource) {
  EXPECT_EQ(pairsCalled("", "").size(), publishedPairs().size());
  EXPECT_EQ(pairsCalled("LDS BANKS", "").size(), 1u);
  for (const PublishedPair &pair : pairsCalled("", "gfx908"))
    EXPECT_EQ(pair.device, "gfx908");
  EXPECT_FALSE(pairsCalled("vega", "gfx900").empty());
  EXPECT_TRUE(pairsCalled("vega", "gfx90a").empty());
  EXPECT_TRUE(pairsCalled("no such pair", "").empty());
}

TEST(Pairs, TheSummaryIsOfLogarithms) {
  const std::vector<PairRow> rows = {row(2, 400, 100), row(2, 100, 100),
                                     row(1.01, 200, 100, PairKind::probe),
                                     row(3, 100, 50, PairKind::kernel, /*pass=*/false)};
  EXPECT_DOUBLE_EQ(rows[0].model(), 4);
  EXPECT_DOUBLE_EQ(rows[0].error(), std::log(2.0));
  EXPECT_EQ(rows[3].model(), 0) << "a wrong result has no ratio";
  const PairSummary kernels = summaryOf(rows, PairKind::kernel);
  EXPECT_EQ(kernels.count, 2u);
  EXPECT_NEAR(kernels.meanError, std::log(2.0), 1e-12);
  EXPECT_NEAR(kernels.bias, 0, 1e-12) << "twice too much and twice too little";
  EXPECT_EQ(kernels.sided, 2u);
  EXPECT_EQ(kernels.rightSide, 1u) << "1 is not on the side of gains";
  const PairSummary all = summaryOf(rows);
  EXPECT_EQ(all.count, 3u);
  EXPECT_EQ(all.sided, 2u) << "1.01 is on no side";
  EXPECT_EQ(summaryOf({}).count, 0u);
}

TEST(Pairs, AreWrittenOnceEach) {
  const std::vector<PairRow> rows = {row(2, 400, 100), row(3, 100, 50, PairKind::kernel, false)};
  const nlohmann::json data = toJson(rows);
  ASSERT_EQ(data["pairs"].size(), 2u);
  EXPECT_EQ(data["pairs"][0]["model"], 4);
  EXPECT_EQ(data["pairs"][1]["pass"], false);
  EXPECT_EQ(data["summary"]["all"]["count"], 1);
  EXPECT_EQ(data["sources"].size(), pairSources().size());
  const std::string text = pairsText(rows);
  EXPECT_NE(text.find("4.00"), std::string::npos);
  EXPECT_NE(text.find("FAIL"), std::string::npos);
}
