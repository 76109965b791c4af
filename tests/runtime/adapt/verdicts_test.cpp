// What is kept of measurements: text and back, and what a reader is not to believe.
#include "runtime/adapt/launch_class.h"
#include "runtime/adapt/verdict_text.h"

#include <gtest/gtest.h>

using namespace meld::adapt;

namespace {

ObjectVerdicts sample() {
  ClassVerdict won;
  won.launchClass = launchClass({{256, 1, 1}, {100'000, 1, 1}, 0});
  won.winner = "melded";
  won.ratio = 0.5;
  won.low = 0.4;
  won.high = 0.6;
  won.original = 2e6;
  won.time = 1e6;
  won.pairs = won.wins = 12;
  won.changes = 1;
  won.launches = 500;
  won.when = 1'700'000'000;
  ClassVerdict small = won;
  small.launchClass = launchClass({{64, 1, 1}, {64, 1, 1}, 1024});
  small.winner.clear();
  small.faster = "scalarized";
  small.open = true;
  ObjectVerdicts verdicts;
  verdicts.kernels["_Z1kv"] = {{"melded", "scalarized"}, {{"all-legal", "the same"}}, {won, small}};
  ClassVerdict cut;
  cut.launchClass = launchClass({{32, 1, 1}, {64, 1, 1}, 0});
  cut.open = true;
  cut.when = won.when;
  cut.duels = {{"melded", {0, 0, 0, true, 1}}, {"scalarized", {7, 5, 2, false, 0.9}}};
  ClassVerdict special = won;
  special.guards = {"argument 16 4 0x3"};
  special.winner = "specialized";
  special.facts = "argument 16 4 0x3";
  KernelVerdict &kernel = verdicts.kernels["_Z1kv"];
  kernel.classes.push_back(special);
  kernel.classes.push_back(cut);
  kernel.specialised = {{"argument 16 4 0x3; full-groups", "argument 16 4 0x3", "", 120, 30},
                        {"full-groups", "", "unchanged", 0, 0}};
  verdicts.kernels["nothing \xff\n\"odd\""] = {{}, {{"melded", "nothing changes"}}, {}};
  return verdicts;
}

} // namespace

TEST(Verdicts, AreReadAsTheyWereWritten) {
  const std::string text = sample().text();
  EXPECT_EQ(text, sample().text());
  const auto read = ObjectVerdicts::parse(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text(), text);
  const KernelVerdict &kernel = read->kernels.at("_Z1kv");
  EXPECT_EQ(kernel.versions, (std::vector<std::string>{"melded", "scalarized"}));
  ASSERT_EQ(kernel.classes.size(), 4u);
  EXPECT_EQ(kernel.classes[0].winner, "melded");
  EXPECT_EQ(kernel.classes[0].ratio, 0.5);
  EXPECT_EQ(kernel.classes[0].launchClass, launchClass({{256, 1, 1}, {70'000, 1, 1}, 0}));
  EXPECT_EQ(kernel.classes[1].faster, "scalarized");
  EXPECT_TRUE(kernel.classes[1].open);
  EXPECT_TRUE(kernel.classes[1].guards.empty());
  EXPECT_EQ(kernel.classes[2].guards, std::vector<std::string>{"argument 16 4 0x3"});
  EXPECT_EQ(kernel.classes[2].facts, "argument 16 4 0x3");
  ASSERT_EQ(kernel.classes[3].duels.size(), 2u);
  EXPECT_TRUE(kernel.classes[3].duels[0].past.lost);
  EXPECT_EQ(kernel.classes[3].duels[1].version, "scalarized");
  EXPECT_EQ(kernel.classes[3].duels[1].past.pairs, 7u);
  EXPECT_EQ(kernel.classes[3].duels[1].past.wins, 5u);
  EXPECT_EQ(kernel.classes[3].duels[1].past.losses, 2u);
  EXPECT_EQ(kernel.classes[3].duels[1].past.ratio, 0.9);
  ASSERT_EQ(kernel.specialised.size(), 2u);
  EXPECT_EQ(kernel.specialised[0].asked, "argument 16 4 0x3; full-groups");
  EXPECT_EQ(kernel.specialised[0].launches, 120u);
  EXPECT_EQ(kernel.specialised[0].other, 30u);
  EXPECT_EQ(kernel.specialised[1].refused, "unchanged");
}

TEST(Verdicts, OfARunWithoutSpecialisedVersionsAreRead) {
  const auto read = ObjectVerdicts::parse(
      R"({"kernels": {"k": {"versions": ["melded"], "refused": {}, "classes": [
          {"class": 1, "winner": "melded", "when": 5}]}}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->kernels.at("k").specialised.empty());
  EXPECT_TRUE(read->kernels.at("k").classes.at(0).guards.empty());
}

TEST(Verdicts, NoMoreSpecialisedVersionsThanAProcessMayHaveAreRead) {
  ObjectVerdicts verdicts;
  verdicts.kernels["k"].specialised.resize(1000);
  const auto read = ObjectVerdicts::parse(verdicts.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kernels.at("k").specialised.size(), 16u);
}

TEST(Verdicts, WhatIsNoneIsAnErrorThatNamesIt) {
  for (const char *text :
       {"", "{", "[]", "{}", R"({"kernels": 3})", R"({"kernels": {"k": 1}})",
        R"({"kernels": {"k": {"versions": ["a"]}}})",
        R"({"kernels": {"k": {"versions": [1], "refused": {}, "classes": []}}})",
        R"({"kernels": {"k": {"versions": [], "refused": {}, "classes": [{"class": "x"}]}}})",
        R"({"kernels": {"k": {"versions": [], "refused": {}, "classes": [{"class": 1}]}}})"}) {
    const auto read = ObjectVerdicts::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("verdicts"), std::string::npos) << text;
  }
}

TEST(Verdicts, NumbersThatAreNoTimesAreNotBelieved) {
  const auto read = ObjectVerdicts::parse(
      R"({"kernels": {"k": {"versions": [], "refused": {}, "classes": [
          {"class": 1, "winner": "melded", "when": 5, "ratio": -3, "original_ns": 1e999}]}}})");
  if (!read) // a number that no double holds is an error of the text
    return;
  EXPECT_EQ(read->kernels.at("k").classes.at(0).ratio, 1);
}

TEST(Verdicts, NoWinnerIsSoFastThatNobodyMayChallengeIt) {
  const auto read = ObjectVerdicts::parse(
      R"({"kernels": {"k": {"versions": [], "refused": {}, "classes": [
          {"class": 1, "winner": "melded", "when": 5, "ratio": 1e-300, "pairs": -3, "wins": 1.5}]}}})");
  ASSERT_TRUE(read) << read.error().message;
  const ClassVerdict &verdict = read->kernels.at("k").classes.at(0);
  EXPECT_EQ(verdict.ratio, 1 / 64.);
  EXPECT_EQ(verdict.pairs, 0u);
  EXPECT_EQ(verdict.wins, 0u);
}

TEST(Verdicts, DuelsThatCannotHaveBeenAreNone) {
  for (const char *numbers :
       {R"("pairs": 3, "wins": 3, "losses": 1)", R"("pairs": 100000)",
        R"("pairs": 3, "wins": 2, "losses": 0, "ratio": 0)",
        R"("pairs": 3, "wins": 2, "losses": 0, "ratio": 1e9)", R"("pairs": -1, "wins": -1)"}) {
    const auto read = ObjectVerdicts::parse(
        R"({"kernels": {"k": {"versions": [], "refused": {}, "classes": [{"class": 1, "winner": "",
            "when": 5, "open": true, "duels": [{"version": "melded", )" +
        std::string(numbers) + "}]}]}}}");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->kernels.at("k").classes.at(0).duels.at(0).past.pairs, 0u) << numbers;
  }
}

TEST(Verdicts, AWinnerCountsForNinetyDays) {
  ClassVerdict verdict;
  verdict.when = 1'000'000'000;
  EXPECT_FALSE(isStale(verdict, verdict.when));
  EXPECT_FALSE(isStale(verdict, verdict.when + 90ull * 24 * 3600));
  EXPECT_TRUE(isStale(verdict, verdict.when + 90ull * 24 * 3600 + 1));
  EXPECT_TRUE(isStale(verdict, verdict.when - 1)); // a clock that was set back
}

TEST(Verdicts, LaunchClassesInWords) {
  EXPECT_EQ(describeLaunchClass(launchClass({{256, 1, 1}, {100'000, 1, 1}, 0})),
            "256 to 511 work-items a group, 256 to 511 groups, no dynamic LDS");
  EXPECT_EQ(describeLaunchClass(launchClass({{1, 1, 1}, {1, 1, 1}, 5})),
            "1 work-items a group, 1 groups, 4 to 7 bytes of dynamic LDS");
  EXPECT_NE(describeLaunchClass(0xffffffff), "");
}

TEST(Verdicts, AreToldToPeople) {
  const ObjectVerdicts verdicts = sample();
  const std::string text = describeKernel("k", verdicts.kernels.at("_Z1kv"));
  EXPECT_NE(text.find("melded, 0.500 of the original's time (1.00 ms for 2.00 ms)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("scalarized is faster, by less than"), std::string::npos) << text;
  EXPECT_NE(text.find("not all-legal: the same"), std::string::npos) << text;
  EXPECT_NE(text.find("not decided yet; melded has lost against the original; scalarized: 7 pairs, "
                      "5 won, 2 lost"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("still to be tried"), std::string::npos) << text;
  EXPECT_NE(text.find("specialised for argument 16 4 0x3: so were 120 launches, 30 were not"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("not specialised for full-groups: unchanged"), std::string::npos) << text;
  EXPECT_NE(text.find("with argument 16 4 0x3: specialized for argument 16 4 0x3, 0.500 of"),
            std::string::npos)
      << text;
}
