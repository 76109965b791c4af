// Limits that an application runs under: with libmeld it does what it does without, whether there is
// something to compile or the cache has it. What is expected is what the same program does alone.
#include "tests/shim/program.h"

#include <gtest/gtest.h>

using namespace meld::test;

namespace {

struct Condition {
  const char *name, *command;
  const char *log; ///< what says that it was met, or that it was no hindrance
};

const Condition kConditions[] = {
    {"fewDescriptors", "ulimit -n 18", "replaced code object"},
    {"smallStacks", "ulimit -s 256", "replaced code object"}, // of threads, too
    {"littleMemory", "ulimit -d 300000", "no thread to compile on"},
    {"fewProcesses", "ulimit -u 50", "replaced code object"},
};

class Conditions : public testing::TestWithParam<Condition> {};

} // namespace

TEST_P(Conditions, WithLibmeldAsWithout) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "they need more than any limit";
#endif
  Scratch scratch;
  const std::string command = std::string("sh -c '") + GetParam().command +
                              "; exec " MELD_ARRIVALS " static globals nonsense'";
  const Outcome alone = runProgram(command, plainEnvironment());
  EXPECT_EQ(alone.out, "PASS static\nPASS globals\nFAIL nonsense\n") << alone.err;
  Environment environment = meldEnvironment(scratch);
  environment["MELD_PASSES"] = "none"; // compiled and replaced, whether that pays or not
  for (const bool cold : {true, false}) {
    const Outcome o = runProgram(command, environment);
    EXPECT_EQ(o.status, alone.status) << o.err;
    EXPECT_EQ(o.out, alone.out) << o.err;
    if (cold) {
      EXPECT_NE(o.err.find(GetParam().log), std::string::npos) << o.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conditions, testing::ValuesIn(kConditions),
                         [](const auto &one) { return std::string(one.param.name); });
