// How sure the choice is, on whole programs: a HIP program on the software GPU, packets through our
// handler, the device's own time stamps with seeded noise. What is expected are the promises that
// tests/runtime/adapt/trial_test.cpp holds the statistics to on a simulated device.
//
// A run loads the module anew, so that it begins a trial of its own, and has a queue of its own: its
// noise is a function of the process's seed, the queue and the number of the dispatch
// (runtime/softgpu/kfd/model_clock.h), so no two runs of a level have the same, and each run has the
// same again when the test is repeated. 100 processes of ten runs are the thousand.
#include "tests/shim/program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <vector>

using namespace meld::test;

namespace {

constexpr unsigned kRuns = 10;  ///< of a process
constexpr unsigned kAtOnce = 8; ///< processes: each waits for its device most of the time

struct Level {
  const char *name, *noise;
  unsigned launches, several; ///< of a run: of kernels with one version, and with three
  double found, best;         ///< share of runs in which that which is 10 % faster is adopted
};
// The more noise the more pairs. In 20 % of noise few are sure enough of 10 %.
const Level kLevels[] = {{"1 %", "1,2,", 300, 600, 0.95, 0.9},
                         {"5 %", "5,5,", 600, 1000, 0.9, 0.8},
                         {"20 %", "20,10,", 600, 2000, 0.1, 0}};

/// What the program says but for its verdict, in words.
std::vector<std::vector<std::string>> said(const std::string &part, Environment environment) {
  environment.insert({{"LD_PRELOAD", MELD_LIB_DIR "/libmeld-softgpu.so"},
                      {"MELD_GPU_TIMING", "1"},
                      {"MELD_GPU_CUS", "4"},
                      {"MELD_GPU_TIMING_PARAMS", "launchOverhead=0"}});
  const Outcome o =
      runProgram(MELD_ADAPT_NOISE " " MELD_ADAPT_NOISE_MODULE " " + part, environment);
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(o.out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    lines.push_back({std::istream_iterator<std::string>(words), {}});
  }
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  if (lines.empty() || lines.back() != std::vector<std::string>{"PASS"})
    ADD_FAILURE() << o.out << o.err;
  else
    lines.pop_back();
  return lines;
}

/// Of as many processes, seeds 1, 2, ...
std::vector<std::vector<std::string>> saidByAll(const std::string &part, const std::string &noise,
                                                unsigned processes) {
  std::vector<std::vector<std::string>> all;
  for (unsigned first = 1; first <= processes; first += kAtOnce) {
    std::vector<std::future<std::vector<std::vector<std::string>>>> some;
    for (unsigned seed = first; seed < first + kAtOnce && seed <= processes; ++seed)
      some.push_back(std::async(std::launch::async, said, part,
                                Environment{{"HSA_TOOLS_LIB", MELD_LIB_DIR "/adaptprobe.so"},
                                            {"ADAPT_PROBE_WAIT", "1"},
                                            {"MELD_GPU_NOISE", noise + std::to_string(seed)}}));
    for (auto &one : some)
      for (auto &line : one.get())
        all.push_back(std::move(line));
  }
  return all;
}

unsigned number(const std::string &word) { return static_cast<unsigned>(std::stoul(word)); }

/// Nanoseconds of a launch, without noise and without a tool: by kernel and number of set elements.
class Times {
public:
  Times() {
    for (const auto &line : said("times", {}))
      if (line.size() == 3)
        times_[line[0]][number(line[1])] = std::stod(line[2]);
  }
  double of(const std::string &kernel, unsigned set = 0) const { return times_.at(kernel).at(set); }

private:
  std::map<std::string, std::map<unsigned, double>> times_;
};

// ---- a thousand runs

struct Tally {
  unsigned runs = 0, decisions = 0, changes = 0;
  std::array<unsigned, 4> promoted{}, kept{}; ///< by version; of all promotions, of runs
};

/// The kernel with three versions takes longest, and is in every fifth process.
void decide(const Level &l, unsigned processes) {
  const std::string runs = "trials " + std::to_string(kRuns) + " ";
  auto lines =
      saidByAll(runs + std::to_string(l.launches) + " equal slower faster", l.noise, processes);
  for (auto &line :
       saidByAll(runs + std::to_string(l.several) + " several", l.noise, processes / 5))
    lines.push_back(std::move(line));
  std::map<std::string, Tally> kernels;
  for (const auto &line : lines) {
    ASSERT_EQ(line.size(), 8u);
    Tally &t = kernels[line[1]];
    ++t.runs;
    t.decisions += number(line[2]);
    t.changes += number(line[3]);
    ++t.kept.at(number(line[4]));
    for (unsigned v = 1; v < 4; ++v)
      t.promoted[v] += number(line[4 + v]);
  }
  for (const auto &[name, t] : kernels)
    std::printf("%s noise, %s: %u runs, %u decisions, %u changes; promoted %u %u %u; at the end "
                "%u %u %u %u\n",
                l.name, name.c_str(), t.runs, t.decisions, t.changes, t.promoted[1], t.promoted[2],
                t.promoted[3], t.kept[0], t.kept[1], t.kept[2], t.kept[3]);
  const Tally &equal = kernels["equal"], &slower = kernels["slower"], &faster = kernels["faster"],
              &several = kernels["several"];
  for (const Tally *one : {&equal, &slower, &faster})
    EXPECT_EQ(one->runs, kRuns * processes);
  EXPECT_EQ(several.runs, kRuns * processes / 5);
  // Each promotion counts, also of what is not kept for long.
  EXPECT_LT(equal.promoted[1], equal.decisions / 100.);
  EXPECT_LT(slower.promoted[1], slower.decisions / 100.);
  EXPECT_LT(several.promoted[1] + several.promoted[2], several.runs / 100.);
  EXPECT_EQ(slower.kept[1], 0u);
  EXPECT_EQ(several.kept[2], 0u);
  // A choice that never chooses would pass all that.
  EXPECT_GE(equal.decisions, equal.runs * 0.9);
  EXPECT_GE(slower.decisions, slower.runs * 0.9);
  EXPECT_GE(faster.promoted[1], faster.runs * l.found);
  EXPECT_GE(several.promoted[3], several.runs * l.best);
}

// ---- a change of the data

struct Change {
  const char *what, *kernel;
  unsigned before, after; ///< set elements
  unsigned expected;      ///< version
};
constexpr unsigned kLaunches = 2000;
const Change kChanges[] = {
    {"the winner becomes a tenth slower than the original", "steady", 22, 35, 0},
    {"the winner becomes slower by 30 %", "steady", 22, 42, 0},
    {"the winner becomes twice as slow", "steady", 22, 64, 0},
    {"the original becomes faster, the winner stays", "sparse", 46, 25, 0},
    {"the original becomes twice as fast as the winner", "sparse", 46, 16, 0},
    {"what was kept becomes slow", "sparse", 29, 46, 1},
};

/// What a run has lost against the faster version in each half, as shares of the run's time; and
/// that time in nanoseconds. All without noise.
struct Lost {
  double whole = 0, after = 0, time = 0;
};
Lost lostIn(const std::vector<std::string> &line, const Change &change, const Times &times) {
  const std::string original = change.kernel, variant = original + "_variant";
  double spent = 0;
  std::array<double, 2> lost{};
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned set = half ? change.after : change.before;
    const double o = times.of(original, set), v = times.of(variant, set);
    const unsigned ranO = number(line[2 + 2 * half]), ranV = number(line[3 + 2 * half]);
    EXPECT_EQ(ranO + ranV, kLaunches / 2);
    spent += ranO * o + ranV * v;
    lost[half] = ranO * o + ranV * v - (ranO + ranV) * std::min(o, v);
  }
  return {(lost[0] + lost[1]) / spent, lost[1] / spent, spent};
}

/// Of each change and level.
void change(unsigned processes, unsigned runs) {
  const Times times;
  for (const Change &c : kChanges)
    for (unsigned level = 0; level < std::size(kLevels); ++level) {
      const auto lines =
          saidByAll("phases " + std::to_string(runs) + " " + std::to_string(kLaunches) + " " +
                        c.kernel + " " + std::to_string(c.before) + " " + std::to_string(c.after),
                    kLevels[level].noise, processes);
      ASSERT_EQ(lines.size(), runs * processes);
      double whole = 0, after = 0, most = 0;
      unsigned before = 0, anew = 0, right = 0, within = 0;
      std::set<std::string> elapsed;
      for (const auto &line : lines) {
        ASSERT_EQ(line.size(), 10u);
        const Lost lost = lostIn(line, c, times);
        whole += lost.whole / double(lines.size());
        after += lost.after / double(lines.size());
        most = std::max(most, lost.whole);
        within += lost.whole < 0.03;
        before += number(line[6]) != c.expected;
        right += number(line[7]) == c.expected;
        anew += number(line[8]) > 0;
        elapsed.insert(line[9]);
      }
      std::printf(
          "%s noise, %s: %zu runs, right before the change %u, decided anew %u, right at "
          "the end %u; lost %.2f %% of the run (after the change %.2f %%), at most %.2f %%, "
          "less than 3 %% in %u\n",
          kLevels[level].name, c.what, lines.size(), before, anew, right, 100 * whole, 100 * after,
          100 * most, within);
      const std::string where = std::string(kLevels[level].name) + ": " + c.what;
      const auto all = double(lines.size());
      EXPECT_EQ(elapsed.size(), lines.size()) << where << ": two runs had the same noise";
      if (level < 2) {
        EXPECT_LT(whole, 0.03) << where;
        EXPECT_GE(right, all * 0.95) << where;
        EXPECT_GE(within, all * 0.75) << where;
      } else if (c.expected == 0) {
        // In 20 % of noise the 3 % are not promised (docs/versions.md), only that it ends well. An original
        // that was kept is watched by its times alone: that it takes 1.5 times as long may not be seen.
        EXPECT_GE(right, all * 0.9) << where;
      }
    }
}

} // namespace

// Were they not what they are called, nothing below would mean anything.
TEST(AdaptTimes, PlantedVersionsTakeTheTimesTheyAreToTake) {
  const Times times;
  const auto ratio = [&](const char *kernel, const char *variant) {
    return times.of(std::string(kernel) + variant) / times.of(kernel);
  };
  EXPECT_NEAR(ratio("equal", "_variant"), 1, 0.001);
  EXPECT_NEAR(ratio("slower", "_variant"), 1.03, 0.005);
  EXPECT_NEAR(ratio("faster", "_variant"), 0.9, 0.005);
  EXPECT_NEAR(ratio("several", "_variant1"), 1, 0.001);
  EXPECT_NEAR(ratio("several", "_variant2"), 1.03, 0.005);
  EXPECT_NEAR(ratio("several", "_variant3"), 0.9, 0.005);
  for (const Change &c : kChanges) {
    EXPECT_EQ(times.of(c.kernel, c.before) < times.of(c.kernel + std::string("_variant"), c.before),
              c.expected == 1)
        << c.what;
    EXPECT_EQ(times.of(c.kernel, c.after) < times.of(c.kernel + std::string("_variant"), c.after),
              c.expected == 0)
        << c.what;
  }
}

class AdaptNoise : public testing::TestWithParam<Level> {};

TEST_P(AdaptNoise, WrongPromotionsAreBelowOnePercentInAHundredRuns) { decide(GetParam(), 10); }
TEST_P(AdaptNoise, DISABLED_WrongPromotionsAreBelowOnePercentInAThousandRuns) {
  decide(GetParam(), 100);
}

INSTANTIATE_TEST_SUITE_P(Levels, AdaptNoise, testing::ValuesIn(kLevels), [](const auto &one) {
  return "Of" + std::to_string(std::stoi(one.param.name)) + "Percent";
});

// Every time stamp is as it is modelled: the program's own events say what was lost, too.
TEST(AdaptPhaseChange, WithoutNoiseItIsDecidedAnewWithLittleLost) {
  const Times times;
  for (const Change &c : kChanges) {
    const auto lines = saidByAll("phases 1 " + std::to_string(kLaunches) + " " + c.kernel + " " +
                                     std::to_string(c.before) + " " + std::to_string(c.after),
                                 "0,0,", 1);
    ASSERT_EQ(lines.size(), 1u) << c.what;
    ASSERT_EQ(lines[0].size(), 10u) << c.what;
    const Lost lost = lostIn(lines[0], c, times);
    EXPECT_NEAR(std::stod(lines[0][9]) / lost.time, 1, 0.001) << c.what;
    EXPECT_EQ(number(lines[0][6]), 1 - c.expected) << c.what;
    EXPECT_EQ(number(lines[0][7]), c.expected) << c.what;
    EXPECT_GT(number(lines[0][8]), 0u) << c.what;
    EXPECT_LT(lost.whole, 0.03) << c.what;
    std::printf("no noise, %s: lost %.2f %% of the run (after the change %.2f %%)\n", c.what,
                100 * lost.whole, 100 * lost.after);
  }
}

TEST(AdaptPhaseChange, ItIsDecidedAnewWithLittleLost) { change(1, 4); }
TEST(AdaptPhaseChange, DISABLED_ItIsDecidedAnewWithLittleLostInFortyRuns) { change(8, 5); }
