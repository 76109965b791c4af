// What the table of the measured choice makes of launches; the numbers are worked out by hand.
#include "bench/runner/choice.h"

#include <gtest/gtest.h>

using namespace meld::bench;

namespace {

std::vector<Dispatch> launches(const std::string &kernel, const std::vector<uint64_t> &cycles,
                               bool replaced = false) {
  std::vector<Dispatch> all;
  for (const uint64_t c : cycles) {
    Dispatch d;
    d.kernel = kernel;
    d.cycles = c;
    d.replaced = replaced;
    d.computeUnits = 1;
    d.counters["SQ_WAVES"] = 16;
    all.push_back(d);
  }
  return all;
}

} // namespace

TEST(ChoiceTable, RatiosAndWhatWasLost) {
  // Two launches a repetition; the first repetition is cold.
  const auto original = launches("k", {150, 220, 100, 200});
  const auto replaced = launches("k", {90, 180, 80, 160}, true);
  auto chosen = launches("k", {150, 220, 130, 200, 50, 100, 50, 100}, true);
  const auto next = launches("k", {50, 100, 50, 100}, true);
  const auto rows = choiceRows("p", original, replaced, chosen, next);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].launches, 8u);
  EXPECT_DOUBLE_EQ(rows[0].staticRatio, 300.0 / 240);
  EXPECT_DOUBLE_EQ(rows[0].after, 600.0 / 300);
  EXPECT_DOUBLE_EQ(rows[0].lost, 30.0 / (370 + 3 * 300));
  EXPECT_DOUBLE_EQ(rows[0].nextRun, 2);
  EXPECT_TRUE(rows[0].version);
  EXPECT_DOUBLE_EQ(rows[0].wavesPerSimd, 4);
}

// What was chosen gains 2 under the model's values, 1.25 and 4 under others.
TEST(ChoiceTable, TheNextRunHasABand) {
  const auto original = launches("k", {150, 220, 100, 200});
  auto rows = choiceRows("p", original, original, original, launches("k", {9, 9, 50, 100}, true));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].nextRunBand().known());
  addUnder(rows, launches("k", {9, 9, 200, 300}), launches("k", {9, 9, 200, 200}));
  addUnder(rows, launches("k", {9, 9, 200, 200}), launches("k", {9, 9, 50, 50}));
  const Band band = rows[0].nextRunBand();
  EXPECT_DOUBLE_EQ(band.low, 1.25);
  EXPECT_DOUBLE_EQ(band.high, 4);
  EXPECT_NE(choiceText(rows).find("next run, with its band: 2.000 (1.250-4.000)"),
            std::string::npos)
      << choiceText(rows);
  // Launches that do not repeat there leave no band.
  addUnder(rows, launches("k", {200, 200}), launches("k", {9, 9, 50, 50}));
  EXPECT_FALSE(rows[0].nextRunBand().known());
  EXPECT_EQ(choiceText(rows).find("with its band"), std::string::npos);
}

TEST(ChoiceTable, ALaunchClassIsNotHiddenByTheOthers) {
  auto original = launches("k", {1000, 100, 1000, 100});
  for (size_t i = 0; i < original.size(); ++i)
    original[i].launchClass = i % 2 ? 7 : 9;
  // The long launches are twice as fast, the short ones slower by a quarter.
  const auto rows =
      choiceRows("p", original, original, launches("k", {500, 125, 500, 125}), original);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].after, 1100.0 / 625);
  EXPECT_EQ(rows[0].classes, 2u);
  EXPECT_DOUBLE_EQ(rows[0].leastClass, 0.8);
  EXPECT_NE(choiceText(rows).find("least 0.800 (p k)"), std::string::npos);
}

TEST(ChoiceTable, LaunchesThatDoNotRepeatAreLeftOut) {
  const auto two = launches("k", {100, 100});
  EXPECT_TRUE(choiceRows("p", launches("k", {100, 100, 100}), two, two, two).empty());
  EXPECT_TRUE(choiceRows("p", two, launches("k", {100}), two, two).empty());
  EXPECT_TRUE(choiceRows("p", two, two, {}, two).empty());
  EXPECT_EQ(choiceRows("p", two, two, two, two).size(), 1u);
}

TEST(ChoiceTable, TheWorstIsNamed) {
  ChoiceRow good{"good", "k", 500, 8, 1, 1.5, 0.001, 1.5, true, 1, 1.5};
  ChoiceRow bad{"bad", "k", 500, 8, 1, 0.75, 0.25, 1, true, 1, 0.75};
  const std::string text = choiceText({good, bad});
  EXPECT_NE(text.find("least 0.750 (bad k)"), std::string::npos) << text;
  EXPECT_NE(text.find("most lost on trials: 25.00 % (bad k)"), std::string::npos) << text;
  EXPECT_NE(text.find("geometric mean 1.061"), std::string::npos) << text; // sqrt(1.5 * 0.75)
  EXPECT_EQ(text.find("Smaller launches"), std::string::npos) << text;
}
