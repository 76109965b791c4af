// Nests of loops as flattened versions, on the real runtime: the programs' own host references say
// whether results are right, the counters whether the loop that runs is flat: a nest that code
// generation has made again has the lanes that it had before.
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace meld::e2e;
using nlohmann::json;

namespace {

const std::string lib = MELD_LIB_DIR, programs = std::string(MELD_BIN_DIR) + "/hip/";

struct Totals {
  uint64_t instructions = 0, vector = 0, lanes = 0;
  bool replaced = false;
  double active() const { return double(lanes) / double(vector); }
};

Totals runAs(const std::string &recipe, const std::string &program, const std::string &pattern) {
  TemporaryFolder folder;
  std::vector<std::string> command = {programs + program};
  if (!pattern.empty())
    command.insert(command.end(), {"--pattern", pattern});
  const Outcome o = run(
      command, {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
                {"MELD_CACHE_DIR", folder / "cache"},
                {"MELD_COUNTERS", folder / "counters"},
                {"MELD_COMPILE_BUDGET_MS", "0"},
                {recipe.empty() ? "MELD_OBSERVE" : "MELD_SERVE", recipe.empty() ? "1" : recipe}});
  EXPECT_EQ(o.exitCode, 0) << recipe << ": " << o.out << o.err;
  EXPECT_NE(o.out.find(": PASS"), std::string::npos) << recipe << ": " << o.out << o.err;
  Totals totals;
  const json counters = json::parse(readFile(folder / "counters"), nullptr, false);
  if (counters.is_discarded()) {
    ADD_FAILURE() << recipe << ": no counters";
    return totals;
  }
  for (const json &dispatch : counters["dispatches"]) {
    totals.instructions += dispatch["counters"]["SQ_INSTS"].get<uint64_t>();
    totals.vector += dispatch["counters"]["SQ_INSTS_VALU"].get<uint64_t>();
    totals.lanes += dispatch["counters"]["SQ_THREAD_VALU"].get<uint64_t>();
    totals.replaced |= dispatch["replaced"].get<bool>();
  }
  return totals;
}

} // namespace

TEST(Flattened, LanesThatWaitedRun) {
  for (const char *program : {"row_nest", "walk_nest"}) {
    const Totals nested = runAs("", program, "skewed");
    ASSERT_GT(nested.vector, 0u);
    for (const char *recipe : {"flattened", "flattened-t32", "flattened-u2"}) {
      const Totals flat = runAs(recipe, program, "skewed");
      EXPECT_TRUE(flat.replaced) << program << " " << recipe;
      EXPECT_GT(flat.active(), 1.5 * nested.active()) << program << " " << recipe;
      EXPECT_LT(flat.instructions, nested.instructions) << program << " " << recipe;
    }
  }
}

// Nests of three levels become one loop.
TEST(Flattened, ThreeLevels) {
  const Totals nested = runAs("", "huffman_nest", "skewed");
  const Totals flat = runAs("flattened", "huffman_nest", "skewed");
  EXPECT_TRUE(flat.replaced);
  EXPECT_GT(flat.active(), 1.5 * nested.active());
  EXPECT_LT(flat.instructions, nested.instructions);
}

// Equal counts gain nothing, and are right all the same.
TEST(Flattened, EqualCounts) {
  for (const char *program : {"row_nest", "pixel_nest", "walk_nest", "lz_nest"})
    EXPECT_TRUE(runAs("flattened-u2", program, "balanced").replaced) << program;
}

// A kernel without such a nest has no version of this kind that would be another one over again.
// Nearly every step some lane of a wave collides; delayed, many do at a time.
TEST(Delayed, LanesThatWantTheSideTakeItTogether) {
  const Totals apart = runAs("", "collision_loop", "skewed");
  ASSERT_GT(apart.vector, 0u);
  for (const char *recipe : {"delayed", "delayed-t16"}) {
    const Totals together = runAs(recipe, "collision_loop", "skewed");
    EXPECT_TRUE(together.replaced) << recipe;
    EXPECT_GT(together.active(), 2 * apart.active()) << recipe;
    EXPECT_LT(together.instructions, apart.instructions) << recipe;
    EXPECT_TRUE(runAs(recipe, "collision_loop", "balanced").replaced) << recipe;
  }
}

TEST(Delayed, NoSideWorthWaitingFor) { EXPECT_FALSE(runAs("delayed", "spmv", "").replaced); }

TEST(Flattened, NothingToFlatten) { EXPECT_FALSE(runAs("flattened", "spmv", "").replaced); }
