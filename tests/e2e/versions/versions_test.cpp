// The serve gear on the real runtime: kernels run as versions of their own, bound to the variables
// of the original, and nobody but the counters can tell. The program is versions.hip.
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

using namespace meld::e2e;
using nlohmann::json;

namespace {

const std::string lib = MELD_LIB_DIR, program = std::string(MELD_BIN_DIR) + "/hip/versions";

struct Served {
  Outcome outcome;
  std::map<std::string, uint64_t> instructions; ///< of all launches, by kernel
  std::map<std::string, std::vector<uint64_t>>
      ofEachKind;                            ///< the same by kind; two codes may be as long
  std::set<std::string> versions, originals; ///< what ran
};

Served runServed(const std::string &recipe, const TemporaryFolder &folder,
                 std::map<std::string, std::string> more = {}) {
  std::map<std::string, std::string> environment = {
      {"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
      {"MELD_CACHE_DIR", folder / "cache"},
      {"MELD_LOG_LEVEL", "info"},
      {"MELD_COUNTERS", folder / "counters"},
      {"MELD_COMPILE_BUDGET_MS", "0"}};
  environment[recipe.empty() ? "MELD_OBSERVE" : "MELD_SERVE"] = recipe.empty() ? "1" : recipe;
  environment.insert(more.begin(), more.end());
  Served r;
  r.outcome = run({program}, environment);
  const json counters = json::parse(readFile(folder / "counters"), nullptr, false);
  if (counters.is_discarded())
    return r;
  for (const json &dispatch : counters["dispatches"]) {
    const std::string kernel = dispatch["kernel"];
    r.instructions[kernel] += dispatch["counters"]["SQ_INSTS"].get<uint64_t>();
    for (const auto &[name, count] : dispatch["counters"].items())
      if (name.rfind("SQ_INSTS", 0) == 0)
        r.ofEachKind[kernel].push_back(count.get<uint64_t>());
    (dispatch["replaced"].get<bool>() ? r.versions : r.originals).insert(kernel);
  }
  return r;
}

size_t occurrences(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

const std::set<std::string> melded = {"variables", "local", "prints"};

} // namespace

TEST(Versions, RunInThePlaceOfTheirOriginals) {
  TemporaryFolder folder;
  const Served plain = runServed("", folder);
  ASSERT_EQ(plain.outcome.exitCode, 0) << plain.outcome.out << plain.outcome.err;
  ASSERT_EQ(plain.versions, std::set<std::string>{});
  for (int round = 0; round < 2; ++round) { // compiled, then from the cache
    const Served served = runServed("melded", folder);
    EXPECT_EQ(served.outcome.exitCode, 0) << served.outcome.out << served.outcome.err;
    EXPECT_EQ(served.outcome.out, "PASS\n");
    EXPECT_EQ(served.versions, melded) << served.outcome.err;
    for (const std::string &kernel : melded)
      EXPECT_FALSE(served.originals.count(kernel)) << kernel;
    for (const char *kernel : {"variables", "local"}) // one that prints waits for the host
      EXPECT_NE(served.ofEachKind.at(kernel), plain.ofEachKind.at(kernel)) << kernel;
    for (const char *kernel : {"hides", "indirect", "look", "setsHidden"}) {
      EXPECT_TRUE(served.originals.count(kernel)) << kernel;
      EXPECT_EQ(served.instructions.at(kernel), plain.instructions.at(kernel)) << kernel;
    }
    EXPECT_EQ(occurrences(served.outcome.err, "compiled in") > 0, round == 0) << served.outcome.err;
  }
}

TEST(Versions, SayWhyThereAreNone) {
  TemporaryFolder folder;
  const Served served = runServed("melded", folder);
  const std::string &text = served.outcome.err;
  EXPECT_NE(text.find("hides: no version: it uses _ZL6hidden, which only the original object can "
                      "name and which is written to"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("indirect: no version: it calls a function through a pointer"),
            std::string::npos)
      << text;
}

TEST(Versions, OfEveryKind) {
  TemporaryFolder folder;
  for (const char *recipe : {"melded-sure", "converged-loops", "scalarized", "all-legal"}) {
    const Served served = runServed(recipe, folder);
    EXPECT_EQ(served.outcome.exitCode, 0)
        << recipe << ": " << served.outcome.out << served.outcome.err;
    EXPECT_EQ(served.outcome.out, "PASS\n") << recipe;
  }
}

TEST(Versions, CompiledInAProcessOfItsOwn) {
  TemporaryFolder folder;
  const Served served = runServed("melded", folder, {{"MELD_COMPILER", "process"}});
  EXPECT_EQ(served.outcome.exitCode, 0) << served.outcome.out << served.outcome.err;
  EXPECT_EQ(served.versions, melded) << served.outcome.err;
}

TEST(Versions, AnUnknownKindServesNothing) {
  TemporaryFolder folder;
  const Served served = runServed("fried", folder);
  EXPECT_EQ(served.outcome.exitCode, 0) << served.outcome.out << served.outcome.err;
  EXPECT_EQ(served.versions, std::set<std::string>{});
}

// Each dispatch by the original and by the version, which works on the original's variables.
TEST(Versions, AreVerified) {
  TemporaryFolder folder;
  for (const char *recipe : {"melded", "all-legal"}) {
    const Outcome o = run({std::string(MELD_BIN_DIR) + "/meld", "verify", "--report",
                           folder / "report.json", "--", program},
                          {{"MELD_CACHE_DIR", folder / "cache"},
                           {"MELD_SERVE", recipe},
                           {"MELD_COMPILE_BUDGET_MS", "0"}});
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "PASS\n") << o.err;
    const json report = json::parse(readFile(folder / "report.json"), nullptr, false);
    ASSERT_TRUE(report.is_object()) << o.err;
    std::set<std::string> equal;
    for (const json &kernel : report["kernels"]) {
      EXPECT_EQ(kernel["different"], 0) << kernel;
      if (kernel["equal"] > 0)
        equal.insert(kernel["name"]);
    }
    for (const char *kernel : {"variables", "local"})
      EXPECT_TRUE(equal.count(kernel)) << kernel << "\n" << o.err;
    for (const char *kernel : {"hides", "indirect"}) // have no version
      EXPECT_FALSE(equal.count(kernel)) << kernel;
  }
}
