// Programs under MELD_ADAPT=on and MELD_SPECIALIZE=on, with modelled times: versions for what their
// launches have in common are made and run, and no launch for which that is not so runs one: each
// program compares every result with the host's.
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

using namespace meld::e2e;
using nlohmann::json;

namespace {

const std::string lib = MELD_LIB_DIR, bin = MELD_BIN_DIR;

struct Launches {
  Outcome outcome;
  std::vector<bool> replaced; ///< of each launch of the kernel: did a version of ours run?
  std::vector<uint64_t> cycles;

  bool says(const std::string &text) const { return outcome.err.find(text) != std::string::npos; }
  size_t versions(size_t from, size_t to) const {
    return static_cast<size_t>(std::count(replaced.begin() + static_cast<ptrdiff_t>(from),
                                          replaced.begin() + static_cast<ptrdiff_t>(to), true));
  }
};

std::map<std::string, std::string> environmentOf(const TemporaryFolder &folder) {
  auto environment = meld::e2e::measuredChoice(lib, folder);
  environment["MELD_SPECIALIZE"] = "on";
  return environment;
}

Launches specialise(const std::string &part, int launches, const TemporaryFolder &folder,
                    std::map<std::string, std::string> more = {}, int seed = 1) {
  auto environment = environmentOf(folder);
  for (const auto &[name, value] : more)
    environment[name] = value;
  Launches r;
  r.outcome = run({bin + "/hip/specialise", part, std::to_string(launches), std::to_string(seed)},
                  environment, 600);
  EXPECT_EQ(r.outcome.exitCode, 0) << r.outcome.out << r.outcome.err;
  EXPECT_EQ(r.outcome.out, "PASS\n") << r.outcome.err;
  const json counters = json::parse(readFile(folder / "counters"), nullptr, false);
  if (!counters.is_discarded())
    for (const json &dispatch : counters["dispatches"])
      if (dispatch["kernel"].get<std::string>().find("3runPK") != std::string::npos) {
        r.replaced.push_back(dispatch["replaced"]);
        r.cycles.push_back(dispatch["cycles"]);
      }
  return r;
}

} // namespace

TEST(Specialise, WhatIsAlwaysTheSameCostsNothingAndTheNextRunKnowsIt) {
  TemporaryFolder folder;
  const Launches first = specialise("steady", 200, folder);
  ASSERT_EQ(first.replaced.size(), 200u) << first.outcome.err;
  EXPECT_TRUE(first.says(" specialised for argument ")) << first.outcome.err;
  EXPECT_EQ(first.versions(0, 8), 0u);
  EXPECT_GT(first.versions(120, 200), 70u) << first.outcome.err;
  EXPECT_LT(first.cycles.back(), first.cycles.front());
  // It is loaded in the background, from the cache.
  const Launches second = specialise("steady", 400, folder);
  ASSERT_EQ(second.replaced.size(), 400u);
  EXPECT_GT(second.versions(300, 400), 85u) << second.outcome.err;
  EXPECT_FALSE(second.says("compiled in")) << second.outcome.err;
  EXPECT_LT(*std::min_element(second.cycles.end() - 16, second.cycles.end()), first.cycles.front());
}

// The versions that a run has made, in another run: each launch by the original and by those that are
// for it. There is one for each of two purposes in turns, and so none for all launches.
TEST(Specialise, AreVerified) {
  TemporaryFolder folder;
  specialise("turns", 100, folder);
  const Outcome o = run(
      {bin + "/meld", "verify", "--report", folder / "report.json", "--", bin + "/hip/specialise",
       "turns", "100", "1"},
      {{"MELD_CACHE_DIR", folder / "cache"}, {"MELD_GPU_CUS", "4"}, {"MELD_SERVE", "specialized"}},
      600);
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const json report = json::parse(readFile(folder / "report.json"), nullptr, false);
  ASSERT_TRUE(report.is_object()) << o.err;
  std::set<std::string> facts;
  for (const json &version : report["kernels"]) {
    facts.insert(version["facts"]);
    EXPECT_EQ(version["dispatches"], 100) << version;
    EXPECT_GT(version["equal"], 0) << version;
    const unsigned others = version["notVerified"].value("not for this version", 0u);
    EXPECT_GT(others, 0u) << version;
    EXPECT_EQ(version["equal"].get<unsigned>() + others, 100u) << version;
  }
  EXPECT_GE(facts.size(), 2u) << o.err;
  EXPECT_FALSE(facts.count("")) << o.err;
}

// In the second run everything is there: what is mapped more than without libmeld is libmeld.so alone.
TEST(Specialise, TheNextRunLoadsNoCompiler) {
  for (const std::string part : {"steady", "counts"}) {
    TemporaryFolder folder;
    const std::vector<std::string> program = {bin + "/hip/specialise", part, "300", "1"};
    auto writing = [&](const std::string &file) {
      auto arguments = program;
      arguments.push_back(folder / file);
      return arguments;
    };
    const Outcome plain = run(writing("plain"), {{"LD_PRELOAD", lib + "/libmeld-softgpu.so"},
                                                 {"MELD_GPU_TIMING", "1"},
                                                 {"MELD_GPU_CUS", "4"}});
    EXPECT_EQ(plain.out, "PASS\n") << plain.err;
    const auto environment = environmentOf(folder);
    EXPECT_EQ(run(writing("first"), environment, 600).out, "PASS\n");
    EXPECT_NE(readFile(folder / "first").find("libmeld-jit.so"), std::string::npos);
    const Outcome second = run(writing("second"), environment, 600);
    EXPECT_EQ(second.out, "PASS\n") << second.err;
    EXPECT_NE(second.err.find(" specialised for argument "), std::string::npos) << second.err;
    const auto linesOf = [&](const std::string &file) {
      std::istringstream in(readFile(folder / file));
      return std::set<std::string>{std::istream_iterator<std::string>(in), {}};
    };
    std::set<std::string> more = linesOf("second");
    for (const std::string &one : linesOf("plain"))
      more.erase(one);
    EXPECT_EQ(more, (std::set<std::string>{std::filesystem::canonical(lib + "/libmeld.so")}));
  }
}

TEST(Specialise, OffNothingIsSpecialised) {
  TemporaryFolder folder;
  const Launches run = specialise("steady", 60, folder, {{"MELD_SPECIALIZE", "off"}});
  EXPECT_FALSE(run.says("specialised")) << run.outcome.err;
}

TEST(Specialise, AKernelThatIsLeftOutIsNotSpecialised) {
  TemporaryFolder folder;
  const Launches run = specialise("steady", 60, folder, {{"MELD_KERNEL_EXCLUDE", "run"}});
  EXPECT_EQ(run.versions(0, 60), 0u);
  EXPECT_FALSE(run.says("specialised")) << run.outcome.err;
}

TEST(Specialise, ArgumentsAtRandom) {
  for (int seed = 1; seed <= 3; ++seed) {
    TemporaryFolder folder;
    const Launches run = specialise("random", 1500, folder, {}, seed);
    EXPECT_EQ(run.replaced.size(), 1500u);
  }
}

TEST(Specialise, ArgumentsThatStayForAWhile) {
  TemporaryFolder folder;
  const Launches run = specialise("phases", 1000, folder);
  EXPECT_TRUE(run.says(" specialised for ")) << run.outcome.err;
  EXPECT_GT(run.versions(0, 1000), 200u);
  // At most MELD_VERSIONS are loaded at once, and there is an end to asking.
  size_t asked = 0;
  for (size_t at = 0; (at = run.outcome.err.find(" specialised for ", at)) != std::string::npos;
       ++at)
    ++asked;
  EXPECT_LE(asked, 64u) << run.outcome.err;
}

TEST(Specialise, PurposesInTurnsHaveAVersionEach) {
  TemporaryFolder folder;
  const Launches run = specialise("turns", 400, folder);
  EXPECT_TRUE(run.says("    specialised for argument 36 4 0x2")) << run.outcome.err; // the report
  EXPECT_TRUE(run.says("    specialised for argument 36 4 0x7")) << run.outcome.err;
  EXPECT_GT(run.versions(200, 400), 180u) << run.outcome.err;
}

TEST(Specialise, AnArgumentThatDiffersAtEveryLaunchIsNoFact) {
  TemporaryFolder folder;
  const Launches run = specialise("counts", 300, folder);
  EXPECT_GT(run.versions(150, 300), 100u) << run.outcome.err;
}

TEST(Specialise, GraphsWhoseNodesGetOtherArguments) {
  TemporaryFolder folder;
  specialise("graph", 600, folder);
}

// The children, the streams and the process end while specialised versions run.
TEST(Specialise, EndsOfAllKinds) {
  for (const char *part : {"forks", "streams", "leaves"})
    for (const char *budget : {"0", "1000"}) {
      TemporaryFolder folder;
      const Launches run = specialise(part, 300, folder, {{"MELD_COMPILE_BUDGET_MS", budget}});
      size_t reports = 0;
      for (size_t at = 0; (at = run.outcome.err.find("libmeld report:", at)) != std::string::npos;
           ++at)
        ++reports;
      EXPECT_EQ(reports, 1u) << part << run.outcome.err; // the children's ends are theirs
    }
}

TEST(Specialise, ThreadsWithArgumentsOfTheirOwn) {
  TemporaryFolder folder;
  specialise("threads", 400, folder);
}

// Versions come while the program runs.
TEST(Specialise, InTheBackground) {
  TemporaryFolder folder;
  for (const char *part : {"random", "phases", "threads"})
    specialise(part, 400, folder, {{"MELD_COMPILE_BUDGET_MS", "1000"}}, 7);
}

TEST(Specialise, TwoVersionsAreEnoughForOne) {
  TemporaryFolder folder;
  const Launches run = specialise("phases", 600, folder, {{"MELD_VERSIONS", "2"}});
  EXPECT_GT(run.versions(0, 600), 100u) << run.outcome.err;
}

// The versions that are in memory are bounded, and the report tells how many there are, were and went.
TEST(Specialise, WhatIsLoadedIsBoundedAndTold) {
  for (const unsigned most : {2u, 4u}) {
    TemporaryFolder folder;
    const Launches run =
        specialise("phases", 1500, folder, {{"MELD_VERSIONS", std::to_string(most)}}, 3);
    std::smatch now, atMost, all;
    const std::string count =
        "([0-9]+) versions?, ([0-9]+) KB on devices, [0-9]+ KB of code objects";
    ASSERT_TRUE(
        std::regex_search(run.outcome.err, now,
                          std::regex("loaded beside the originals: " + count)) &&
        std::regex_search(run.outcome.err, atMost, std::regex("at most at one time: " + count)) &&
        std::regex_search(run.outcome.err, all,
                          std::regex("in all: ([0-9]+) loaded, ([0-9]+) unloaded")))
        << run.outcome.err;
    const auto number = [](const std::smatch &match, unsigned i) { return std::stoul(match[i]); };
    EXPECT_EQ(number(all, 1) - number(all, 2), number(now, 1)) << run.outcome.err;
    EXPECT_GE(number(now, 2), 4 * number(now, 1));
    EXPECT_GE(number(atMost, 2), number(now, 2));
    // One more while one takes another's place, and one that has left and may be under way.
    EXPECT_LE(number(atMost, 1), most + 1) << run.outcome.err;
    EXPECT_GT(number(all, 2), 0u) << run.outcome.err;
  }
}
