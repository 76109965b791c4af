// Whole programs whose packets pass through us, with variants planted by a tool of the tests.
#include "tests/shim/program.h"

#include <gtest/gtest.h>

using namespace meld::test;

namespace {

const std::string kProbe = MELD_LIB_DIR "/adaptprobe.so", kOther = MELD_LIB_DIR "/adaptother.so";

Outcome launches(const std::string &part, const std::string &tools, Environment extra = {}) {
  Environment environment = plainEnvironment();
  environment["HSA_TOOLS_LIB"] = tools;
  environment.insert(extra.begin(), extra.end());
  // The software GPU's translation in the background does not outlive main() safely by itself.
  if (part == "leave")
    environment["MELD_GPU_TRANSLATE"] = "off";
  return runProgram(MELD_ADAPT_LAUNCHES " " + part, environment);
}

void expectPass(const Outcome &o, const std::string &part) {
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(o.out, "PASS " + part + "\n") << o.err;
  EXPECT_EQ(o.err.find("no intercept queues"), std::string::npos) << o.err;
}

bool says(const Outcome &o, const std::string &text) {
  return o.err.find(text) != std::string::npos;
}

/// Modelled times, one host for all: what is decided is the same in every run.
const Environment kModelled = {
    {"MELD_GPU_TIMING", "1"}, {"MELD_GPU_CUS", "4"}, {"ADAPT_PROBE_WAIT", "1"}};

} // namespace

class AdaptQueues : public testing::TestWithParam<const char *> {};

TEST_P(AdaptQueues, RightWithVariants) {
  const Outcome o = launches(GetParam(), kProbe);
  expectPass(o, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, AdaptQueues,
                         testing::Values("order", "orderOne", "graph", "cooperative", "events",
                                         "flood", "callbacks", "destroyed", "forked", "leave"),
                         [](const auto &one) { return std::string(one.param); });

TEST(AdaptTrials, TheFasterOneRunsAndTheSameIsDecidedInEachRun) {
  const Outcome o = launches("trial", kProbe, kModelled);
  expectPass(o, "trial");
  EXPECT_TRUE(says(o, "probe: sum runs variant after 400 launches")) << o.err;
  EXPECT_TRUE(says(o, "probe: formula runs original after 400 launches")) << o.err;
  EXPECT_EQ(launches("trial", kProbe, kModelled).err, o.err);
}

TEST(AdaptTrials, NoiseOnTheTimesChangesNoVerdict) {
  for (const std::string noise : {"1,2,1", "5,5,2", "20,5,3"}) {
    Environment noisy = kModelled;
    noisy["MELD_GPU_NOISE"] = noise;
    const Outcome o = launches("trial", kProbe, noisy);
    expectPass(o, "trial");
    EXPECT_TRUE(says(o, "probe: sum runs variant")) << noise << o.err;
    EXPECT_TRUE(says(o, "probe: formula runs original")) << noise << o.err;
  }
}

TEST(AdaptTrials, EachDeviceHasItsOwnKernels) {
  const Outcome o = launches("devices", kProbe, {{"MELD_GPU", "gfx90a,gfx90a"}});
  expectPass(o, "devices");
}

TEST(AdaptCoexistence, AToolThatInterceptsBeforeUs) {
  const Outcome o = launches("trial", kOther + " " + kProbe, kModelled);
  expectPass(o, "trial");
  EXPECT_TRUE(says(o, "other: some queues")) << o.err;
  EXPECT_FALSE(says(o, " 0 dispatches")) << o.err;
  EXPECT_TRUE(says(o, "probe: sum runs variant")) << o.err;
}

TEST(AdaptCoexistence, AToolThatInterceptsAfterUs) {
  const Outcome o = launches("trial", kProbe + " " + kOther, kModelled);
  expectPass(o, "trial");
  EXPECT_TRUE(says(o, "other: some queues")) << o.err;
  EXPECT_FALSE(says(o, " 0 dispatches")) << o.err;
  EXPECT_TRUE(says(o, "probe: sum runs variant")) << o.err;
}

TEST(AdaptUnload, VariantsMayGoWhenTheirLaunchesAreOver) {
  const Outcome o = launches("unload " MELD_ADAPT_MODULE, kProbe, kModelled);
  expectPass(o, "unload");
  EXPECT_TRUE(says(o, "leaked 0")) << o.err;
  EXPECT_FALSE(says(o, "released 0")) << o.err;
}

// Versions for the value of an argument, in launches of every kind.
class AdaptFacts : public testing::TestWithParam<const char *> {};

TEST_P(AdaptFacts, NoLaunchRunsAVersionForAnotherValue) {
  for (const bool modelled : {true, false}) {
    Environment environment = plainEnvironment();
    environment["HSA_TOOLS_LIB"] = kProbe;
    // HIP 6 puts the arguments of graphs into the device's memory otherwise, where nobody compares them.
    environment["DEBUG_CLR_GRAPH_PACKET_CAPTURE"] = "0";
    if (modelled)
      environment.insert(kModelled.begin(), kModelled.end());
    const Outcome o = runProgram(MELD_ADAPT_FACTS " " + std::string(GetParam()), environment);
    expectPass(o, GetParam());
    EXPECT_TRUE(says(o, ": some specialised launches") || !modelled) << o.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AdaptFacts, testing::Values("random", "graph", "events", "threads"),
                         [](const auto &one) { return std::string(one.param); });

// The library as it is, with nothing to choose from.
TEST(AdaptSetting, OnAndNothingOpenAllIsRight) {
  for (const std::string part : {"orderOne", "graph", "cooperative", "events", "leave"}) {
    Scratch scratch;
    Environment environment = meldEnvironment(scratch);
    environment["MELD_ADAPT"] = "on";
    environment["MELD_GPU_TIMING"] = "1"; // without it nothing is measured, and no packet looked at
    environment["MELD_PASSES"] = "none";
    environment["MELD_LOG_LEVEL"] = "debug";
    environment["MELD_GPU_TRANSLATE"] = "off"; // as above
    const Outcome o = runProgram(MELD_ADAPT_LAUNCHES " " + part, environment);
    EXPECT_EQ(o.status, 0) << part << o.out << o.err;
    EXPECT_EQ(o.out, "PASS " + part + "\n") << o.err;
    EXPECT_EQ(o.err.find("as with MELD_ADAPT=static"), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("no launch is looked at"), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("crashed"), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("is tried from now on"), std::string::npos) << o.err;
  }
}
