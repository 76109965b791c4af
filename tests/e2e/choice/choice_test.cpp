// Whole programs under MELD_ADAPT=on, with modelled times: versions are made while the program
// runs, tried in its own launches, and what was decided is there in the next run.
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace meld::e2e;
using nlohmann::json;

namespace {

const std::string lib = MELD_LIB_DIR, bin = MELD_BIN_DIR, program = bin + "/hip/choice";

struct Launches {
  Outcome outcome;
  std::vector<bool> replaced;   ///< of each launch of the kernel: did a version of ours run?
  std::vector<uint64_t> cycles; ///< modelled, of each launch
};

std::map<std::string, std::string> environmentOf(const TemporaryFolder &folder) {
  return meld::e2e::measuredChoice(lib, folder);
}

Launches choice(const std::string &part, int launches, const TemporaryFolder &folder,
                std::map<std::string, std::string> more = {}, const std::string &with = "") {
  auto environment = environmentOf(folder);
  for (const auto &[name, value] : more)
    environment[name] = value;
  Launches r;
  r.outcome = run({program, part, std::to_string(launches), with}, environment);
  EXPECT_EQ(r.outcome.exitCode, 0) << r.outcome.out << r.outcome.err;
  EXPECT_EQ(r.outcome.out, "PASS\n") << r.outcome.err;
  const json counters = json::parse(readFile(folder / "counters"), nullptr, false);
  if (counters.is_discarded())
    return r;
  for (const json &dispatch : counters["dispatches"])
    if (dispatch["kernel"] == part.substr(0, part.find(':'))) {
      r.replaced.push_back(dispatch["replaced"]);
      r.cycles.push_back(dispatch["cycles"]);
    }
  return r;
}

size_t count(const std::vector<bool> &flags, size_t from, size_t to) {
  return std::count(flags.begin() + from, flags.begin() + to, true);
}

bool says(const Launches &run, const std::string &text) {
  return run.outcome.err.find(text) != std::string::npos;
}

/// `meld cache list --json`, the entries with that verdict.
json entries(const TemporaryFolder &folder, const std::string &verdict) {
  const Outcome list = run({bin + "/meld", "cache", "list", "--format=json"},
                           {{"MELD_CACHE_DIR", folder / "cache"}});
  json found = json::array();
  for (const json &entry : json::parse(list.out))
    if (entry["verdict"] == verdict)
      found.push_back(entry);
  return found;
}

} // namespace

// The host cannot be given the version of this kernel, which has fewer waves on a SIMD than the
// original, so that every run has to look at packets for it.
TEST(Choice, AVersionThatCannotBeServedRunsInEveryNextRun) {
  TemporaryFolder folder;
  const auto nest = [&](const char *launches) {
    const Outcome o = run(
        {bin + "/hip/pixel_nest", "--pattern", "skewed", "--size", "small", "--repeat", launches},
        environmentOf(folder));
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    return o.err;
  };
  const std::string first = nest("60");
  ASSERT_NE(first.find("1 of 1 kernel runs a faster version"), std::string::npos) << first;
  for (int next = 1; next <= 3; ++next) {
    const std::string said = nest("4");
    EXPECT_EQ(said.find("not served as"), std::string::npos) << next << ": " << said;
    EXPECT_NE(said.find("1 of 1 kernel runs a faster version"), std::string::npos)
        << next << ": " << said;
  }
}

TEST(Choice, TheFasterVersionIsFoundAndRunsAtOnceInTheNextRun) {
  TemporaryFolder folder;
  const Launches first = choice("gains", 200, folder);
  ASSERT_EQ(first.replaced.size(), 200u) << first.outcome.err;
  EXPECT_EQ(count(first.replaced, 0, 7), 0u); // nothing is made of what is launched a few times
  EXPECT_GT(count(first.replaced, 100, 200), 90u) << first.outcome.err;
  EXPECT_LT(first.cycles.back(), first.cycles.front() * 0.9);
  EXPECT_TRUE(says(first, "1 of 1 kernel runs a faster version")) << first.outcome.err;

  const Launches second = choice("gains", 200, folder);
  ASSERT_EQ(second.replaced.size(), 200u);
  EXPECT_EQ(count(second.replaced, 0, 200), 200u) << second.outcome.err;
  EXPECT_FALSE(says(second, "compiled in")) << second.outcome.err;
  EXPECT_TRUE(says(second, "served as "))
      << second.outcome.err; // nothing is open: no look at launches
  EXPECT_TRUE(says(second, "1 code objects with bitcode, 1 without")) // the other is HIP's own
      << second.outcome.err;
  EXPECT_TRUE(says(second, "kernels served as a version 1")) << second.outcome.err;
}

// For bands: other values of the timing model, and the choice of the model's own.
TEST(Choice, HoldsUnderVariedTimingAndNotUnderOther) {
  TemporaryFolder folder;
  const Launches first = choice("gains", 200, folder);
  ASSERT_EQ(first.cycles.size(), 200u) << first.outcome.err;
  const Launches varied = choice("gains", 4, folder, {{"MELD_GPU_TIMING_VARIED", "valu=9"}});
  ASSERT_EQ(varied.replaced.size(), 4u);
  EXPECT_EQ(count(varied.replaced, 0, 4), 4u) << varied.outcome.err;
  EXPECT_GT(varied.cycles.back(), first.cycles.back());
  const Launches other = choice("gains", 4, folder, {{"MELD_GPU_TIMING_PARAMS", "valu=9"}});
  ASSERT_EQ(other.replaced.size(), 4u);
  EXPECT_EQ(count(other.replaced, 0, 4), 0u) << other.outcome.err;
  const Launches both =
      choice("gains", 4, folder,
             {{"MELD_GPU_TIMING_PARAMS", "valu=9"}, {"MELD_GPU_TIMING_VARIED", "valu=4"}});
  EXPECT_EQ(both.cycles, other.cycles) << "what is set holds";
}

TEST(Choice, WhatIsSlowerIsNotKept) {
  TemporaryFolder folder;
  const Launches first = choice("loses", 300, folder, {{"MELD_FORCE", "1"}});
  ASSERT_EQ(first.replaced.size(), 300u) << first.outcome.err;
  EXPECT_TRUE(says(first, "version of loses as ")) << first.outcome.err; // there was one to try
  EXPECT_EQ(count(first.replaced, 150, 300), 0u) << first.outcome.err;
  const Launches second = choice("loses", 300, folder, {{"MELD_FORCE", "1"}});
  EXPECT_EQ(count(second.replaced, 0, 300), 0u) << second.outcome.err;
}

TEST(Choice, VersionsShareTheModulesVariables) {
  TemporaryFolder folder;
  const Launches run = choice("counts", 200, folder); // the program itself compares
  EXPECT_GT(count(run.replaced, 100, 200), 90u) << run.outcome.err;
}

TEST(Choice, OtherDataOtherChoice) {
  TemporaryFolder folder;
  // With one side alone nothing is gained; then there is.
  const Launches run = choice("turns", 600, folder);
  ASSERT_EQ(run.replaced.size(), 600u);
  EXPECT_GT(count(run.replaced, 500, 600), 95u) << run.outcome.err; // but for controls
}

// What has won with other data may be slower with these: somebody has to look.
TEST(Choice, WhoseTimesHaveChangedIsLookedAtInTheNextRun) {
  TemporaryFolder folder;
  choice("turns", 300, folder);
  const Launches next = choice("turns:same", 150, folder);
  ASSERT_EQ(next.replaced.size(), 150u);
  EXPECT_LT(count(next.replaced, 110, 150), 5u) << next.outcome.err;
}

TEST(Choice, WhatIsServedIsLookedAtAgainInALaterRun) {
  TemporaryFolder folder;
  choice("turns:mixed", 60, folder);
  const Launches served = choice("turns:same", 10, folder);
  EXPECT_EQ(count(served.replaced, 0, 10), 10u) << served.outcome.err;
  const Launches looked = choice("turns:same", 150, folder);
  ASSERT_EQ(looked.replaced.size(), 150u);
  EXPECT_LT(count(looked.replaced, 110, 150), 5u) << looked.outcome.err;
}

TEST(Choice, TheSameInEachRun) {
  TemporaryFolder one, two;
  const Launches a = choice("gains", 120, one), b = choice("gains", 120, two);
  EXPECT_EQ(a.replaced, b.replaced);
  EXPECT_EQ(a.cycles, b.cycles);
}

TEST(Choice, AProgramThatEndsDuringATrialGoesOnInItsNextRun) {
  TemporaryFolder folder;
  EXPECT_EQ(count(choice("gains", 20, folder).replaced, 0, 7), 0u);
  const Launches next = choice("gains", 100, folder);
  ASSERT_EQ(next.replaced.size(), 100u);
  EXPECT_GT(count(next.replaced, 60, 100), 35u) << next.outcome.err;
}

// Fourteen launches have a handful of pairs, and twelve are needed.
TEST(Choice, RunsThatAreTooShortToDecideDecideTogether) {
  TemporaryFolder folder;
  unsigned runs = 0;
  while (++runs < 12 && count(choice("gains", 14, folder).replaced, 0, 14) < 14) {
  }
  EXPECT_GT(runs, 2u);
  EXPECT_LT(runs, 8u);
}

// All of a program's launches may be there before the first version is: the next run tries what was made.
TEST(Choice, VersionsThatCameTooLateAreTriedInTheNextRun) {
  TemporaryFolder folder;
  const Launches first = choice("gains", 12, folder, {{"MELD_COMPILE_BUDGET_MS", "1000"}}, "late");
  EXPECT_EQ(count(first.replaced, 0, first.replaced.size()), 0u) << first.outcome.err;
  const Launches next = choice("gains", 200, folder);
  EXPECT_GT(count(next.replaced, 0, next.replaced.size()), 50u) << next.outcome.err;
}

TEST(Choice, NothingIsMadeOfWhatIsLaunchedSeldom) {
  TemporaryFolder folder;
  const Launches run = choice("gains", 7, folder);
  EXPECT_EQ(count(run.replaced, 0, 7), 0u);
  EXPECT_FALSE(says(run, "compiled in")) << run.outcome.err;
}

TEST(Choice, NoMoreVersionsThanAllowed) {
  TemporaryFolder folder;
  const Launches run = choice("gains", 60, folder, {{"MELD_VERSIONS", "1"}});
  EXPECT_EQ(count(run.replaced, 0, 60), 0u);
  EXPECT_FALSE(says(run, "is tried from now on")) << run.outcome.err;
}

TEST(Choice, WithoutModelledTimeItIsDecidedAtLoad) {
  TemporaryFolder folder;
  const Launches run = choice("gains", 20, folder, {{"MELD_GPU_TIMING", "0"}});
  ASSERT_EQ(run.replaced.size(), 20u);
  EXPECT_EQ(count(run.replaced, 0, 20), 20u) << run.outcome.err;
}

TEST(Choice, WhatWasMeasuredIsInTheCacheForPeople) {
  TemporaryFolder folder;
  choice("gains", 200, folder);
  const json measured = entries(folder, "measured");
  ASSERT_EQ(measured.size(), 2u) << measured; // of the code object, of the program
  bool found = false;
  for (const json &entry : measured) {
    const Outcome shown =
        run({bin + "/meld", "cache", "show", entry["key"]}, {{"MELD_CACHE_DIR", folder / "cache"}});
    EXPECT_EQ(shown.exitCode, 0);
    found |= shown.out.find("gains") != std::string::npos &&
             shown.out.find("of the original's time") != std::string::npos;
  }
  EXPECT_TRUE(found);
  const Outcome explained =
      run({bin + "/meld", "explain", "gains"}, {{"MELD_CACHE_DIR", folder / "cache"}});
  EXPECT_EQ(explained.exitCode, 0) << explained.err;
  EXPECT_NE(explained.out.find("measured)"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("a version: melded"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("of the original's time"), std::string::npos) << explained.out;
}

TEST(Choice, ADamagedRecordIsNone) {
  TemporaryFolder folder;
  choice("gains", 200, folder);
  for (const json &entry : entries(folder, "measured")) {
    const std::string key = entry["key"];
    const std::string path =
        folder / ("cache/v2/" + key.substr(0, 1) + "/" + key.substr(1, 1) + "/" + key);
    std::string bytes = readFile(path);
    ASSERT_GT(bytes.size(), 100u);
    bytes[100] = static_cast<char>(bytes[100] ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  const Launches again = choice("gains", 200, folder);
  EXPECT_EQ(count(again.replaced, 0, 7), 0u); // found out anew
  EXPECT_GT(count(again.replaced, 100, 200), 90u) << again.outcome.err;
}

TEST(Choice, AKernelThatIsLeftOutHasNoVersions) {
  TemporaryFolder folder;
  const Launches run = choice("gains", 40, folder, {{"MELD_KERNEL_EXCLUDE", "gains"}});
  EXPECT_EQ(count(run.replaced, 0, 40), 0u) << run.outcome.err;
  EXPECT_FALSE(says(run, "is tried from now on")) << run.outcome.err;
}

TEST(Choice, VersionsFromAProcessOfTheCompilersOwn) {
  TemporaryFolder folder;
  const Launches run = choice("gains", 100, folder, {{"MELD_COMPILER", "process"}});
  EXPECT_GT(count(run.replaced, 60, 100), 30u) << run.outcome.err;
}

// Nobody waits: the originals run until there is something better.
TEST(Choice, InTheBackground) {
  TemporaryFolder folder;
  for (const char *mode : {"async", "sync"}) {
    const Launches run = choice("counts", 400, folder,
                                {{"MELD_COMPILE_MODE", mode}, {"MELD_COMPILE_BUDGET_MS", "1000"}});
    EXPECT_EQ(run.replaced.size(), 400u) << run.outcome.err;
  }
}

// Processes that the program makes while versions are made and tried: each ends at once, what is
// found out is the program's own, and the next run has it.
TEST(Choice, AProgramThatForks) {
  TemporaryFolder without;
  choice("counts", 200, without);
  for (const char *budget : {"0", "1000"}) {
    TemporaryFolder folder;
    const std::map<std::string, std::string> more = {{"MELD_COMPILE_BUDGET_MS", budget}};
    const Launches first = choice("counts", 200, folder, more, "fork");
    ASSERT_EQ(first.replaced.size(), 200u) << first.outcome.err;
    if (budget == std::string("0")) {
      EXPECT_GT(count(first.replaced, 100, 200), 90u) << first.outcome.err;
      EXPECT_EQ(entries(folder, "measured").size(), entries(without, "measured").size());
      const Launches next = choice("counts", 200, folder, more, "fork");
      EXPECT_EQ(count(next.replaced, 0, 7), 7u) << next.outcome.err;
    }
  }
}

// A tool that makes intercept queues of its own, as profilers do: it sees every launch, and the
// choice is what it is without the tool.
TEST(Choice, BesideAToolThatIntercepts) {
  TemporaryFolder folder;
  const Launches both = choice("counts", 200, folder, {{"HSA_TOOLS_LIB", lib + "/adaptother.so"}});
  ASSERT_EQ(both.replaced.size(), 200u) << both.outcome.err;
  EXPECT_GT(count(both.replaced, 100, 200), 90u) << both.outcome.err;
  EXPECT_TRUE(says(both, "other: some queues")) << both.outcome.err;
  EXPECT_FALSE(says(both, " 0 dispatches")) << both.outcome.err;
}

// What ROCr computes for us must not end a program that has made traps of invalid operations, and
// threads of ours, which would begin with its state, must not fail on the folding of log(0).
TEST(Choice, AProgramWithItsOwnFloatingPointState) {
  for (const std::string adapt : {"on", "static"})
    for (const std::string state : {"traps", "upward", "flush"}) {
      TemporaryFolder folder;
      auto environment = environmentOf(folder);
      environment["MELD_ADAPT"] = adapt;
      auto alone = environment;
      alone["LD_PRELOAD"] = lib + "/libmeld-softgpu.so";
      const std::vector<std::string> command = {bin + "/hip/choice_traps", state, "60"};
      const Outcome want = run(command, alone), got = run(command, environment);
      EXPECT_EQ(want.exitCode, 0) << want.out;
      EXPECT_EQ(got.exitCode, 0) << adapt << ' ' << state << ": " << got.out << got.err;
      EXPECT_EQ(got.out, want.out) << adapt << ' ' << state;
      // Was there anything of ours that ran?
      EXPECT_NE(got.err.find(adapt == "on" ? "1 of 1 kernel runs a faster version" : "replaced 1"),
                std::string::npos)
          << adapt << ' ' << state << ": " << got.err;
    }
}

// A program that ends while versions are made.
TEST(Choice, ShortPrograms) {
  TemporaryFolder folder;
  for (int launches : {0, 1, 8, 9, 12})
    choice("gains", launches, folder, {{"MELD_COMPILE_BUDGET_MS", "1000"}});
}

// ---- programs that load and unload, and that use HSA themselves

namespace {

Outcome modules(const std::string &part, const TemporaryFolder &folder,
                std::map<std::string, std::string> more = {}) {
  auto environment = environmentOf(folder);
  environment.erase("MELD_COUNTERS");
  for (const auto &[name, value] : more)
    environment[name] = value;
  return run({bin + "/hip/choice_modules", part, bin + "/hip/choice.hsaco"}, environment);
}

} // namespace

TEST(ChoiceModules, AreUnloadedWhileVersionsAreMadeAndTried) {
  TemporaryFolder folder;
  for (const char *budget : {"0", "1000"}) {
    const Outcome o = modules("modules", folder, {{"MELD_COMPILE_BUDGET_MS", budget}});
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "PASS\n") << o.err;
    // However often it is loaded, it is one kernel.
    EXPECT_NE(o.err.find(" of 1 kernel "), std::string::npos) << o.err;
  }
}

TEST(ChoiceModules, NobodyWaitsForALaunchToUnload) {
  TemporaryFolder folder;
  const Outcome o = modules("blocked", folder);
  EXPECT_EQ(o.out, "PASS\n") << o.err;
  EXPECT_NE(o.err.find("1 of 1 kernel runs a faster version"), std::string::npos) << o.err;
}

TEST(ChoiceModules, AQueueOfHsasOwnHasTheSizeThatWasAskedFor) {
  TemporaryFolder folder;
  EXPECT_EQ(modules("ring", folder).out, "PASS\n");
}
