// The statistics of the choice, against simulated devices. What is expected here are the promises:
// fewer than 1 % wrong promotions, nothing slower kept, a phase change decided anew, bounded cost.
#include "runtime/adapt/launch_class.h"
#include "runtime/adapt/trial.h"
#include "tests/runtime/adapt/simulation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace meld::adapt {
namespace {
using test::Noise;
using test::Outcome;
using test::Simulation;

constexpr double kLaunch = 100'000; // nanoseconds
constexpr unsigned kSeeds = 1000;

struct Level {
  const char *name;
  Noise noise;
};
const Level kLevels[] = {{"1 %", {1, 2, 10}}, {"5 %", {5, 5, 10}}, {"20 %", {20, 10, 10}}};

/// Times relative to the original's.
std::vector<double> times(std::initializer_list<double> ratios) {
  std::vector<double> list = {kLaunch};
  for (const double ratio : ratios)
    list.push_back(kLaunch * ratio);
  return list;
}

// ---- the sign test

TEST(SignTest, AFairCoinIsAdoptedAsSeldomAsTheTableSays) {
  // Independently of falseAdoption(): by throwing coins. 200,000 of them give the rate to 10 %.
  std::mt19937_64 random(1);
  unsigned adopted = 0;
  constexpr unsigned games = 200'000;
  for (unsigned game = 0; game < games; ++game) {
    SignTest test;
    SignTest::Verdict verdict = SignTest::Verdict::open;
    // Neither a win nor a loss otherwise: nothing is rejected before it could be adopted.
    while (verdict == SignTest::Verdict::open)
      verdict = test.add(100, random() & 1 ? 90 : 99);
    adopted += verdict == SignTest::Verdict::adopt;
    EXPECT_NE(verdict, SignTest::Verdict::reject);
  }
  const double rate = double(adopted) / games;
  EXPECT_LT(rate, 1.25 * kFalseAdoption);
  EXPECT_NEAR(rate, falseAdoption(), 0.0004);
}

TEST(SignTest, TheMarginIsNoWin) {
  SignTest test;
  for (unsigned i = 1; i < kFirstStop; ++i)
    EXPECT_EQ(test.add(100, 98), SignTest::Verdict::open);
  EXPECT_EQ(test.add(100, 98), SignTest::Verdict::undecided); // as good as equal
  EXPECT_EQ(test.wins(), 0u);
  EXPECT_EQ(test.losses(), 0u);
}

TEST(SignTest, WhatWinsEverySecondPairGoesOnToTheEnd) {
  SignTest test;
  for (unsigned i = 1; i < kMostPairs; ++i)
    ASSERT_EQ(test.add(100, i % 2 ? 97 : 99), SignTest::Verdict::open) << i;
  EXPECT_EQ(test.add(100, 97), SignTest::Verdict::undecided);
}

TEST(SignTest, WhatIsAlwaysSlowerGoesAfterFivePairs) {
  SignTest test;
  for (unsigned i = 0; i < 4; ++i)
    ASSERT_EQ(test.add(100, 101), SignTest::Verdict::open);
  EXPECT_EQ(test.add(100, 101), SignTest::Verdict::reject);
}

// ---- promises over a thousand seeds

TEST(Trial, WrongPromotionsAreBelowOnePercentOfDecisions) {
  for (const Level &level : kLevels)
    for (const double ratio : {0.985, 1.0, 1.03}) {
      unsigned wrong = 0, decisions = 0;
      for (unsigned seed = 0; seed < kSeeds; ++seed) {
        Simulation s(seed, level.noise);
        s.trial.begin(2);
        bool promoted = false;
        s.run(times({ratio}), 2000, [&](const Trial &t) { promoted |= t.incumbent() == 1; });
        wrong += promoted;
        decisions += s.trial.decisions();
      }
      EXPECT_LT(wrong, decisions / 100.) << level.name << " noise, ratio " << ratio;
      EXPECT_GE(decisions, 9 * kSeeds / 10) << level.name << " noise, ratio " << ratio;
    }
}

// Phases of a time step, levels of a search: a version must not look fast for running in the cheap ones.
TEST(Trial, WrongPromotionsAreBelowOnePercentWhereLaunchesRepeat) {
  const std::vector<double> programs[] = {{10, 1},       {10, 1, 1},   {10, 1, 1, 1},
                                          {1, 1, 10, 1}, {1, 2, 4, 8}, {1, 1, 1, 3, 9, 3, 1, 1}};
  for (const Level &level : kLevels)
    for (const std::vector<double> &works : programs)
      for (const double ratio : {1.0, 1.03}) {
        unsigned wrong = 0;
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
          Simulation s(seed, level.noise);
          s.works = works;
          s.trial.begin(2);
          bool promoted = false;
          s.run(times({ratio}), 2000, [&](const Trial &t) { promoted |= t.incumbent() == 1; });
          wrong += promoted;
        }
        EXPECT_LT(wrong, kSeeds / 100)
            << level.name << " noise, ratio " << ratio << ", every " << works.size();
      }
}

TEST(Trial, AVersionThatIsThreePercentSlowerIsNeverKept) {
  for (const Level &level : kLevels)
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      Simulation s(seed, level.noise);
      s.trial.begin(2);
      s.run(times({1.03}), 2000);
      EXPECT_EQ(s.outcome.incumbent, 0u) << level.name << " noise, seed " << seed;
    }
}

TEST(Trial, AmongSeveralBadVersionsNoneIsKept) {
  for (const Level &level : kLevels) {
    unsigned wrong = 0;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      Simulation s(seed, level.noise);
      s.trial.begin(4);
      s.run(times({1.0, 1.03, 0.99}), 2000);
      wrong += s.outcome.incumbent != 0;
    }
    EXPECT_LT(wrong, kSeeds / 100) << level.name;
  }
}

TEST(Trial, WhatPaysIsAdopted) {
  // At each level of noise, of the versions 20 % faster. One of a hundred has two outliers of more than
  // half among its first four times at the second level, and is given up.
  const double found[] = {1.0, 0.98, 0.9};
  for (unsigned level = 0; level < 3; ++level) {
    unsigned adopted = 0;
    double relative = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
      Simulation s(seed, kLevels[level].noise);
      s.trial.begin(2);
      bool promoted = false;
      s.run(times({0.8}), 1000, [&](const Trial &t) { promoted |= t.incumbent() == 1; });
      adopted += promoted;
      relative += s.outcome.spent / s.outcome.best / 300;
    }
    EXPECT_GE(adopted, 300 * found[level] - 2) << kLevels[level].name;
    EXPECT_LT(relative, level == 2 ? 1.15 : 1.04) << kLevels[level].name;
  }
}

TEST(Trial, TheBestOfSeveralIsFound) {
  Simulation s(1, {1, 2, 0});
  s.trial.begin(5);
  s.run(times({0.9, 1.2, 0.7, 0.85}), 1000);
  EXPECT_EQ(s.outcome.incumbent, 3u);
  EXPECT_NEAR(s.trial.ratio(), 0.7, 0.03);
}

// ---- a change of the data

struct Change {
  const char *what;
  std::vector<double> before, after;
  unsigned expected;
};

TEST(Trial, APhaseChangeIsDecidedAnewWithLittleLost) {
  const Change changes[] = {
      {"the winner becomes a tenth slower than the original", {1, 0.7}, {1, 1.1}, 0},
      {"the winner becomes slower by 30 %", {1, 0.7}, {1, 1.3}, 0},
      {"the winner becomes twice as slow", {1, 0.7}, {1, 2}, 0},
      {"the original becomes faster, the winner stays", {1, 0.7}, {0.54, 0.7}, 0},
      {"the original becomes twice as fast as the winner", {1, 0.7}, {0.35, 0.7}, 0},
      {"what was kept becomes slow", {1, 1.1}, {2, 1.4}, 1},
  };
  constexpr unsigned seeds = 100;
  for (const Change &change : changes)
    for (unsigned level = 0; level < 2; ++level) {
      double lost = 0;
      unsigned right = 0, cheap = 0;
      for (uint64_t seed = 0; seed < seeds; ++seed) {
        std::vector<double> before = change.before, after = change.after;
        for (double &time : before)
          time *= kLaunch;
        for (double &time : after)
          time *= kLaunch;
        Simulation s(seed, kLevels[level].noise);
        s.trial.begin(2);
        s.run(before, 1000);
        const Outcome first = s.outcome;
        s.run(after, 1000);
        // Against always running the right one after the change, as a share of the run.
        const double share =
            ((s.outcome.spent - first.spent) - (s.outcome.best - first.best)) / s.outcome.spent;
        right += s.outcome.incumbent == change.expected;
        cheap += share < 0.03;
        lost += share / seeds;
      }
      EXPECT_LT(lost, 0.03) << kLevels[level].name << ": " << change.what;
      EXPECT_GE(right, seeds * 90 / 100) << kLevels[level].name << ": " << change.what;
      EXPECT_GE(cheap, seeds * 80 / 100) << kLevels[level].name << ": " << change.what;
    }
}

TEST(Trial, APhaseChangeInMuchNoise) {
  double lost = 0;
  constexpr unsigned seeds = 200;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Simulation s(seed, kLevels[2].noise);
    s.trial.begin(2);
    s.run(times({0.7}), 1000);
    s.run(times({1.3}), 1000);
    EXPECT_EQ(s.outcome.incumbent, 0u) << "seed " << seed;
    // Against the original after the change, and against what was known before it.
    lost += s.outcome.spent / s.outcome.best - 1;
  }
  EXPECT_LT(lost / seeds, 0.04);
}

TEST(Trial, WhatWasAdoptedInVainThreeTimesIsNotTriedAgain) {
  Simulation s(1, {});
  s.trial.begin(2);
  for (int phase = 0; phase < 10; ++phase)
    s.run(phase % 2 ? std::vector<double>{2 * kLaunch, 3 * kLaunch} : times({0.6}), 3000);
  EXPECT_EQ(s.trial.demotions(1), 3u);
  EXPECT_EQ(s.outcome.incumbent, 0u);
  unsigned ran = 0;
  s.run(times({0.6}), 3000, [&](const Trial &t) { ran += t.incumbent() == 1; });
  EXPECT_EQ(ran, 0u);
}

// ---- cost

// Launches with other arguments each time: times differ by half from one to the next, and nobody sees
// in a few pairs what a version costs.
TEST(Trial, LaunchesThatDifferMuchEndTrialsEarly) {
  for (const double ratio : {1.05, 1.1, 1.2, 1.4}) {
    double spent = 0, late = 0;
    constexpr unsigned seeds = 200;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      Simulation s(seed, {50, 0, 0});
      s.trial.begin(4);
      s.run(times({ratio, ratio, ratio}), 500);
      const Outcome first = s.outcome;
      s.run(times({ratio, ratio, ratio}), 500);
      spent += first.spent / first.original / seeds;
      late += (s.outcome.spent - first.spent) / (s.outcome.original - first.original) / seeds;
    }
    EXPECT_LT(spent, 1.02) << "ratio " << ratio;
    EXPECT_LT(late, 1.005) << "ratio " << ratio;
  }
}

TEST(Trial, TrialsOfThreeBadVersionsCostBelowTwoPercentOfFiveHundredLaunches) {
  for (const Level &level : kLevels)
    for (const double ratio : {1.005, 1.02, 1.03, 1.1, 1.3, 1.6, 2.0, 3.0}) {
      double spent = 0;
      for (uint64_t seed = 0; seed < 50; ++seed) {
        Simulation s(seed, level.noise);
        s.trial.begin(4);
        s.run(times({ratio, ratio, ratio}), 500);
        spent += s.outcome.spent / s.outcome.original / 50;
      }
      // In 20 % of noise it takes longer to see that something is slower.
      EXPECT_LT(spent, level.noise.percent < 20 ? 1.02 : 1.03)
          << level.name << " noise, ratio " << ratio;
    }
}

// One launch class in which each launch does twice the work of the one before, as the steps of a merge
// sort do: what counts is the time that was lost, not how often a challenger ran.
TEST(Trial, LongLaunchesAmongShortOnesCountForWhatTheyTake) {
  for (const double ratio : {1.02, 1.2, 1.45, 2.0}) {
    double spent = 0, late = 0;
    constexpr unsigned seeds = 200, each = 6;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      Simulation s(seed, {1, 0, 0});
      s.works = {1, 2, 4, 8, 16, 32};
      s.trial.begin(4);
      s.run({180e3, ratio * 180e3, ratio * 180e3, ratio * 180e3}, 36 * each);
      const Outcome first = s.outcome;
      s.run({180e3, ratio * 180e3, ratio * 180e3, ratio * 180e3}, 48 * each);
      spent += first.spent / first.original / seeds;
      late += (s.outcome.spent - first.spent) / (s.outcome.original - first.original) / seeds;
    }
    // At twice the time a single launch of the longest is 1.4 % of this run, and nobody has seen it before.
    EXPECT_LT(spent, ratio < 2 ? 1.02 : 1.025) << "ratio " << ratio;
    EXPECT_LT(late, 1.005) << "ratio " << ratio;
  }
}

// One launch in a hundred takes a thousand times as long, and the others once or twice: what a long one
// takes with the challenger, by chance, is no loss of a challenger that wins its pairs.
TEST(Trial, AFewVeryLongLaunchesCostNoWinner) {
  unsigned won = 0;
  constexpr unsigned seeds = 200;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    Simulation s(seed, {5, 0, 0});
    s.works.clear();
    for (unsigned i = 0; i < 1999; ++i)
      s.works.push_back(random() % 100 ? 1.0 + double(random() % 2) : 1000.0);
    s.trial.begin(2);
    s.run({180e3, 120e3}, 2000);
    won += s.outcome.incumbent == 1;
  }
  EXPECT_GE(won, seeds * 8 / 10);
}

/// The launch that tells how long one takes.
void learn(Trial &trial, Budget &budget, double time = kLaunch) {
  const Trial::Launch first = trial.next(budget, 2);
  ASSERT_TRUE(first.timed);
  ASSERT_EQ(first.version, 0u);
  trial.finished(first, time, budget);
}

TEST(Trial, AHostFarAheadOfTheDeviceRisksTwoPairs) {
  // Nothing comes back while 300 launches are enqueued.
  Trial trial;
  Budget budget;
  trial.begin(2);
  unsigned challenged = 0;
  for (int i = 0; i < 300; ++i)
    challenged += trial.next(budget, 2).version == 1;
  EXPECT_EQ(challenged, 0u) << "nothing is known of the original yet";
  learn(trial, budget);
  for (int i = 0; i < 300; ++i)
    challenged += trial.next(budget, 2).version == 1;
  EXPECT_EQ(challenged, 2u);
  EXPECT_EQ(trial.pairsUnderWay(), 2u);
}

// 1 % and 10 ms, and what one launch may take longer than anybody could expect.
TEST(Trial, VersionsOfLongLaunchesAreTriedWhenThereIsTimeForIt) {
  constexpr double launch = 100e6;
  for (const double ratio : {1.4, 3.0, 10.0}) {
    const std::vector<double> all = {launch, ratio * launch, ratio * launch, ratio * launch};
    Simulation s(1, {});
    s.trial.begin(4);
    double first = 0;
    s.run(all, 1000, [&](const Trial &) {
      const double lost = s.outcome.spent - s.outcome.original;
      if (lost > 0 && first == 0)
        first = s.outcome.original;
      EXPECT_LE(lost, 0.01 * s.outcome.original + 10e6 + (ratio - 1) * launch) << "ratio " << ratio;
    });
    EXPECT_GE(first, 39 * launch) << "half a launch is 1 % of fifty, less the 10 ms";
    EXPECT_LT(first, 60 * launch);
  }
}

TEST(Trial, LateTimesDecideTheSame) {
  for (const unsigned depth : {1u, 7u, 31u}) {
    Simulation s(3, {1, 0, 0}, depth);
    s.trial.begin(3);
    s.run(times({1.2, 0.8}), 3000);
    EXPECT_EQ(s.outcome.incumbent, 2u) << depth;
  }
}

TEST(Trial, ControlsOfAWinnerCostAtMostTheirShare) {
  for (const double ratio : {0.95, 0.7, 0.3, 0.1}) {
    Simulation s(1, {1, 0, 0});
    s.trial.begin(2);
    s.run(times({ratio}), 200);
    ASSERT_EQ(s.outcome.incumbent, 1u);
    s.outcome = {};
    s.run(times({ratio}), 20'000);
    EXPECT_LT(s.outcome.spent / s.outcome.best, 1.013) << ratio;
    EXPECT_EQ(s.outcome.incumbent, 1u);
  }
}

// ---- details

TEST(Trial, CoinsTurnPairsAround) {
  // Every second pair is won, so that the duel goes on.
  Trial trial;
  Budget budget;
  trial.begin(2);
  learn(trial, budget, 100);
  std::string order;
  constexpr unsigned pairs = 100;
  for (unsigned i = 0; i < 2 * pairs; ++i) {
    const Trial::Launch launch = trial.next(budget, 2);
    order += launch.version ? 'v' : 'o';
    trial.finished(launch, launch.version == 0 ? 100 : i / 2 % 2 ? 97 : 99, budget);
  }
  unsigned turned = 0, same = 0;
  for (size_t i = 0; i < order.size(); i += 2) {
    EXPECT_NE(order[i], order[i + 1]) << "one launch of each";
    turned += order[i] == 'v';
    same += i && order[i] == order[i - 2];
  }
  EXPECT_NEAR(turned, pairs / 2., 15) << order;
  EXPECT_NEAR(same, pairs / 2., 15) << order << ": in turns they would follow a pattern of four";
}

TEST(Trial, WithoutTimersTheIncumbentRuns) {
  Trial trial;
  Budget budget;
  trial.begin(2);
  EXPECT_FALSE(trial.next(budget, 0).timed);
  learn(trial, budget);
  EXPECT_FALSE(trial.next(budget, 1).timed) << "a pair needs two";
  const Trial::Launch first = trial.next(budget, 2);
  ASSERT_TRUE(first.timed);
  // The second launch of the pair waits for one that can be timed.
  const Trial::Launch between = trial.next(budget, 0);
  EXPECT_FALSE(between.timed);
  EXPECT_EQ(between.version, 0u);
  const Trial::Launch second = trial.next(budget, 1);
  EXPECT_TRUE(second.timed);
  EXPECT_EQ(second.version, 1u - first.version);
}

TEST(Trial, APairWithoutBothTimesIsNone) {
  Trial trial;
  Budget budget;
  trial.begin(2);
  for (int i = 0; i < 200; ++i) {
    const Trial::Launch launch = trial.next(budget, 2);
    if (!launch.timed)
      continue;
    // Of every pair one time is missing, the first or the second in turns, or is none.
    if ((launch.serial + launch.second) % 2)
      trial.finished(launch, launch.version ? 50'000 : kLaunch, budget);
    else if (i % 3)
      trial.discarded(launch);
    else
      trial.finished(launch, 0, budget);
  }
  EXPECT_EQ(trial.test().pairs(), 0u);
  EXPECT_EQ(trial.incumbent(), 0u);
  EXPECT_LE(trial.pairsUnderWay(), 1u);
}

// A device without a clock, or one whose clock was set back, is no fast device.
TEST(Trial, ATimeThatIsNoneWinsNothing) {
  for (const double none : {0., -1., std::nan("")}) {
    Trial trial;
    Budget budget;
    trial.begin(2);
    for (int i = 0; i < 200; ++i) {
      const Trial::Launch launch = trial.next(budget, 2);
      trial.finished(launch, launch.version ? none : kLaunch, budget);
    }
    EXPECT_EQ(trial.test().pairs(), 0u) << none;
    EXPECT_EQ(trial.incumbent(), 0u) << none;
  }
}

// All times double and halve again and again, and the same version stays the faster one: it is
// looked into more and more seldom.
TEST(Trial, FalseAlarmsBecomeRare) {
  Simulation s(1, {});
  s.trial.begin(2);
  for (unsigned phase = 0; phase < 100; ++phase) {
    const double time = phase % 2 ? 2 * kLaunch : kLaunch;
    s.run({time, 0.7 * time}, 60);
  }
  EXPECT_EQ(s.outcome.incumbent, 1u);
  // Once five in a row have said the same, 256 launches lie between two.
  EXPECT_LE(s.trial.decisions(), 5u + 100 * 60 / 256 + 1);
}

TEST(Trial, TimesOfAnotherDuelAreNotCounted) {
  Trial trial;
  Budget budget;
  trial.begin(3);
  std::vector<Trial::Launch> late;
  // Version 1 goes after two heavy pairs; times of its other pairs come later.
  while (trial.test().pairs() == 0 || late.size() < 4) {
    const Trial::Launch launch = trial.next(budget, 2);
    if (launch.timed && late.size() < 8)
      late.push_back(launch);
    if (late.size() == 4) {
      for (const auto &l : late)
        trial.finished(l, l.version ? 5 * kLaunch : kLaunch, budget);
      break;
    }
  }
  EXPECT_EQ(trial.test().pairs(), 0u) << "version 2 has begun";
  for (const auto &l : late)
    trial.finished(l, 10, budget);
  EXPECT_EQ(trial.test().pairs(), 0u);
}

TEST(Trial, AGainTooSmallForLookingAtPacketsIsTold) {
  Simulation s(1, {});
  s.trial.begin(2, 1500);
  s.run({10'000, 9'000}, 500);
  EXPECT_EQ(s.outcome.incumbent, 0u);
  EXPECT_EQ(s.trial.tooSmall(), 1u);
}

TEST(Trial, AVerdictFromBeforeIsWatchedToo) {
  Simulation s(1, {1, 0, 0});
  s.trial.resume(2, 1);
  s.run(times({1.4}), 500);
  EXPECT_EQ(s.outcome.incumbent, 0u);
  Simulation good(1, {1, 0, 0});
  good.trial.resume(2, 1);
  good.run(times({0.7}), 500);
  EXPECT_EQ(good.outcome.incumbent, 1u);
  EXPECT_EQ(good.trial.decisions(), 0u);
}

namespace {

/// Runs of so many launches each, until one decides; what each has found out of the versions goes to
/// the next. The runs that were needed, 0: no decision.
unsigned runsUntilDecided(const std::vector<double> &times, unsigned launches, double percent,
                          unsigned &incumbent) {
  std::vector<PastDuel> past(times.size());
  for (unsigned run = 1; run <= 20; ++run) {
    Simulation s(run, {percent, 0, 0});
    s.trial.begin(1, 0);
    for (unsigned v = 1; v < times.size(); ++v)
      s.trial.addVersion(past[v]);
    s.run(times, launches);
    incumbent = s.outcome.incumbent;
    if (s.trial.phase() != Trial::Phase::open)
      return run;
    for (unsigned v = 1; v < times.size(); ++v)
      past[v] = s.trial.pastDuel(v);
  }
  return 0;
}

} // namespace

// Twelve pairs are needed, and there are four in a run, behind the launch that tells how long one takes.
TEST(Trial, WhatShortRunsFindOutAddsUp) {
  unsigned incumbent = 0;
  EXPECT_EQ(runsUntilDecided({kLaunch, 0.8 * kLaunch}, 9, 1, incumbent), 3u);
  EXPECT_EQ(incumbent, 1u);
  const unsigned runs =
      runsUntilDecided({kLaunch, 1.01 * kLaunch, 0.8 * kLaunch}, 9, 0.1, incumbent);
  EXPECT_GE(runs, 4u); // five pairs against the first version, twelve for the second
  EXPECT_LE(runs, 6u);
  EXPECT_EQ(incumbent, 2u);
}

TEST(Trial, WhatHasLostIsNotTriedAgain) {
  PastDuel lost;
  lost.lost = true;
  Simulation s(1, {1, 0, 0});
  s.trial.begin(1, 0);
  s.trial.addVersion(lost);
  s.trial.addVersion();
  s.run({kLaunch, 0.5 * kLaunch, kLaunch}, 200, [&](const Trial &trial) {
    EXPECT_TRUE(trial.pastDuel(1).lost);
    EXPECT_EQ(trial.typical(1), 0); // it has not run
  });
  // Other data than those of the earlier run: it may be better now.
  s.run({2 * kLaunch, 0.5 * kLaunch, 2 * kLaunch}, 400);
  EXPECT_EQ(s.outcome.incumbent, 1u);
}

TEST(Trial, AWinnerOfAnEarlierRunIsChallengedByTheOthers) {
  for (const bool first : {true, false}) {
    Simulation s(1, {1, 0, 0});
    s.trial.begin(1, 0);
    if (first)
      s.trial.addWinner(0.8);
    s.trial.addVersion();
    if (!first)
      s.trial.addWinner(0.8);
    EXPECT_EQ(s.trial.incumbent(), first ? 1u : 2u);
    EXPECT_EQ(s.trial.phase(), Trial::Phase::open);
    std::vector<double> times = {kLaunch, 0.6 * kLaunch, 0.6 * kLaunch};
    times[s.trial.incumbent()] = 0.8 * kLaunch;
    s.run(times, 60);
    EXPECT_EQ(s.trial.phase(), Trial::Phase::won);
    EXPECT_EQ(s.outcome.incumbent, first ? 2u : 1u);
    EXPECT_NEAR(s.trial.ratio(), 0.6, 0.03);
  }
  // What has won with other data is controlled against the original.
  Simulation s(1, {1, 0, 0});
  s.trial.begin(1, 0);
  s.trial.addWinner(0.8);
  s.run({kLaunch, 1.4 * kLaunch}, 500);
  EXPECT_EQ(s.outcome.incumbent, 0u);
}

TEST(Trial, OfAWinnersOpenTrialOnlyLosersAreTold) {
  Simulation s(1, {0, 0, 0});
  s.trial.begin(1, 0);
  s.trial.addWinner(0.5);
  s.trial.addVersion();
  s.trial.addVersion();
  s.run({kLaunch, 0.5 * kLaunch, kLaunch, kLaunch}, 16);
  ASSERT_EQ(s.trial.phase(), Trial::Phase::open);
  EXPECT_TRUE(s.trial.pastDuel(1).isNothing());
  EXPECT_TRUE(s.trial.pastDuel(2).lost);
  EXPECT_TRUE(s.trial.pastDuel(3).isNothing());
}

TEST(SignTest, GoesOnWhereItWas) {
  for (unsigned cut = 1; cut < 12; ++cut) {
    SignTest whole, first;
    for (unsigned i = 0; i < cut; ++i) {
      EXPECT_EQ(whole.add(100, i == 2 ? 110 : 80), SignTest::Verdict::open);
      first.add(100, i == 2 ? 110 : 80);
    }
    SignTest second(first.pairs(), first.wins(), first.losses());
    for (unsigned i = cut; i < kMostPairs; ++i) {
      const double challenger = i == 2 ? 110 : 80;
      const auto expected = whole.add(100, challenger);
      ASSERT_EQ(second.add(100, challenger), expected) << cut << ", " << i;
      if (expected != SignTest::Verdict::open)
        break;
    }
  }
}

TEST(Trial, AVersionThatComesLaterChallengesTheWinner) {
  Simulation s(1, {1, 0, 0});
  s.trial.begin(1);
  s.run({kLaunch, kLaunch, kLaunch}, 100);
  s.trial.addVersion();
  s.run({kLaunch, 0.8 * kLaunch, kLaunch}, 100);
  EXPECT_EQ(s.outcome.incumbent, 1u);
  s.trial.addVersion();
  s.run({kLaunch, 0.8 * kLaunch, 0.6 * kLaunch}, 100);
  EXPECT_EQ(s.outcome.incumbent, 2u);
  EXPECT_EQ(s.trial.demotions(1), 0u);
}

TEST(LaunchClass, PowersOfTwo) {
  auto shape = [](uint16_t group, uint32_t grid, uint32_t lds = 0) {
    LaunchShape s;
    s.workgroup[0] = group;
    s.grid[0] = grid;
    s.dynamicLds = lds;
    return launchClass(s);
  };
  EXPECT_EQ(shape(256, 70'000), shape(256, 100'000));
  const std::set<uint32_t> classes = {shape(256, 70'000), shape(64, 70'000), shape(256, 7'000),
                                      shape(256, 70'000, 1024), shape(256, 140'000)};
  EXPECT_EQ(classes.size(), 5u);
  LaunchShape flat, cube;
  flat.workgroup[0] = 64;
  cube.workgroup[0] = cube.workgroup[1] = 8;
  flat.grid[0] = 64 * 64;
  cube.grid[0] = cube.grid[1] = 64;
  EXPECT_EQ(launchClass(flat), launchClass(cube));
  LaunchShape huge;
  for (auto &g : huge.grid)
    g = ~0u;
  EXPECT_NE(launchClass(huge), 0u);
  LaunchShape wrong; // a packet that is one
  wrong.workgroup[0] = 0;
  wrong.grid[2] = 0;
  EXPECT_NE(launchClass(wrong), 0u);
}

TEST(LaunchClass, FullGroups) {
  const auto full = [](uint16_t group, uint32_t grid) {
    LaunchShape s;
    s.workgroup[1] = group;
    s.grid[1] = grid;
    return isFull(s, 1);
  };
  for (const uint16_t group : {1, 2, 3, 64, 96, 255, 256, 1000, 1024})
    for (const uint32_t grid : {0u, 1u, 2u, 6u, 64u, 96u, 192u, 255u, 1000u, 1024u, 3072u, ~0u}) {
      EXPECT_EQ(full(group, grid), grid % group == 0) << group << " " << grid;
      EXPECT_EQ(quotient(grid, group), grid / group) << group << " " << grid;
    }
  EXPECT_FALSE(full(0, 64)) << "a packet that is wrong";
}

} // namespace
} // namespace meld::adapt
