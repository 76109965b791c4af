// Several devices in one process, plain and under libmeld: results, code objects, cache, counters,
// and what is said when things go wrong. The programs are agents.hip and managed.hip.
#include "tests/e2e/process.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace meld::e2e;
using nlohmann::json;
using Environment = std::map<std::string, std::string>;

namespace {

const std::string lib = MELD_LIB_DIR, bin = MELD_BIN_DIR;
const std::string agents = bin + "/hip/agents", managed = bin + "/hip/agents_managed";
const std::vector<std::string> everyPart = {"devices", "turns", "threads",  "globals",
                                            "copies",  "peers", "together", "compiled"};

/// The software GPU alone.
Environment plain(const std::string &devices) {
  return {{"LD_PRELOAD", lib + "/libmeld-softgpu.so"}, {"MELD_GPU", devices}};
}

/// libmeld on the software GPU, with a cache of its own; compiling may take as long as a busy
/// machine makes it.
Environment melded(const std::string &devices, const TemporaryFolder &folder) {
  return {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
          {"MELD_GPU", devices},
          {"MELD_CACHE_DIR", folder / "cache"},
          {"MELD_LOG_LEVEL", "info"},
          {"MELD_REPORT", "1"},
          {"MELD_COMPILE_BUDGET_MS", "0"}};
}

Outcome runParts(const std::vector<std::string> &parts, const Environment &environment) {
  std::vector<std::string> command = {agents};
  command.insert(command.end(), parts.begin(), parts.end());
  return run(command, environment);
}

std::string passes(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += "PASS " + part + "\n";
  return text;
}

size_t occurrences(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

std::string replacedFor(const std::string &device, const std::string &source) {
  return "replaced code object for amdgcn-amd-amdhsa--" + device + " (" + source + ")";
}

class Devices : public testing::TestWithParam<const char *> {};

TEST_P(Devices, AllPartsPass) {
  const Outcome o = runParts(everyPart, plain(GetParam()));
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  EXPECT_EQ(o.out, passes(everyPart));
  EXPECT_EQ(o.err, "");
}

TEST_P(Devices, AllPartsPassUnderLibmeld) {
  TemporaryFolder folder;
  for (int round = 0; round < 2; ++round) { // compiled, then from the cache
    const Outcome o = runParts(everyPart, melded(GetParam(), folder));
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    EXPECT_EQ(o.out, passes(everyPart)) << o.err;
    EXPECT_EQ(o.err.find("failed "), o.err.rfind("failed 0")) << o.err;
  }
}

TEST_P(Devices, AManagedVariableIsOne) {
  TemporaryFolder folder;
  for (const Environment &environment : {plain(GetParam()), melded(GetParam(), folder)}) {
    const Outcome o = run({managed}, environment);
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_EQ(o.out, "PASS\n") << o.err;
  }
}

TEST_P(Devices, ForkedChildrenHaveThemAll) {
  TemporaryFolder folder;
  for (const Environment &environment : {plain(GetParam()), melded(GetParam(), folder)}) {
    const Outcome o = runParts({"forked"}, environment);
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_EQ(o.out, "PASS forked\n") << o.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, Devices,
                         testing::Values("gfx90a,gfx900", "gfx900,gfx90a", "gfx90a,gfx90a",
                                         "gfx900,gfx90a,gfx900"),
                         [](const auto &p) {
                           std::string name = p.param;
                           std::replace(name.begin(), name.end(), ',', '_');
                           return name;
                         });

/// Instructions that a kernel issued, by device, and whether its code was libmeld's.
struct Issued {
  std::map<std::string, uint64_t> instructions;
  std::map<std::string, std::set<bool>> replaced;
};
Issued issuedBy(const std::string &kernel, Environment environment, const TemporaryFolder &folder) {
  environment["MELD_COUNTERS"] = folder / "counters.json";
  const Outcome o = runParts({"turns"}, environment);
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  Issued issued;
  const json data = json::parse(readFile(folder / "counters.json"), nullptr, false);
  EXPECT_FALSE(data.is_discarded());
  for (const json &d : data["dispatches"])
    if (d["kernel"].get<std::string>().find(kernel) != std::string::npos) {
      const std::string device = d["device"];
      issued.instructions[device] += d["counters"]["SQ_INSTS"].get<uint64_t>();
      issued.replaced[device].insert(d["replaced"].get<bool>());
    }
  return issued;
}

/// What `meld cache` says, in JSON.
json meldCache(const std::vector<std::string> &verb, const TemporaryFolder &folder) {
  std::vector<std::string> command = {bin + "/meld", "cache"};
  command.insert(command.end(), verb.begin(), verb.end());
  command.push_back("--format=json");
  const Outcome o = run(command, {{"MELD_CACHE_DIR", folder / "cache"}});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  return json::parse(o.out, nullptr, false);
}

// Each code object is melded for its own processor, and kept as an entry of its own.
TEST(Agents, EachProcessorGetsItsOwnMeldedCode) {
  TemporaryFolder folder;
  for (const std::string source : {"compiled", "cache"}) {
    const Outcome o = runParts({"turns"}, melded("gfx90a,gfx900", folder));
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    for (const std::string device : {"gfx90a", "gfx900"})
      EXPECT_EQ(occurrences(o.err, replacedFor(device, source)), 1u) << o.err;
    EXPECT_NE(o.err.find("replaced 2, unchanged 0, failed 0, late 0"), std::string::npos) << o.err;
  }
  std::set<std::string> processors;
  for (const json &entry : meldCache({"list"}, folder)) {
    const json shown = meldCache({"show", entry["key"]}, folder)["metadata"];
    processors.insert(shown["isa"].get<std::string>());
    for (const json &kernel : shown["kernels"])
      if (kernel["name"].get<std::string>().find("branchy") != std::string::npos) {
        EXPECT_TRUE(kernel["melded"].get<bool>());
      }
  }
  EXPECT_EQ(processors,
            (std::set<std::string>{"amdgcn-amd-amdhsa--gfx900", "amdgcn-amd-amdhsa--gfx90a"}));
}

TEST(Agents, TheMeldedBranchIssuesFewerInstructionsOnEveryDevice) {
  TemporaryFolder folder;
  const Issued before = issuedBy("branchy", plain("gfx90a,gfx900"), folder);
  const Issued after = issuedBy("branchy", melded("gfx90a,gfx900", folder), folder);
  for (const std::string device : {"gfx90a", "gfx900"}) {
    EXPECT_EQ(before.replaced.at(device), std::set<bool>{false});
    EXPECT_EQ(after.replaced.at(device), std::set<bool>{true});
    // The two sides are one computation with other constants.
    EXPECT_LT(after.instructions.at(device) * 4, before.instructions.at(device) * 3) << device;
  }
}

// Two devices of one kind: compiled once.
TEST(Agents, EqualDevicesShareAnEntry) {
  TemporaryFolder folder;
  const Outcome o = runParts({"turns"}, melded("gfx900,gfx900", folder));
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  EXPECT_EQ(occurrences(o.err, replacedFor("gfx900", "compiled")), 1u) << o.err;
  EXPECT_EQ(occurrences(o.err, "replaced code object for"), 2u) << o.err;
}

} // namespace
