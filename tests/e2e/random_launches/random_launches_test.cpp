// Launches whose arguments change at random: each leaves the same bytes in memory as without libmeld,
// while versions specialised for what they have in common come, run, and go. The sequence depends on a
// seed; what is right, the same program says, alone on the device.
#include "tests/e2e/process.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

using namespace meld::e2e;
using nlohmann::json;

namespace {

const std::string lib = MELD_LIB_DIR, program = std::string(MELD_BIN_DIR) + "/hip/random_launches";
constexpr unsigned kKernels = 22;

struct Part {
  std::string way;
  unsigned launches, kernels, seed;
  std::vector<std::string> arguments(const std::string &digests) const {
    return {program, way, std::to_string(launches), std::to_string(seed), std::to_string(kernels),
            digests};
  }
};

std::string alone(const Part &part, const TemporaryFolder &folder) {
  const Outcome run = meld::e2e::run(part.arguments(folder / "right"),
                                     {{"LD_PRELOAD", lib + "/libmeld-softgpu.so"}}, 600);
  EXPECT_EQ(run.out, "PASS\n") << run.err;
  return readFile(folder / "right");
}

/// The launch of that number, in words.
std::string describe(const Part &part, size_t number, const TemporaryFolder &folder) {
  auto arguments = part.arguments(folder / "ignored");
  arguments.push_back(std::to_string(number));
  return run(arguments, {{"LD_PRELOAD", lib + "/libmeld-softgpu.so"}}, 600).out;
}

/// Of specialised versions, in what the report tells.
struct Told {
  unsigned versions = 0, chosen = 0;
  uint64_t held = 0, other = 0;
  uint64_t replaced = 0; ///< launches that ran a version of any kind
};

Told told(const std::string &report, const std::string &counters) {
  Told told;
  const std::regex use(": so were ([0-9]+) launches, ([0-9]+) were not");
  for (std::sregex_iterator at(report.begin(), report.end(), use), end; at != end; ++at) {
    ++told.versions;
    told.held += std::stoull((*at)[1]);
    told.other += std::stoull((*at)[2]);
  }
  const std::regex chosen(": specialized for ");
  told.chosen = static_cast<unsigned>(
      std::distance(std::sregex_iterator(report.begin(), report.end(), chosen), {}));
  const json all = json::parse(counters, nullptr, false);
  if (!all.is_discarded())
    for (const json &dispatch : all["dispatches"])
      told.replaced += dispatch["replaced"].get<bool>();
  return told;
}

Told compare(const Part &part, const std::map<std::string, std::string> &more = {}) {
  const TemporaryFolder folder;
  const std::string right = alone(part, folder);
  auto environment = meld::e2e::measuredChoice(lib, folder);
  environment["MELD_SPECIALIZE"] = "on";
  environment["MELD_LOG_LEVEL"] = "warning";
  for (const auto &[name, value] : more)
    environment[name] = value;
  const Outcome run = meld::e2e::run(part.arguments(folder / "got"), environment, 1800);
  EXPECT_EQ(run.exitCode, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "PASS\n") << run.err;
  const std::string got = readFile(folder / "got");
  EXPECT_EQ(right.size() / 8, part.way == "threads" ? part.launches / 3 * 3 : part.launches);
  EXPECT_EQ(got.size(), right.size());
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i + 8 <= std::min(right.size(), got.size()); i += 8)
    if (right.compare(i, 8, got, i, 8) != 0 && wrong++ == 0)
      first = i / 8;
  EXPECT_EQ(wrong, 0u) << part.way << ", seed " << part.seed << ": "
                       << (part.way == "threads" ? "launch " + std::to_string(first) + "\n"
                                                 : describe(part, first, folder))
                       << run.err;
  return told(run.err, readFile(folder / "counters"));
}

/// What is compared has to have happened. A guard that holds for too many launches is for the bytes
/// to find, not for these numbers.
void expectUse(const Told &told, const Part &part) {
  EXPECT_GE(told.versions, part.kernels / 2);
  EXPECT_GE(told.chosen, part.kernels / 4);
  EXPECT_GT(told.held, part.launches / 8);
  EXPECT_GT(told.replaced, part.launches / 8);
}

void compareAndExpectUse(const Part &part, const std::map<std::string, std::string> &more = {}) {
  SCOPED_TRACE(part.way + ", seed " + std::to_string(part.seed));
  const Told told = compare(part, more);
  expectUse(told, part);
  std::printf("%s, seed %u: %u launches, %llu ran a version; %u specialised versions, whose facts "
              "held %llu times and did not %llu times; best in %u classes\n",
              part.way.c_str(), part.seed, part.launches,
              static_cast<unsigned long long>(told.replaced), told.versions,
              static_cast<unsigned long long>(told.held),
              static_cast<unsigned long long>(told.other), told.chosen);
}

/// HIP 6 puts the arguments of graphs into the device's memory, where no version is chosen for
/// them, unless it is told this.
const std::map<std::string, std::string> kArgumentsOfGraphs = {
    {"DEBUG_CLR_GRAPH_PACKET_CAPTURE", "0"}};

} // namespace

TEST(RandomLaunches, InAStream) { compareAndExpectUse({"one", 3000, kKernels, 1}); }

TEST(RandomLaunches, InEveryWayThereIs) { compareAndExpectUse({"mixed", 2400, 10, 2}); }

TEST(RandomLaunches, GraphsWhoseNodesGetOtherParameters) {
  compareAndExpectUse({"graph", 1600, 8, 3}, kArgumentsOfGraphs);
  compare({"graph", 800, 8, 31});
}

TEST(RandomLaunches, OfThreads) { compareAndExpectUse({"threads", 1500, 6, 4}); }

// Versions come, and leave their places to others, while launches of them are under way.
TEST(RandomLaunches, VersionsInTheBackground) {
  for (const char *way : {"one", "mixed"})
    compare({way, 2000, 8, 5}, {{"MELD_COMPILE_BUDGET_MS", "1000"}, {"MELD_VERSIONS", "3"}});
}

// What earlier runs have made and decided is there from the first launch on; launches are others.
TEST(RandomLaunches, WithTheCacheOfOtherRuns) {
  const TemporaryFolder cache;
  for (const unsigned seed : {7, 18, 7, 29}) // which have their kernels in common
    compare({seed == 18 ? "mixed" : "one", 700, 6, seed}, {{"MELD_CACHE_DIR", cache.path()}});
}

// Where the argument blocks lie, HIP's settings say.
TEST(RandomLaunches, ArgumentsInOtherMemory) {
  compare({"one", 600, 6, 6}, {{"HIP_FORCE_DEV_KERNARG", "1"}, {"ROC_USE_FGS_KERNARG", "0"}});
}

// 100,000 of them, for the long run. Seeds of their own.
TEST(RandomLaunches, DISABLED_ManyInAStream) {
  for (unsigned seed = 11; seed <= 14; ++seed)
    compareAndExpectUse({"one", 10000, kKernels, seed});
}
TEST(RandomLaunches, DISABLED_ManyInEveryWayThereIs) {
  for (unsigned seed = 21; seed <= 23; ++seed)
    compareAndExpectUse({"mixed", 10000, kKernels, seed});
}
TEST(RandomLaunches, DISABLED_ManyInGraphs) {
  for (unsigned seed = 31; seed <= 32; ++seed)
    compareAndExpectUse({"graph", 8000, kKernels, seed}, kArgumentsOfGraphs);
}
TEST(RandomLaunches, DISABLED_ManyOfThreads) {
  for (unsigned seed = 41; seed <= 42; ++seed)
    compareAndExpectUse({"threads", 7200, kKernels, seed});
}
