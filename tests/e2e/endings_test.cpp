// All ways for a process to end while the real compiler works for it: in a thread and in a process,
// with somebody who waits for the compile and with nobody. Where one thread waits for a kernel and
// another runs the exit handlers, HIP may crash without libmeld, too: not tested.
#include "tests/e2e/process.h"

#include <csignal>
#include <gtest/gtest.h>
#include <tuple>

using namespace meld::e2e;

namespace {

struct Ending {
  const char *how;
  int status;
  const char *output; ///< as the C library has it, without libmeld
  bool handlers;      ///< exit handlers run
};

constexpr Ending endings[] = {
    {"exit", 3, "in between\nexit handler\n", true},
    {"_exit", 4, "in between\n", false},
    {"quick_exit", 5, "in between\nquick exit handler\n", false},
    {"abort", 128 + SIGABRT, "in between\n", false},
    {"terminate", 128 + SIGTERM, "in between\n", false},
    {"thread", 6, "in between\nexit handler\n", true},
    {"return", 7, "in between\nexit handler\n", true},
    {"exec", 0, "in between\nanother program\n", false},
    {"daemon", 8, "in between\n", false},
};

using Parameters = std::tuple<Ending, const char *, const char *>;
class Endings : public testing::TestWithParam<Parameters> {};

TEST_P(Endings, DuringACompile) {
  const auto &[ending, mode, compiler] = GetParam();
  if (ending.handlers && mode == std::string("sync"))
    GTEST_SKIP() << "another thread is inside HIP";
  TemporaryFolder folder;
  const std::string lib = MELD_LIB_DIR;
  const Outcome o = run({std::string(MELD_BIN_DIR) + "/hip/endings", ending.how, mode},
                        {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
                         {"MELD_CACHE_DIR", folder / "cache"},
                         {"MELD_COMPILE_BUDGET_MS", "0"},
                         {"MELD_COMPILE_MODE", mode},
                         {"MELD_COMPILER", compiler},
                         {"MELD_EXIT_WAIT_MS", "0"},
                         {"MELD_LOG_LEVEL", "info"}});
  EXPECT_EQ(o.exitCode, ending.status) << o.err;
  EXPECT_EQ(o.out, ending.output) << o.err;
  // Nothing but our own log, and in it no compile that came to an end or broke.
  std::istringstream lines(o.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.rfind("libmeld[", 0), 0u) << o.err;
    EXPECT_EQ(line.find(" warning: "), std::string::npos) << o.err;
    EXPECT_EQ(line.find("crashed"), std::string::npos) << o.err;
    EXPECT_EQ(line.find("replaced "), std::string::npos) << "the compile was over: " << o.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Endings,
                         testing::Combine(testing::ValuesIn(endings),
                                          testing::Values("sync", "async"),
                                          testing::Values("thread", "process")),
                         [](const auto &one) {
                           const std::string how = std::get<0>(one.param).how;
                           return (how == "_exit" ? "exitAtOnce" : how) + "_" +
                                  std::get<1>(one.param) + "_" + std::get<2>(one.param);
                         });

} // namespace
