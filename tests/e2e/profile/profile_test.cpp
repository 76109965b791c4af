// meld profile and MELD_PROFILE on whole programs. What has to be counted is worked out here, or by the
// program itself.
#include "runtime/profile/profile.h"
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <regex>

namespace meld::e2e {
namespace {

namespace fs = std::filesystem;

const std::string kMeld = MELD_BIN_DIR "/meld";

std::string programOf(const std::string &name) { return MELD_BIN_DIR "/hip/" + name; }

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

struct MeldProfile : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("meld-profile-test-" + std::to_string(getpid()));
  MeldProfile() { fs::create_directories(folder); }
  ~MeldProfile() override { fs::remove_all(folder); }

  Outcome meld(std::vector<std::string> arguments,
               std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), kMeld);
    environment.emplace("MELD_CACHE_DIR", folder / "cache");
    environment.emplace("MELD_COMPILE_BUDGET_MS", "0");
    environment.emplace("TMPDIR", folder);
    return run(arguments, environment);
  }
  Outcome recorded(const std::string &program, const std::string &output) const {
    const Outcome o =
        meld({"profile", "--device", "software", "-o", output, "--", programOf(program)});
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_NE(o.out.find("PASS"), std::string::npos) << "the program's own output";
    return o;
  }
  profile::Profile profileOf(const std::string &program) const {
    const std::string file = folder / (program + ".meldprof");
    recorded(program, file);
    auto profile = profile::parseProfile(textOf(file));
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? *profile : profile::Profile();
  }
  /// With libmeld on the software GPU, and a report.
  Outcome used(const std::string &program, const std::string &profile) const {
    const Outcome o = meld({"run", "--device", "software", "--", programOf(program)},
                           {{"MELD_PROFILE", profile}, {"MELD_REPORT", "1"}});
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_NE(o.out.find("PASS"), std::string::npos) << o.err;
    return o;
  }
};

TEST_F(MeldProfile, LaunchesAreCountedAndKernelsThatNeverRanAreThere) {
  const profile::Profile profile = profileOf("many_kernels");
  ASSERT_EQ(profile.objects.size(), 1u);
  const auto &kernels = profile.objects[0].kernels;
  ASSERT_EQ(kernels.size(), 40u);
  for (const profile::Kernel &kernel : kernels) {
    // run<3>(), run<17>() twice and run<31>(); each of 256 threads
    uint64_t launches = 0;
    for (const auto &[n, times] : std::map<int, int>{{3, 1}, {17, 2}, {31, 1}})
      if (kernel.name.find("ILj" + std::to_string(n) + "E") != std::string::npos)
        launches = times;
    EXPECT_EQ(kernel.launches, launches) << kernel.name;
    EXPECT_EQ(kernel.waves, launches * 256 / 64) << kernel.name;
  }
}

/// The program's line "NAME word number word number ...".
std::map<std::string, uint64_t> countedBy(const std::string &out, const std::string &name) {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != name)
      continue;
    std::map<std::string, uint64_t> counts;
    for (uint64_t number = 0; words >> word >> number;)
      counts[word] = number;
    return counts;
  }
  return {};
}

/// Is there a branch with just these counts, whichever side is called yes?
bool hasBranch(const profile::Function &function, std::map<std::string, uint64_t> expected) {
  return std::ranges::any_of(function.branches, [&](const profile::Branch &branch) {
    if (!branch.knowsBoth() || branch.executions != expected["executions"] ||
        branch.both() != expected["both"] ||
        function.blocks[branch.block].lanes != expected["lanes"])
      return false;
    const uint64_t first = branch.edges[0].count.lanes, second = branch.edges[1].count.lanes;
    return first + second == expected["lanes"] &&
           (first == expected["yes"] || second == expected["yes"]);
  });
}

// What the host has counted for the same data is what the profile says.
TEST_F(MeldProfile, BlocksBranchesAndLoopsAreCountedAsOnTheHost) {
  const std::string file = folder / "counted.meldprof";
  const Outcome o = recorded("counted", file);
  const auto profile = profile::parseProfile(textOf(file));
  ASSERT_TRUE(profile) << profile.error().message;
  const profile::Kernel &kernel = profile->objects.at(0).kernels.at(0);
  EXPECT_EQ(kernel.waves, countedBy(o.out, "guard")["executions"]);
  const auto functionWith = [&](const std::string &part) -> const profile::Function * {
    const auto it = std::ranges::find_if(kernel.functions, [&](const profile::Function &f) {
      return f.name.find(part) != std::string::npos;
    });
    return it == kernel.functions.end() ? nullptr : &*it;
  };
  const profile::Function *own = functionWith("counted"), *helper = functionWith("mixed");
  ASSERT_TRUE(own);
  ASSERT_TRUE(helper);
  EXPECT_TRUE(hasBranch(*helper, countedBy(o.out, "helper")));
  EXPECT_TRUE(hasBranch(*own, countedBy(o.out, "single")));
  EXPECT_TRUE(hasBranch(*own, countedBy(o.out, "guard")));
  // The loop's test comes first, so that its header runs once more than its body.
  auto loop = countedBy(o.out, "loop");
  EXPECT_TRUE(std::ranges::any_of(own->loops, [&](const profile::Loop &one) {
    return one.entries == loop["entries"] && one.laneEntries == loop["laneEntries"] &&
           one.rounds == loop["entries"] + loop["rounds"] &&
           one.laneRounds == loop["laneEntries"] + loop["laneRounds"];
  })) << textOf(file);
  EXPECT_TRUE(std::ranges::count(own->blocks, profile::Count{loop["rounds"], loop["laneRounds"]}))
      << "its body";
}

TEST_F(MeldProfile, WhatNeverRanIsNotCompiled) {
  const std::string file = folder / "many.meldprof";
  recorded("many_kernels", file);
  const Outcome with = used("many_kernels", file);
  EXPECT_NE(with.err.find("kernels served as a version 3;"), std::string::npos) << with.err;
  // Only of the three there is anything in the cache: one entry each.
  const Outcome list = meld({"cache", "list", "--format", "json"});
  EXPECT_EQ(count(list.out, "\"key\""), 3u) << list.out;
  // As without: everything is compiled, and replaced.
  const Outcome without = used("many_kernels", "");
  EXPECT_NE(without.err.find("replaced 1"), std::string::npos) << without.err;
}

TEST_F(MeldProfile, AutoFindsWhatWasKeptInTheCacheFolder) {
  const Outcome before = used("many_kernels", "auto");
  EXPECT_NE(before.err.find("replaced 1"), std::string::npos) << before.err;
  recorded("many_kernels", "auto");
  const Outcome o = used("many_kernels", "auto");
  EXPECT_NE(o.err.find("kernels served as a version 3;"), std::string::npos) << o.err;
}

TEST_F(MeldProfile, WhatDoesNotFitIsToldOnceAndIgnored) {
  const std::string file = folder / "many.meldprof";
  recorded("many_kernels", file);
  std::string text = textOf(file);
  const auto expectIgnored = [&](const std::string &path, const std::string &why) {
    fs::remove_all(folder / "cache");
    const Outcome o = used("many_kernels", path);
    EXPECT_EQ(count(o.err, "MELD_PROFILE"), 1u) << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("replaced 1"), std::string::npos) << o.err;
  };
  expectIgnored(folder / "none.meldprof", "cannot be opened");
  std::ofstream(folder / "cut.meldprof") << text.substr(0, text.size() / 2);
  expectIgnored(folder / "cut.meldprof", "not a profile");
  // Of other code: another hash.
  const size_t hash = text.find("\"hash\": \"") + 9;
  text[hash] = text[hash] == '0' ? '1' : '0';
  std::ofstream(folder / "other.meldprof") << text;
  expectIgnored(folder / "other.meldprof", "knows nothing of a code object");
}

// Of another compiler, or with options that change the code before it is counted.
TEST_F(MeldProfile, CountsOfOtherBranchesAreToldOnceAndIgnored) {
  const std::string file = folder / "counted.meldprof";
  recorded("counted", file);
  std::string text = textOf(file);
  for (size_t at = text.find("\"cfg\": \""); at != std::string::npos;
       at = text.find("\"cfg\": \"", at + 1))
    text[at + 8] = text[at + 8] == '0' ? '1' : '0';
  std::ofstream(file) << text;
  const Outcome o = used("counted", file);
  EXPECT_EQ(count(o.err, "other branches now"), 1u) << o.err;
}

TEST_F(MeldProfile, HelpNamesIt) {
  EXPECT_NE(meld({"--help"}).out.find("profile"), std::string::npos);
  const std::string help = meld({"profile", "--help"}).out;
  EXPECT_TRUE(std::regex_search(help, std::regex("-o, *--output"))) << help;
  EXPECT_NE(meld({"manual"}).out.find("MELD_PROFILE"), std::string::npos);
}

TEST_F(MeldProfile, WrongUse) {
  EXPECT_EQ(meld({"profile"}).exitCode, 2);
  EXPECT_EQ(meld({"profile", "--device", "other", "--", "/bin/true"}).exitCode, 2);
  const Outcome none =
      meld({"profile", "--device", "software", "-o", folder / "p", "--", "/bin/true"});
  EXPECT_EQ(none.exitCode, 3) << none.err;
  EXPECT_FALSE(fs::exists(folder / "p"));
}

// What cannot be written is told before the program has run, perhaps for hours.
TEST_F(MeldProfile, NowhereToWrite) {
  for (const fs::path &output : {folder / "none" / "p", folder}) {
    const Outcome o = meld(
        {"profile", "--device", "software", "-o", output, "--", "/bin/sh", "-c", "echo it ran"});
    EXPECT_EQ(o.exitCode, 1) << o.err;
    EXPECT_NE(o.err.find(output), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "");
  }
}

} // namespace
} // namespace meld::e2e
