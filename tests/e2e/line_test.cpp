// The whole line: real HIP programs, the real HIP and HSA runtimes, libmeld and the software GPU.
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace meld::e2e;
using Environment = std::map<std::string, std::string>;

namespace {

const std::string lib = MELD_LIB_DIR, bin = MELD_BIN_DIR;

std::string program(const std::string &name) { return bin + "/hip/" + name; }

/// The software GPU alone.
Environment plain() { return {{"LD_PRELOAD", lib + "/libmeld-softgpu.so"}}; }

/// libmeld on the software GPU, with a cache of its own.
Environment melded(const TemporaryFolder &folder) {
  return {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
          {"MELD_CACHE_DIR", folder / "cache"},
          {"MELD_COMPILE_BUDGET_MS", "0"}, // a busy machine takes its time
          {"MELD_LOG_LEVEL", "info"}};
}

#define EXPECT_PASS(outcome)                                                                       \
  EXPECT_EQ((outcome).exitCode, 0) << (outcome).out << (outcome).err;                              \
  EXPECT_NE((outcome).out.find(": PASS"), std::string::npos) << (outcome).out << (outcome).err;    \
  EXPECT_EQ((outcome).out.find("FAIL"), std::string::npos) << (outcome).out

class DemoKernel : public testing::TestWithParam<const char *> {};

TEST_P(DemoKernel, PassesPlain) {
  const Outcome o = run({program(GetParam())}, plain());
  EXPECT_PASS(o);
}

TEST_P(DemoKernel, PassesUnderLibmeld) {
  TemporaryFolder folder;
  const Outcome o = run({program(GetParam())}, melded(folder));
  EXPECT_PASS(o);
  // And again from the cache.
  const Outcome again = run({program(GetParam())}, melded(folder));
  EXPECT_PASS(again);
}

INSTANTIATE_TEST_SUITE_P(Line, DemoKernel,
                         testing::Values("bitonic", "divergent_saxpy", "lds_reduction", "diamond"),
                         [](const auto &p) { return std::string(p.param); });

TEST(Line, RocminfoListsTheAgent) {
  const Outcome o = run({"rocminfo"}, plain());
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_NE(o.out.find("gfx90a"), std::string::npos) << o.out;
}

TEST(Line, BitonicIsMeldedAndIssuesFewerInstructions) {
  TemporaryFolder folder;
  auto perWave = [&](bool plainRun) {
    const std::string file = folder / (plainRun ? "plain.json" : "melded.json");
    Environment e = plainRun ? plain() : melded(folder);
    e["MELD_COUNTERS"] = file;
    const Outcome o = run({program("bitonic"), "--block", "256"}, e);
    EXPECT_PASS(o);
    const auto data = nlohmann::json::parse(readFile(file), nullptr, false);
    EXPECT_FALSE(data.is_discarded());
    uint64_t waves = 0, insts = 0;
    for (const auto &d : data["dispatches"])
      if (d["kernel"].get<std::string>().find("bitonicSort") != std::string::npos) {
        waves += d["counters"]["SQ_WAVES"].get<uint64_t>();
        insts += d["counters"]["SQ_INSTS"].get<uint64_t>();
        EXPECT_EQ(d["replaced"].get<bool>(), !plainRun);
      }
    EXPECT_GT(waves, 0u);
    return static_cast<double>(insts) / static_cast<double>(waves);
  };
  const double before = perWave(true), after = perWave(false);
  EXPECT_GE(before / after, 1.4) << before << " -> " << after;
}

// From a run to what a person is told about it.
TEST(Line, ExplainTellsWhatARunHasMelded) {
  TemporaryFolder folder;
  EXPECT_PASS(run({program("bitonic"), "--block", "256"}, melded(folder)));
  const Outcome o = run({bin + "/meld", "explain", "bitonicSort", "--format=json"},
                        {{"MELD_CACHE_DIR", folder / "cache"}});
  ASSERT_EQ(o.exitCode, 0) << o.err;
  const auto told = nlohmann::json::parse(o.out, nullptr, false);
  ASSERT_GT(told.size(), 0u) << o.out; // one for each workgroup size
  for (const auto &one : told) {
    const auto &kernel = one["kernel"];
    EXPECT_TRUE(kernel["melded"].get<bool>());
    EXPECT_GT(kernel["before"]["estimatedCycles"], kernel["after"]["estimatedCycles"]);
    bool sides = false;
    for (const auto &decision : kernel["decisions"])
      sides |= decision["melded"].get<bool>() && decision.contains("sides");
    EXPECT_TRUE(sides) << one;
  }
}

TEST(Line, ARunDumpsWhatTheEnvironmentAsksFor) {
  TemporaryFolder folder;
  Environment e = melded(folder);
  e["MELD_DUMP_DIR"] = folder / "dumps";
  e["MELD_DUMP"] = "ir,decision";
  EXPECT_PASS(run({program("bitonic"), "--block", "256"}, e));
  std::set<std::string> names;
  if (std::filesystem::exists(folder / "dumps"))
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder / "dumps"))
      if (file.is_regular_file() && file.file_size())
        names.insert(file.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"before.ll", "after.ll", "decisions.json"}));
}

TEST(Line, SecondRunHitsTheCacheWithoutTheCompiler) {
  TemporaryFolder folder;
  const Outcome first = run({program("maps_probe")}, melded(folder));
  EXPECT_PASS(first);
  EXPECT_NE(first.out.find("libmeld.so mapped"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("libmeld-jit.so mapped"), std::string::npos) << first.out << first.err;
  const Outcome second = run({program("maps_probe")}, melded(folder));
  EXPECT_PASS(second);
  EXPECT_NE(second.out.find("libmeld-jit.so absent"), std::string::npos)
      << second.out << second.err;
  EXPECT_NE(second.err.find("cache hit"), std::string::npos) << second.err;
}

// The application ends while its code is still being compiled: LLVM's global objects must not be
// destroyed under the compile. With a long wait the result is there for the next run.
TEST(Line, ExitDuringACompileIsQuiet) {
  for (const char *wait : {"0", "600000"}) {
    TemporaryFolder folder;
    Environment e = melded(folder);
    e["MELD_COMPILE_MODE"] = "async";
    e["MELD_EXIT_WAIT_MS"] = wait;
    const Outcome first = run({program("library_merge_sort")}, e); // seconds to compile
    EXPECT_EQ(first.out, "PASS\n") << first.err;
    EXPECT_EQ(first.exitCode, 0);
    EXPECT_EQ(first.err.find("terminate"), std::string::npos) << first.err;
    EXPECT_EQ(first.err.find("crashed"), std::string::npos) << first.err;
    if (wait == std::string("0"))
      continue;
    const Outcome second = run({program("library_merge_sort")}, e);
    EXPECT_EQ(second.out, "PASS\n") << second.err;
    EXPECT_NE(second.err.find("cache hit"), std::string::npos) << second.err;
  }
}

TEST(Line, ProgramWithoutBitcodeRunsUnchanged) {
  TemporaryFolder folder;
  const Outcome o = run({program("maps_probe_no_bitcode")}, melded(folder));
  EXPECT_PASS(o);
  EXPECT_NE(o.out.find("libmeld-jit.so absent"), std::string::npos) << o.out << o.err;
}

/// The code objects that reached the runtime below libmeld.
std::vector<std::string> loadedCodeObjects(Environment e, const TemporaryFolder &folder,
                                           const std::string &name) {
  const std::string dir = folder / name;
  std::filesystem::create_directory(dir);
  e["HSA_TOOLS_LIB"] = lib + "/libcode-object-spy.so";
  e["MELD_SPY_DIR"] = dir;
  const Outcome o = run({program("maps_probe")}, e);
  EXPECT_PASS(o);
  std::vector<std::string> objects;
  for (int i = 0; std::filesystem::exists(dir + "/" + std::to_string(i) + ".co"); ++i)
    objects.push_back(readFile(dir + "/" + std::to_string(i) + ".co"));
  return objects;
}

TEST(Line, DisabledMeansTheOriginalByteForByte) {
  TemporaryFolder folder;
  const auto original = loadedCodeObjects(plain(), folder, "plain");
  Environment off = melded(folder);
  off["MELD_DISABLE"] = "1";
  const auto disabled = loadedCodeObjects(off, folder, "disabled");
  const auto replaced = loadedCodeObjects(melded(folder), folder, "melded");
  ASSERT_FALSE(original.empty());
  EXPECT_EQ(original, disabled);
  // The spy does see a difference when there is one.
  EXPECT_NE(original, replaced);
}

TEST(Line, PreloadingTrueLoadsNoLlvm) {
  const Outcome o =
      run({"/bin/sh", "-c", "cat /proc/self/maps"}, {{"LD_PRELOAD", lib + "/libmeld.so"}});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_NE(o.out.find("libmeld.so"), std::string::npos);
  EXPECT_EQ(o.out.find("LLVM"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("comgr"), std::string::npos) << o.out;
  const Outcome t = run({"/bin/true"}, {{"LD_PRELOAD", lib + "/libmeld.so"}});
  EXPECT_EQ(t.exitCode, 0);
  EXPECT_EQ(t.err, "");
}

} // namespace
