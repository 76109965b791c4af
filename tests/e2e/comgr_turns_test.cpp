// LLVM's options are set by one at a time, by comgr on a thread of the application's and by a compile of ours
// (runtime/engine/comgr_turns.h).
#include "tests/e2e/process.h"

#include <gtest/gtest.h>

using namespace meld::e2e;

namespace {

struct Seen {
  Outcome outcome;
  int program = -1, others = -1, together = -1;
};

Seen besideComgr(const std::map<std::string, std::string> &more) {
  TemporaryFolder folder;
  const std::string lib = MELD_LIB_DIR;
  std::map<std::string, std::string> environment{
      {"LD_PRELOAD",
       lib + "/liboptions-spy.so:" + lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
      {"MELD_CACHE_DIR", folder / "cache"},
      {"MELD_ADAPT", "static"},
      {"MELD_COMPILE_BUDGET_MS", "0"},
      {"MELD_LOG_LEVEL", "info"}};
  environment.insert(more.begin(), more.end());
  Seen seen;
  seen.outcome = run({std::string(MELD_BIN_DIR) + "/hip/beside_comgr"}, environment);
  const size_t at = seen.outcome.err.find("options-spy: ");
  if (at != std::string::npos)
    std::sscanf(seen.outcome.err.c_str() + at, "options-spy: program %d, others %d, together %d",
                &seen.program, &seen.others, &seen.together);
  return seen;
}

} // namespace

TEST(ComgrTurns, NoActionRunsBesideACompileOfOurs) {
  const Seen seen = besideComgr({});
  EXPECT_EQ(seen.outcome.exitCode, 0) << seen.outcome.err;
  EXPECT_EQ(seen.outcome.out, "done\n");
  EXPECT_NE(seen.outcome.err.find("replaced "), std::string::npos) << seen.outcome.err;
  EXPECT_GT(seen.program, 0);
  EXPECT_GT(seen.others, 2) << "our compiles are not seen: " << seen.outcome.err;
  EXPECT_EQ(seen.together, 0) << seen.outcome.err;
}

TEST(ComgrTurns, TheApplicationsOwnActionsAreLeftAlone) {
  const Seen seen = besideComgr({{"MELD_DISABLE", "1"}});
  EXPECT_EQ(seen.outcome.exitCode, 0) << seen.outcome.err;
  EXPECT_GT(seen.program, 0);
}
