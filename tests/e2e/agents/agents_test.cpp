// Several devices in one process, plain and under libmeld: results, code objects, cache, counters,
// and what is said when things go wrong. The programs are agents.hip, limits.hip and managed.hip.
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
const std::string agents = bin + "/hip/agents", managed = bin + "/hip/agents_managed",
                  limits = bin + "/hip/agents_limits";
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

Outcome runParts(const std::vector<std::string> &parts, const Environment &environment,
                 const std::string &program = agents) {
  std::vector<std::string> command = {program};
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
  const json entries = meldCache({"list"}, folder);
  EXPECT_EQ(entries.size(), 2u);
  for (const json &entry : entries) {
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

// --- Every way to run

class Modes : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(Modes, AllPartsPass) {
  Environment environment = plain("gfx90a,gfx900");
  environment[GetParam().first] = GetParam().second;
  const Outcome o = runParts(everyPart, environment);
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  EXPECT_EQ(o.out, passes(everyPart));
  EXPECT_EQ(o.err, "");
}

INSTANTIATE_TEST_SUITE_P(Agents, Modes,
                         testing::Values(std::pair("HSA_ENABLE_SDMA", "0"),
                                         std::pair("HSA_ENABLE_INTERRUPT", "0"),
                                         std::pair("AMD_DIRECT_DISPATCH", "0"),
                                         std::pair("MELD_GPU_THREADS", "1"),
                                         std::pair("MELD_GPU_TRANSLATE", "always"),
                                         std::pair("MELD_GPU_CHECKED", "all")),
                         [](const auto &p) { return std::string(p.param.first); });

TEST(Agents, PrintOnEveryDevice) {
  const Outcome o = runParts({"print"}, plain("gfx90a,gfx900"));
  EXPECT_EQ(o.out, "device 0 thread 5\ndevice 1 thread 5\nPASS print\n") << o.err;
}

TEST(Agents, StartAndEndCleanly) {
  for (int i = 0; i < 20; ++i) {
    const Outcome o = runParts({"threads"}, plain("gfx90a,gfx900"));
    ASSERT_EQ(o.exitCode, 0) << o.out << o.err;
    ASSERT_EQ(o.out + o.err, "PASS threads\n");
  }
}

TEST(Agents, OneDevicesMemoryRunsOutTheOthersDoesNot) {
  TemporaryFolder folder;
  for (Environment environment : {plain("gfx90a,gfx900"), melded("gfx90a,gfx900", folder)}) {
    environment["MELD_GPU_MEM"] = "256M,512M";
    const Outcome o = runParts({"memory"}, environment, limits);
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_EQ(o.out, "PASS memory\n") << o.err;
  }
}

// --- What other programs see

TEST(Agents, RocminfoListsThemAll) {
  const Outcome both = run({"rocminfo"}, plain("gfx90a,gfx900"));
  EXPECT_EQ(both.exitCode, 0) << both.err;
  const size_t first = both.out.find("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
               second = both.out.find("amdgcn-amd-amdhsa--gfx900:xnack-");
  EXPECT_NE(second, std::string::npos) << both.out;
  EXPECT_LT(first, second) << both.out;
  EXPECT_NE(both.out.find("Software GPU (AMD Instinct MI200)"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("Software GPU (Radeon RX Vega 64)"), std::string::npos) << both.out;
  Environment second_only = plain("gfx90a,gfx900");
  second_only["ROCR_VISIBLE_DEVICES"] = "1";
  const Outcome one = run({"rocminfo"}, second_only);
  EXPECT_EQ(one.out.find("gfx90a"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("gfx900"), std::string::npos) << one.out;
}

TEST(Agents, AListWithAnUnknownDeviceIsRefusedAndNamed) {
  const Outcome o = run({"rocminfo"}, plain("gfx900,foo"));
  EXPECT_EQ(o.exitCode, 0);
  EXPECT_EQ(o.err, "meld-softgpu: MELD_GPU=gfx900,foo: 'foo' is not one of gfx90a, gfx900, gfx906, "
                   "gfx908, gfx942, gfx950, gfx1030, gfx1100, gfx1201; using the default gfx90a\n");
  EXPECT_NE(o.out.find("gfx90a"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("gfx900"), std::string::npos) << o.out;
}

// --- Counters and records

json countersOf(const std::string &devices, const std::string &part, const TemporaryFolder &folder,
                const std::string &checked = "0") {
  Environment environment = plain(devices);
  environment["MELD_COUNTERS"] = folder / "counters.json";
  environment["MELD_GPU_CHECKED"] = checked;
  const Outcome o = runParts({part}, environment, part == "races" ? limits : agents);
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  return json::parse(readFile(folder / "counters.json"), nullptr, false);
}

TEST(Agents, CountersAreKeptByDevice) {
  TemporaryFolder folder;
  for (const std::string devices : {"gfx90a,gfx900", "gfx900,gfx900"}) {
    const json data = countersOf(devices, "turns", folder);
    EXPECT_EQ(data["device"], devices);
    ASSERT_EQ(data["devices"].size(), 2u);
    uint64_t dispatches = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const json &device = data["devices"][i];
      EXPECT_EQ(device["index"], i);
      EXPECT_EQ(device["device"],
                i ? devices.substr(devices.find(',') + 1) : devices.substr(0, devices.find(',')));
      for (const auto &[kernel, sum] : device["totals"].items()) {
        const bool own = kernel.find("branchy") != std::string::npos;
        if (own) { // twice, five launches each
          EXPECT_EQ(sum["dispatches"], 10) << kernel;
        }
        dispatches += sum["dispatches"].get<uint64_t>();
      }
    }
    EXPECT_EQ(dispatches, data["dispatches"].size());
    for (const auto &[kernel, sum] : data["totals"].items())
      if (kernel.find("branchy") != std::string::npos) {
        EXPECT_EQ(sum["dispatches"], 20);
      }
  }
}

TEST(Agents, TheTableIsOnePerDevice) {
  Environment environment = plain("gfx900,gfx900");
  environment["MELD_COUNTERS"] = "-";
  const Outcome o = runParts({"turns"}, environment);
  EXPECT_EQ(occurrences(o.err, "kernels on device 0, gfx900"), 1u) << o.err;
  EXPECT_EQ(occurrences(o.err, "kernels on device 1, gfx900"), 1u) << o.err;
  EXPECT_EQ(occurrences(o.err, "branchy"), 2u) << o.err;
}

TEST(Agents, ProfilesAreKeptByDevice) {
  TemporaryFolder folder;
  Environment environment = plain("gfx900,gfx900");
  environment["MELD_GPU_PROFILE"] = folder / "profile.json";
  EXPECT_EQ(runParts({"turns"}, environment).exitCode, 0);
  std::map<int, uint64_t> dispatches, executions;
  const json data = json::parse(readFile(folder / "profile.json"), nullptr, false);
  for (const json &kernel : data["kernels"])
    if (kernel["kernel"].get<std::string>().find("branchy") != std::string::npos) {
      dispatches[kernel["deviceIndex"]] += kernel["dispatches"].get<uint64_t>();
      executions[kernel["deviceIndex"]] += kernel["executions"].get<uint64_t>();
    }
  EXPECT_EQ(dispatches, (std::map<int, uint64_t>{{0, 10}, {1, 10}}));
  EXPECT_EQ(executions[0], executions[1]); // one code, inputs with both sides in every wave
}

// The same place of the same kernel is a finding on each device.
TEST(Agents, CheckersNameTheDevice) {
  TemporaryFolder folder;
  const json data = countersOf("gfx90a,gfx900", "races", folder, "race");
  std::map<std::string, int> findings;
  for (const json &finding : data["checks"]["race"])
    ++findings[finding["device"]];
  EXPECT_GT(findings["device 0 (gfx90a)"], 0);
  EXPECT_EQ(findings["device 0 (gfx90a)"], findings["device 1 (gfx900)"]);
  EXPECT_EQ(findings.size(), 2u);
}

// All devices write to one trace; each captures for itself, and what it captured runs again.
TEST(Agents, TracesAndCapturesOfEveryDevice) {
  TemporaryFolder folder;
  Environment environment = plain("gfx90a,gfx900");
  environment["MELD_TRACE"] = "kernel,insts," + (folder / "trace");
  environment["MELD_TRACE_KERNEL"] = "branchy";
  environment["MELD_GPU_CAPTURE"] = (folder / "captured") + ",branchy";
  const Outcome o = runParts({"turns"}, environment);
  EXPECT_EQ(o.exitCode, 0) << o.err;
  std::istringstream trace(readFile(folder / "trace"));
  std::map<std::string, int> launches, instructions;
  for (std::string line; std::getline(trace, line);) {
    const bool launch = line.rfind("kernel ", 0) == 0;
    const size_t at = line.find(" device ");
    ASSERT_NE(at, std::string::npos) << line;
    ++(launch ? launches : instructions)[line.substr(at + 1, 17)];
  }
  for (const char *device : {"device 0 (gfx90a)", "device 1 (gfx900)"}) {
    EXPECT_EQ(launches[device], 10) << device;
    EXPECT_GT(instructions[device], 1000) << device;
  }
  int captures = 0;
  for (const auto &file : std::filesystem::directory_iterator(folder / "captured")) {
    const Outcome again = run({bin + "/meld-gpu", "replay", file.path().string()});
    EXPECT_EQ(again.exitCode, 0) << again.out << again.err;
    const bool first = file.path().string().find("-device0.mgc") != std::string::npos;
    EXPECT_NE((again.out + again.err).find(first ? "gfx90a" : "gfx900"), std::string::npos)
        << again.out << again.err;
    ++captures;
  }
  EXPECT_EQ(captures, 2);
}

// --- What goes wrong names the device (node 0 is the processor, so device 1 is node 2)

TEST(Agents, AWildStoreIsAFaultOfItsDevice) {
  const Outcome o = runParts({"wild"}, plain("gfx90a,gfx900"), limits);
  EXPECT_EQ(o.exitCode, 128 + SIGABRT) << o.out << o.err;
  EXPECT_NE(o.err.find("Memory access fault by GPU node-2"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("meld-softgpu: device 1 (gfx900): "), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("wildStore"), std::string::npos) << o.err;
}

TEST(Agents, ATrapIsAnErrorOfItsDevice) {
  const Outcome o = runParts({"trap"}, plain("gfx900,gfx90a"), limits);
  EXPECT_EQ(o.exitCode, 128 + SIGABRT) << o.out << o.err;
  EXPECT_NE(o.err.find("HSA_STATUS_ERROR_EXCEPTION"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("meld-softgpu: device 1 (gfx90a): trap"), std::string::npos) << o.err;
}

TEST(Agents, CheckedModeFindsMemoryThatBelongsToAnotherDevice) {
  Environment environment = plain("gfx90a,gfx900");
  environment["MELD_GPU_CHECKED"] = "memory";
  const Outcome o = runParts({"stranger"}, environment, limits);
  EXPECT_EQ(o.exitCode, 128 + SIGABRT) << o.out << o.err;
  EXPECT_NE(o.err.find("Memory access fault by GPU node-2"), std::string::npos) << o.err;
}

} // namespace
