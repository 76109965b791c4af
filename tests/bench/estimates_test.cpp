// Rank correlation against published examples; the summary of estimates worked out by hand.
#include "bench/runner/estimates.h"
#include "bench/runner/rank.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace meld::bench;

TEST(Rank, EqualValuesShareTheMeanOfTheirPlaces) {
  EXPECT_EQ(ranks({30, 10, 20, 20}), (std::vector<double>{4, 1, 2.5, 2.5}));
  EXPECT_EQ(ranks({7, 7, 7}), (std::vector<double>{2, 2, 2}));
  EXPECT_TRUE(ranks({}).empty());
}

TEST(Rank, CorrelationIsThatOfTheTextbooks) {
  // Wikipedia, "Spearman's rank correlation coefficient": IQ and hours of TV, -29/165.
  EXPECT_NEAR(rankCorrelation({106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                              {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
              -29.0 / 165, 1e-12);
  // scipy.stats.spearmanr's example, with a tie.
  EXPECT_NEAR(rankCorrelation({1, 2, 3, 4, 5}, {5, 6, 7, 8, 7}), 0.8207826816681233, 1e-12);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3}, {10, 200, 201}), 1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_EQ(rankCorrelation({1, 2, 3}, {5, 5, 5}), 0) << "no order to agree with";
  EXPECT_EQ(rankCorrelation({1}, {1}), 0);
}

static EstimateRow rowOf(const char *code, double estimated, uint64_t before, uint64_t after) {
  return {"A", "small", "kernel", code, 1, before, after, estimated, estimated};
}

TEST(Estimates, ASummaryCountsSignsAndFindsTheWorst) {
  const std::vector<EstimateRow> rows = {
      rowOf("replaced", 10, 200, 150), // + 25 %
      rowOf("replaced", 5, 200, 220),  // - 10 %: the wrong sign
      rowOf("melded", -30, 200, 150),  // + 25 %, farthest off
      rowOf("melded", 2, 100000, 100001),
  };
  EXPECT_DOUBLE_EQ(rows[0].measured(), 25);
  EXPECT_FALSE(rows[3].wrongSign()) << "a difference of nothing has no sign";
  const EstimateSummary all = summaryOf(rows, false), replaced = summaryOf(rows, true);
  EXPECT_EQ(all.rows, 4u);
  EXPECT_EQ(all.wrongSigns, 2u);
  EXPECT_EQ(all.worst, &rows[2]);
  EXPECT_EQ(all.loss, &rows[1]);
  EXPECT_EQ(replaced.rows, 2u);
  EXPECT_EQ(replaced.wrongSigns, 1u);
  EXPECT_DOUBLE_EQ(replaced.correlation, 1);
  EXPECT_EQ(toJson(rows)["all"]["wrongSigns"], 2);
  EXPECT_EQ(summaryOf({}, false).worst, nullptr);
  EXPECT_NE(estimatesText(rows).find("rank correlation 1.000"), std::string::npos);
}
