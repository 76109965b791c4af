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

const std::string lib = MELD_LIB_DIR;

/// As `run` takes it, for libmeld.so with `before` and `behind` in front of it and behind it.
std::map<std::string, std::string> environmentFor(const TemporaryFolder &folder,
                                                  const std::string &before = "",
                                                  const std::string &behind = "") {
  return {{"LD_PRELOAD", before + lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so" + behind},
          {"MELD_CACHE_DIR", folder / "cache"},
          {"MELD_ADAPT", "static"},
          {"MELD_COMPILE_BUDGET_MS", "0"},
          {"MELD_LOG_LEVEL", "info"}};
}

Seen besideComgr(const std::map<std::string, std::string> &more) {
  TemporaryFolder folder;
  auto environment = environmentFor(folder, lib + "/liboptions-spy.so:");
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
  // HIP's own are among the others, as many as its version makes.
  EXPECT_GT(seen.others, besideComgr({{"MELD_DISABLE", "1"}}).others)
      << "our compiles are not seen: " << seen.outcome.err;
  EXPECT_EQ(seen.together, 0) << seen.outcome.err;
}

TEST(ComgrTurns, TheApplicationsOwnActionsAreLeftAlone) {
  const Seen seen = besideComgr({{"MELD_DISABLE", "1"}});
  EXPECT_EQ(seen.outcome.exitCode, 0) << seen.outcome.err;
  EXPECT_GT(seen.program, 0);
}

TEST(ComgrTurns, AnotherLlvmOfTheProgramsIsNotTakenForComgrs) {
  TemporaryFolder folder;
  const Outcome o = run({std::string(MELD_BIN_DIR) + "/hip/beside_comgr"},
                        environmentFor(folder, "", ":" + lib + "/libother-llvm.so"));
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "done\n");
  EXPECT_NE(o.err.find("replaced "), std::string::npos) << o.err;
}

// clang leaves a program with exit() for an option that LLVM does not know. The turn of that action does not
// end then.
TEST(ComgrTurns, AnActionThatEndsTheProgramIsNotWaitedFor) {
  TemporaryFolder folder;
  auto environment = environmentFor(folder);
  environment["MELD_COMPILE_MODE"] = "async";
  environment["MELD_EXIT_WAIT_MS"] = "3600000";
  const Outcome o = run({std::string(MELD_BIN_DIR) + "/hip/beside_comgr", "-no-such-option"},
                        environment, 45); // a turn is waited for for a minute
  EXPECT_FALSE(o.timedOut) << o.err;
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_NE(o.err.find("Unknown command line argument '-no-such-option'"), std::string::npos)
      << o.err;
  EXPECT_EQ(o.err.find(" warning: "), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("crashed"), std::string::npos) << o.err;
}

// The thread that loads code has HIP's locks, one that runs a library's constructor the loader's.
TEST(ComgrTurns, ALibraryIsLoadedWhileItsConstructorWaitsForHip) {
  TemporaryFolder folder;
  auto environment = environmentFor(folder);
  environment["MELD_COMPILE_BUDGET_MS"] = "3000";
  const Outcome o =
      run({std::string(MELD_BIN_DIR) + "/hip/beside_dlopen", lib + "/libconstructor-probe.so"},
          environment);
  EXPECT_FALSE(o.timedOut) << o.err;
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "done\n");
}

// Who makes a queue is asked under HIP's locks, in the mode that looks at packets.
TEST(ComgrTurns, AQueueIsMadeWhileAConstructorWaitsForHip) {
  TemporaryFolder folder;
  auto environment = environmentFor(folder);
  environment["MELD_ADAPT"] = "on";
  environment["MELD_GPU_TIMING"] = "1";
  const Outcome o = run(
      {std::string(MELD_BIN_DIR) + "/hip/beside_dlopen", lib + "/libconstructor-probe.so", "queue"},
      environment);
  EXPECT_FALSE(o.timedOut) << o.err;
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "done\n");
}
