// What samples may be taken for. Bounds are worked out by hand, or against branches simulated wave by
// wave, of which everything is known.
#include "runtime/profile/profile.h"
#include "runtime/profile/sampled_marks.h"

#include <gtest/gtest.h>
#include <random>

namespace meld::profile {
namespace {

Sampled lanes(double mean, uint64_t samples = 1000000) {
  return sampledOf({{{samples, uint64_t(mean * double(samples))}, 1}}, false);
}

double both(const Sampled &block, const Sampled &one, const Sampled &other) {
  SampledFunction f{"f", "1", {block}, {{0, {{0, one}, {0, other}}, false}}, {}};
  return bothAtMost(f, f.branches[0]).value_or(-1);
}

TEST(Sampled, BothSidesByLanesAlone) {
  EXPECT_NEAR(both(lanes(64), lanes(64), lanes(64)), 0, 0.01) << "never together";
  EXPECT_NEAR(both(lanes(64), lanes(32), lanes(32)), 1, 0.01) << "always";
  EXPECT_NEAR(both(lanes(64), lanes(4), lanes(60)), 1, 0.01);
  // 30 of 100 to the left and 30 to the right alone, 40 half and half: (30 x 64 + 40 x 32) / 70.
  EXPECT_NEAR(both(lanes(64), lanes(3200 / 70.0), lanes(3200 / 70.0)), 0.4, 0.01);
  EXPECT_NEAR(both(lanes(60), lanes(20), lanes(64)), 40.0 / 64, 0.01) << "the example's";
  EXPECT_NEAR(both(lanes(60), lanes(64), lanes(20)), 40.0 / 64, 0.01) << "whichever side is first";
}

TEST(Sampled, TooFewSamplesSayNothing) {
  EXPECT_EQ(both(lanes(64, kEnoughSamples - 1), lanes(64), lanes(64)), -1);
  EXPECT_GE(both(lanes(64, kEnoughSamples), lanes(64), lanes(64)), 0);
  EXPECT_EQ(meanLanesBetween({kEnoughSamples - 1, 64 * (kEnoughSamples - 1)}), (Between{1, 64}));
  // A side that was never met: the block's lanes may have gone there in any wave, one at a time.
  EXPECT_GT(both(lanes(64), lanes(64), lanes(0, 0)), 0.95);
  EXPECT_EQ(both(lanes(0, 0), lanes(0, 0), lanes(0, 0)), -1);
}

TEST(Sampled, IntervalsHoldTheMean) {
  // Of 1000 waves a quarter has 60 lanes, the others 4: 18 in the mean. Nineteen of twenty intervals
  // and more hold it, of 40 samples each.
  std::mt19937 random(3);
  unsigned held = 0;
  constexpr unsigned tries = 2000;
  for (unsigned i = 0; i < tries; ++i) {
    PcSamples samples;
    for (unsigned n = 0; n < 40; ++n)
      samples.add({1, random() % 4 == 0 ? 60u : 4u});
    const Between between = meanLanesBetween(samples);
    held += between.low <= 18 && 18 <= between.high;
  }
  EXPECT_GE(held, tries * 95 / 100);
}

TEST(Sampled, CopiesWithOtherLanesWidenTheInterval) {
  const Sampled two = sampledOf({{{10000, 640000}, 4}, {{10000, 80000}, 4}}, false);
  EXPECT_NEAR(two.meanLanes.low, 8, 1);
  EXPECT_NEAR(two.meanLanes.high, 64, 1);
  // A copy that is hardly met does not count, unless such copies are many.
  EXPECT_NEAR(sampledOf({{{10000, 640000}, 4}, {{9, 9}, 4}}, false).meanLanes.low, 64, 1);
  EXPECT_EQ(sampledOf({{{100, 6400}, 4}, {{20, 20}, 4}}, false).meanLanes.low, 1);
}

TEST(Sampled, RatesAreByInstruction) {
  // 40 samples in a copy of 4 instructions, 10 in one of 2: 15 of each.
  const Sampled block = sampledOf({{{40, 2560}, 4}, {{10, 640}, 2}}, true);
  EXPECT_DOUBLE_EQ(*block.rate, 15);
  EXPECT_DOUBLE_EQ(block.step, 0.5);
  EXPECT_NEAR(block.rateBetween().low, 15 - 0.5 * 2 * std::sqrt(50), 1e-9);
  EXPECT_FALSE(sampledOf({{{40, 2560}, 4}, {{0, 0}, 0}}, true).rate)
      << "a copy without instructions";
  EXPECT_FALSE(sampledOf({}, true).rate);
  EXPECT_FALSE(sampledOf({{{40, 2560}, 4}}, false).rate) << "samples are of time";
}

TEST(Sampled, RatesBoundWhatLanesCannot) {
  // A side that no issued instruction was met in, of 10 instructions, beside 20,000 of the block's 10.
  const Sampled block = sampledOf({{{20000, 1280000}, 10}}, true);
  const Sampled never = sampledOf({{{0, 0}, 10}}, true);
  EXPECT_LT(both(block, block, never), 0.03);
  EXPECT_GT(both(block, block, never), 0) << "and yet it may have run";
}

TEST(Sampled, TripsNeedRates) {
  SampledFunction f{"f", "1", {}, {}, {}};
  f.blocks = {sampledOf({{{900, 900}, 3}}, true)};
  f.loops = {{0, 1, sampledOf({{{100, 100}, 2}}, true)}};
  EXPECT_DOUBLE_EQ(*tripsOf(f, f.loops[0]), 300.0 / 50);
  f.loops[0].entries = sampledOf({{{31, 31}, 2}}, true);
  EXPECT_FALSE(tripsOf(f, f.loops[0])) << "too few";
  f.blocks = {sampledOf({{{900, 900}, 3}}, false)};
  EXPECT_FALSE(tripsOf(f, f.loops[0]));
}

// Branches at random, wave by wave: whatever the sides take, the bound holds.
TEST(Sampled, BoundsHoldForWhatWasSimulated) {
  std::mt19937 random(11);
  unsigned wrong = 0, even = 0, close = 0;
  constexpr unsigned branches = 400, waves = 8000;
  for (unsigned i = 0; i < branches; ++i) {
    // How often a wave agrees, how many lanes are there, and which share goes where.
    const bool evenly = i % 4 == 0;
    const double agree = random() % 100 / 100.0;
    const double share = evenly ? 0.5 : (1 + random() % 99) / 100.0;
    const unsigned there = 1 + random() % 64;
    const double times[] = {1.0, 0.5 + random() % 50 / 10.0, 0.5 + random() % 50 / 10.0};
    PcSamples sampled[3]; // block, sides
    unsigned bothRan = 0;
    for (unsigned w = 0; w < waves; ++w) {
      unsigned left = 0;
      if (random() % 1000 < agree * 1000)
        left = random() % 1000 < share * 1000 ? there : 0;
      else
        for (unsigned lane = 0; lane < there; ++lane)
          left += random() % 1000 < share * 1000;
      const unsigned with[] = {there, left, there - left};
      bothRan += left && left != there;
      for (unsigned b = 0; b < 3; ++b) // as many samples as it takes time, in the mean
        if (with[b] && random() % 1000 < times[b] * 150)
          sampled[b].add({1, with[b]});
    }
    const auto of = [&](unsigned b) { return sampledOf({{sampled[b], 1}}, false); };
    const double bound = both(of(0), of(1), of(2)), truth = double(bothRan) / waves;
    wrong += bound >= 0 && bound < truth - 1e-9;
    if (evenly && there > 40) { // where there are few, intervals are wide
      ++even;
      close += bound < truth + 0.2;
    }
  }
  EXPECT_LE(wrong, branches * 5 / 100);
  EXPECT_GE(close, even * 9 / 10) << "of " << even << "; a bound of 1 would hold, too";
}

// B0 -> B1 or B2; 18 has two copies, one of which shares its line with 20.
constexpr const char *kMarks = R"({"functions": [
  {"name": "kernel", "cfg": "1", "blocks": [16, 17, 18],
   "branches": [{"block": 0, "exitsLoop": false, "edges": [[1, 17], [2, 20]]}],
   "loops": [{"header": 1, "depth": 1, "entries": [20]}]},
  {"name": "straight", "cfg": "2", "blocks": [30], "branches": [], "loops": []}],
  "runs": [[0, 16, 3, [16]], [24, 32, 2, [17]], [32, 40, 1, [18, 20]], [48, 64, 4, [18]]]})";

TEST(SampledMarks, SamplesGoToTheMarkersOfTheirLine) {
  const SamplesByOffset samples{{0, {10, 640}}, {12, {5, 320}}, {16, {99, 99}}, // of no line
                                {24, {7, 70}},  {31, {1, 10}},  {32, {2, 20}},  {60, {4, 8}}};
  const auto functions = sampledFunctionsOf(kMarks, samples, true, "kernel");
  ASSERT_EQ(functions.size(), 1u);
  const SampledFunction &f = functions[0];
  ASSERT_EQ(f.blocks.size(), 3u);
  EXPECT_EQ(f.blocks[0].all, (PcSamples{15, 960}));
  EXPECT_DOUBLE_EQ(*f.blocks[0].rate, 5);
  EXPECT_EQ(f.blocks[1].all, (PcSamples{8, 80}));
  EXPECT_EQ(f.blocks[2].all, (PcSamples{6, 28}));
  EXPECT_DOUBLE_EQ(*f.blocks[2].rate, 2 + 1);
  EXPECT_EQ(f.branches.at(0).edges.at(1).samples.all, (PcSamples{2, 20}));
  EXPECT_EQ(f.loops.at(0).entries.all, (PcSamples{2, 20}));
  EXPECT_FALSE(sampledFunctionsOf(kMarks, samples, false, "kernel").at(0).blocks[0].rate);
}

TEST(SampledMarks, WhatDoesNotFitIsNothing) {
  EXPECT_TRUE(sampledFunctionsOf(kMarks, {}, true, "other").empty());
  EXPECT_TRUE(sampledFunctionsOf(R"({"functions": []})", {}, true, "kernel").empty());
  EXPECT_TRUE(sampledFunctionsOf(R"({"functions": [], "runs": []})", {}, true, "kernel").empty());
  EXPECT_TRUE(sampledFunctionsOf("", {}, true, "kernel").empty());
}

Profile sampledProfile() {
  Kernel kernel{"k", 2, 20, 0.5, {}};
  SampledFunction f{"k", "17", {lanes(64, 100), lanes(32, 60), lanes(32, 3)}, {}, {}};
  f.branches = {{0, {{1, lanes(32, 60)}, {2, lanes(32, 3)}}, false}};
  f.loops = {{1, 1, sampledOf({{{40, 80}, 3}}, true)}};
  kernel.sampled = SampledKernel{SampleMethod::hostTrap, 170, {f}};
  return {"by hand", {{"aa", "amdgcn-amd-amdhsa--gfx90a", {kernel, {"cold", 0, 0, 0, {}}}}}};
}

TEST(SampledProfile, IsReadAsItWasWritten) {
  const Profile profile = sampledProfile();
  const std::string text = profileText(profile);
  EXPECT_NE(text.find("\"meldprof\": 2"), std::string::npos)
      << "a reader of version 1 would take what has no samples for what never ran";
  const auto again = parseProfile(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(profile, *again);
  EXPECT_TRUE(again->find("aa")->find("k")->ran());
  EXPECT_FALSE(again->find("aa")->find("cold")->ran()) << "the trace of launches says so";
}

TEST(SampledProfile, TruncatedOrWrongIsAnError) {
  const std::string text = profileText(sampledProfile());
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_FALSE(parseProfile(text.substr(0, size))) << size;
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string wrong = text;
    const size_t at = wrong.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return wrong.replace(at, from.size(), to);
  };
  for (const std::string &wrong :
       {with("host_trap", "guessed"), with("\"samples\": 170", "\"samples\": -1"),
        with("6400,", "6401,"), // 100 waves have 6400 lanes
        with("\"block\": 0", "\"block\": 3"), with("\"header\": 1", "\"header\": 7"),
        with("100,\n", "1e9,\n")})
    EXPECT_FALSE(parseProfile(wrong)) << wrong;
}

} // namespace
} // namespace meld::profile
