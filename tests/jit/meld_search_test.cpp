// The search for the meldings to blame, against made-up kernels: which numbers are bad is known.
#include "jit/meld_search.h"
#include <gtest/gtest.h>

using meld::jit::MeldSearch;

namespace {

struct Outcome {
  bool found = false;
  MeldSearch::LeftOut leftOut;
  unsigned tries = 0;
};

// Each good melding saves 10 cycles of 1000, each bad one costs 1000. What else is done saves
// `others`.
Outcome search(unsigned count, const std::set<unsigned> &bad, unsigned most, double others = 0) {
  MeldSearch search(count, most, others != 0);
  Outcome outcome;
  while (search.searching()) {
    ++outcome.tries;
    double cycles = 1000 - others;
    for (unsigned i = 0; i < count; ++i)
      if (!search.leftOut().has(i))
        cycles += bad.count(i) ? 1000 : -10;
    search.judged(count, cycles < 1000, cycles);
    EXPECT_LE(outcome.tries, most + (others != 0));
  }
  outcome.found = search.found();
  outcome.leftOut = search.leftOut();
  return outcome;
}

TEST(MeldSearch, FindsTheOneToBlameWhereverItIs) {
  for (unsigned count : {2u, 3u, 8u, 13u})
    for (unsigned bad = 0; bad < count; ++bad) {
      const Outcome outcome = search(count, {bad}, 6);
      ASSERT_TRUE(outcome.found) << bad << " of " << count;
      for (unsigned i = 0; i < count; ++i)
        EXPECT_EQ(outcome.leftOut.has(i), i == bad) << bad << " of " << count;
    }
}

TEST(MeldSearch, FindsTwo) {
  const Outcome outcome = search(8, {2, 6}, 12);
  ASSERT_TRUE(outcome.found);
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(outcome.leftOut.has(i), i == 2 || i == 6) << i;
}

TEST(MeldSearch, KeepsTheBestWhenTriesRunOut) {
  const Outcome outcome = search(64, {40, 41, 42, 43}, 4);
  ASSERT_TRUE(outcome.found);
  EXPECT_EQ(outcome.tries, 4u);
  EXPECT_FALSE(outcome.leftOut.has(0));
  for (unsigned i : {40u, 41u, 42u, 43u})
    EXPECT_TRUE(outcome.leftOut.has(i)) << i;
}

TEST(MeldSearch, AllBadMeansNothingIsFound) {
  const Outcome outcome = search(5, {0, 1, 2, 3, 4}, 8);
  EXPECT_FALSE(outcome.found);
  EXPECT_TRUE(outcome.leftOut.has(0)); // and nothing is melded should it be asked for
}

TEST(MeldSearch, WhatElseIsDoneIsTriedAlone) {
  for (unsigned count : {1u, 2u, 5u}) {
    std::set<unsigned> all;
    for (unsigned i = 0; i < count; ++i)
      all.insert(i);
    const Outcome outcome = search(count, all, 6, 5);
    ASSERT_TRUE(outcome.found) << count;
    EXPECT_TRUE(outcome.leftOut.has(0)) << count;
    EXPECT_FALSE(search(count, all, 6, -5).found) << count << ": that is worse, too";
  }
  EXPECT_FALSE(MeldSearch(0, 6, true).searching()) << "it has just been tried";
}

TEST(MeldSearch, WhatElseIsDoneDoesNotHideAGoodMelding) {
  const Outcome outcome = search(5, {4}, 6, 5);
  ASSERT_TRUE(outcome.found);
  EXPECT_FALSE(outcome.leftOut.has(0));
  EXPECT_TRUE(outcome.leftOut.has(4));
}

TEST(MeldSearch, AGainIsOnlyDoubtedUntilWhatElseIsDoneHasBeenTriedAlone) {
  MeldSearch pays = MeldSearch::doubting(3, 6, 900);
  ASSERT_TRUE(pays.searching());
  EXPECT_TRUE(pays.leftOut().has(0)) << "without any";
  pays.judged(3, true, 950);
  ASSERT_TRUE(pays.found());
  EXPECT_FALSE(pays.leftOut().has(0)) << "all are kept";

  MeldSearch alone = MeldSearch::doubting(1, 6, 990);
  alone.judged(1, true, 950);
  ASSERT_TRUE(alone.found());
  EXPECT_TRUE(alone.leftOut().has(0)) << "the melding cost 40";

  MeldSearch nothing = MeldSearch::doubting(1, 6, 990); // neither half is better on its own
  nothing.judged(1, false, 1000);
  ASSERT_TRUE(nothing.found());
  EXPECT_FALSE(nothing.leftOut().has(0));
}

// Of five meldings the last costs more than the others save; scalarization hides it.
TEST(MeldSearch, OneThatCostsIsFoundBehindAnotherGain) {
  const auto cycles = [](const MeldSearch::LeftOut &out) {
    double sum = 1000 - 100;
    for (unsigned i = 0; i < 5; ++i)
      sum += out.has(i) ? 0 : i == 4 ? 60 : -10;
    return sum;
  };
  MeldSearch search = MeldSearch::doubting(5, 6, cycles({}));
  for (unsigned tries = 0; search.searching(); ++tries) {
    ASSERT_LT(tries, 7u);
    const double now = cycles(search.leftOut());
    search.judged(5, now < 1000, now);
  }
  ASSERT_TRUE(search.found());
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(search.leftOut().has(i), i == 4) << i;
}

TEST(MeldSearch, OneMeldingNeedsNoSearch) {
  EXPECT_FALSE(MeldSearch(1, 6).searching());
  EXPECT_FALSE(MeldSearch(0, 6).searching());
  EXPECT_FALSE(MeldSearch(9, 0).searching());
}

} // namespace
