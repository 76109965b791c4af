// meld verify, as people run it. The stand-in compiler replaces the program's code by that of a
// build with a mistake in one lane of one dispatch, or by the same code.
#include "runtime/codeobject/hostfile.h"
#include "tests/e2e/process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace meld;
using e2e::Outcome;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kTarget = MELD_BIN_DIR "/hip/verify_target";
const std::string kPlanted = MELD_BIN_DIR "/hip/verify_planted";

/// The device code of `program`, a file for each processor: <stem>-gfx90a, ...
void extractCode(const std::string &program, const std::string &stem) {
  const std::string text = e2e::readFile(program);
  const Bytes bytes(text.begin(), text.end());
  const auto images = findDeviceImages(bytes);
  ASSERT_TRUE(images.has_value()) << program;
  for (const DeviceImage &image : *images) {
    const std::string processor = image.id.substr(image.id.find("gfx"));
    std::ofstream(stem + "-" + processor.substr(0, processor.find(':')), std::ios::binary)
        .write(reinterpret_cast<const char *>(image.bytes.data()),
               std::streamsize(image.bytes.size()));
  }
}

/// An installation whose compiler is the stand-in.
struct Stage {
  e2e::TemporaryFolder folder;
  std::map<std::string, std::string> environment;

  explicit Stage(const std::string &replacement) {
    fs::create_directories(folder / "bin");
    fs::create_directories(folder / "lib");
    fs::copy_file(MELD_BIN_DIR "/meld", folder / "bin/meld");
    for (const char *library : {"libmeld.so", "libmeld-softgpu.so"})
      fs::copy_file(std::string(MELD_LIB_DIR "/") + library, folder / "lib/" + library);
    fs::copy_file(MELD_LIB_DIR "/fakejit.so", folder / "lib/libmeld-jit.so");
    environment = {{"MELD_CACHE", "0"},           {"MELD_CACHE_DIR", folder / "cache"},
                   {"MELD_GPU_TRANSLATE", "off"}, {"TMPDIR", folder.path()},
                   {"FAKEJIT_MODE", "from"},      {"FAKEJIT_FROM", folder / "code"}};
    extractCode(replacement, folder / "code");
  }
  Outcome verify(std::vector<std::string> program, std::vector<std::string> options = {}) {
    std::vector<std::string> argv = {folder / "bin/meld", "verify",   "--device",
                                     "software",          "--report", folder / "report.json"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back("--");
    argv.insert(argv.end(), program.begin(), program.end());
    return e2e::run(argv, environment);
  }
  Json report() const { return Json::parse(e2e::readFile(folder / "report.json"), nullptr, false); }
};

Json kernel(const Json &report, const std::string &part) {
  for (const Json &k : report["kernels"])
    if (k["name"].get<std::string>().find(part) != std::string::npos)
      return k;
  return {};
}

/// The planted mistake, and nothing else, was found on every device.
void expectPlanted(const Json &report, size_t devices) {
  ASSERT_EQ(report["differences"].size(), devices) << report.dump(1);
  for (const Json &d : report["differences"]) {
    EXPECT_NE(d["kernel"].get<std::string>().find("step"), std::string::npos);
    EXPECT_EQ(d["bytes"], 1);
    ASSERT_EQ(d["words"].size(), 1u);
    const Json &word = d["words"][0];
    EXPECT_EQ(word["offset"], 4 * (256 + 37)); // lane 37 of the second workgroup
    EXPECT_EQ(word["size"], 4096);
    EXPECT_EQ(std::stoul(word["replacement"].get<std::string>(), nullptr, 16),
              std::stoul(word["original"].get<std::string>(), nullptr, 16) + 1);
  }
  EXPECT_EQ(report["differences"][0]["dispatch"], 4); // round 3
  const Json step = kernel(report, "4stepPii");
  EXPECT_EQ(step["dispatches"], 6 * devices);
  EXPECT_EQ(step["different"], devices);
  EXPECT_EQ(step["equal"], 5 * devices);
  const Json right = kernel(report, "9stepRightPii");
  EXPECT_EQ(right["dispatches"], 6 * devices);
  EXPECT_EQ(right["equal"], 6 * devices);
}

TEST(Verify, FindsAWrongConstantInOneLaneOfOneDispatch) {
  Stage stage(kPlanted);
  const Outcome o = stage.verify({kTarget, "streams"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n"); // the program sees the original's results
  EXPECT_NE(o.err.find("step(int*, int), dispatch 4: 1 of 4096 bytes written differ"),
            std::string::npos)
      << o.err;
  expectPlanted(stage.report(), 1);
}

TEST(Verify, FindsItInAGraph) {
  Stage stage(kPlanted);
  const Outcome o = stage.verify({kTarget, "graph"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  expectPlanted(stage.report(), 1);
}

TEST(Verify, FindsItOnTwoDevices) {
  Stage stage(kPlanted);
  stage.environment["MELD_GPU"] = "gfx90a,gfx900";
  const Outcome o = stage.verify({kTarget, "streams", "all"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json report = stage.report();
  expectPlanted(report, 2);
  EXPECT_EQ(report["differences"][0]["device"], "device 0 (gfx90a)");
  EXPECT_EQ(report["differences"][1]["device"], "device 1 (gfx900)");
}

TEST(Verify, TheSameCodeIsEqual) {
  Stage stage(kTarget);
  for (const char *mode : {"streams", "graph", "racy", "variables"}) {
    const Outcome o = stage.verify({kTarget, mode});
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_EQ(o.out, "PASS\n");
    const Json report = stage.report();
    for (const Json &k : report["kernels"]) {
      EXPECT_EQ(k["different"], 0) << mode << k.dump(1);
      // Which thread wins may change from run to run: seen with a sanitizer's delays.
      const bool racy = k["name"].get<std::string>().find("racy") != std::string::npos;
      const unsigned lucky = racy ? k["notRepeatable"].get<unsigned>() : 0;
      EXPECT_EQ(k["equal"].get<unsigned>() + lucky, k["dispatches"]) << mode << k.dump(1);
    }
  }
}

TEST(Verify, TheCapturesShowTheDifference) {
  Stage stage(kPlanted);
  const Outcome o = stage.verify({kTarget, "streams"}, {"--output", stage.folder / "captures"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  const Json report = stage.report();
  const auto files = report["differences"][0]["captures"].get<std::vector<std::string>>();
  ASSERT_EQ(files.size(), 2u);
  const Outcome original = e2e::run({MELD_BIN_DIR "/meld-gpu", "replay", files[0]});
  EXPECT_EQ(original.exitCode, 0) << original.out << original.err;
  EXPECT_NE(original.out.find("memory is as recorded"), std::string::npos) << original.out;
  const Outcome replacement = e2e::run({MELD_BIN_DIR "/meld-gpu", "replay", files[1]});
  EXPECT_EQ(replacement.exitCode, 1) << replacement.out << replacement.err;
  EXPECT_NE(replacement.out.find("memory differs in 1 bytes"), std::string::npos)
      << replacement.out;
}

TEST(Verify, ARaceIsNotTheReplacementsFault) {
  Stage stage(kPlanted);
  const Outcome o = stage.verify({kTarget, "racy"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json k = kernel(stage.report(), "racy");
  EXPECT_EQ(k["notRepeatable"], 1) << k.dump(1);
  EXPECT_EQ(k["different"], 0);
}

TEST(Verify, AReplacementThatDoesNotEndIsADifference) {
  Stage stage(kPlanted);
  const Outcome o = stage.verify({kTarget, "endless"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json report = stage.report();
  ASSERT_EQ(report["differences"].size(), 1u) << report.dump(1);
  EXPECT_NE(report["differences"][0]["what"].get<std::string>().find(
                "the replacement did not: it has not ended after "),
            std::string::npos)
      << report.dump(1);
}

TEST(Verify, VariablesAreTheProgramsOwnForBoth) {
  Stage stage(kPlanted); // whose variables lie at other places
  const Outcome o = stage.verify({kTarget, "variables"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json k = kernel(stage.report(), "variables");
  EXPECT_EQ(k["dispatches"], 3);
  EXPECT_EQ(k["equal"], 3) << k.dump(1);
}

TEST(Verify, AKernelThatTalksWithTheHostRunsOnceInItsSight) {
  Stage stage(kTarget);
  const Outcome o = stage.verify({kTarget, "host"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
}

TEST(Verify, WhatPrintsIsNotRunTwice) {
  Stage stage(kTarget);
  const Outcome o = stage.verify({kTarget, "calls"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "once\nPASS\n");
  const Json k = kernel(stage.report(), "calls");
  EXPECT_EQ(k["equal"], 0);
  ASSERT_EQ(k["notVerified"].size(), 1u);
  EXPECT_EQ(k["notVerified"].begin().key(),
            "it calls the host while it runs (printf, malloc or assert)");
}

TEST(Verify, TheExitStatusTellsAFailureFromADifference) {
  Stage stage(kTarget);
  EXPECT_EQ(stage.verify({kTarget, "quiet"}).exitCode, 0);
  EXPECT_EQ(stage.verify({kTarget, "unheard of"}).exitCode, 3);
  EXPECT_EQ(stage.verify({"/bin/true"}).exitCode, 3); // nothing was verified
  EXPECT_EQ(stage.verify({stage.folder / "not there"}).exitCode, 3);
  EXPECT_EQ(e2e::run({stage.folder / "bin/meld", "verify"}, stage.environment).exitCode, 2);
  EXPECT_EQ(stage.verify({kTarget, "quiet"}, {"--device", "gpu"}).exitCode, 2);
}

const std::string kOriginal = MELD_BIN_DIR "/hip/verify_version_original";
const std::string kRight = MELD_BIN_DIR "/hip/verify_version_right";
const std::string kWrong = MELD_BIN_DIR "/hip/verify_version_wrong";

// The version's packet asks for twice the LDS; with the original's it would read what is not there.
TEST(Verify, AVersionIsLaunchedWithItsOwnSizes) {
  Stage stage(kRight);
  stage.environment["MELD_SERVE"] = "melded";
  const Outcome o = stage.verify({kOriginal, "6"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json k = kernel(stage.report(), "turn");
  EXPECT_EQ(k["dispatches"], 6) << o.err;
  EXPECT_EQ(k["equal"], 6) << k.dump(1) << o.err;
}

TEST(Verify, AWrongVersionWithOtherSizesIsFoundAndCaptured) {
  Stage stage(kWrong);
  stage.environment["MELD_SERVE"] = "melded";
  const Outcome o = stage.verify({kOriginal, "6"}, {"--output", stage.folder / "captures"});
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json report = stage.report();
  const Json k = kernel(report, "turn");
  EXPECT_EQ(k["different"], 1) << k.dump(1);
  EXPECT_EQ(k["equal"], 5) << k.dump(1);
  ASSERT_EQ(report["differences"].size(), 1u) << report.dump(1);
  EXPECT_EQ(report["differences"][0]["dispatch"], 4); // round 3
  const auto files = report["differences"][0]["captures"].get<std::vector<std::string>>();
  ASSERT_EQ(files.size(), 2u);
  const Outcome original = e2e::run({MELD_BIN_DIR "/meld-gpu", "replay", files[0]});
  EXPECT_NE(original.out.find("memory is as recorded"), std::string::npos) << original.out;
  const Outcome version = e2e::run({MELD_BIN_DIR "/meld-gpu", "replay", files[1]});
  EXPECT_NE(version.out.find("memory differs in 1 bytes"), std::string::npos) << version.out;
}

TEST(Verify, APacketThatCannotBeRewrittenIsToldWithTheReason) {
  Stage stage(kRight);
  stage.environment["MELD_SERVE"] = "melded";
  const Outcome o = stage.verify({kOriginal, "6", "0", "1024"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  const Json k = kernel(stage.report(), "turn");
  const Json why = {
      {"its static LDS has another size, and the launch's dynamic LDS lies behind it", 6}};
  EXPECT_EQ(k["notVerified"], why) << k.dump(1) << o.err;
}

/// A first run finds what launches have in common, and a version for it is made, which goes by these
/// facts; the second is verified.
Outcome verifySpecialised(Stage &stage, const std::string &facts) {
  for (const auto &[name, value] : std::map<std::string, std::string>{
           {"MELD_CACHE", "1"}, {"FAKEJIT_RECIPE", "specialized"}, {"FAKEJIT_FACTS", facts}})
    stage.environment[name] = value;
  auto first = stage.environment;
  first.insert({{"LD_PRELOAD", stage.folder / "lib/libmeld.so:" + stage.folder.path() +
                                   "/lib/libmeld-softgpu.so"},
                {"MELD_ADAPT", "on"},
                {"MELD_SPECIALIZE", "on"},
                {"MELD_GPU_TIMING", "1"},
                {"MELD_LOG_LEVEL", "info"},
                {"MELD_COMPILE_BUDGET_MS", "0"}});
  const Outcome learned = e2e::run({kOriginal, "12", "4"}, first);
  EXPECT_NE(learned.err.find(" specialised for " + facts + " is tried"), std::string::npos)
      << learned.err;
  stage.environment["MELD_SERVE"] = "specialized";
  return stage.verify({kOriginal, "12", "4"});
}

TEST(Verify, ASpecialisedVersionIsComparedInTheLaunchesThatItIsFor) {
  Stage stage(kRight);
  const Outcome o = verifySpecialised(stage, "argument 8 4 0x2");
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json k = kernel(stage.report(), "turn");
  EXPECT_EQ(k["facts"], "argument 8 4 0x2");
  EXPECT_EQ(k["dispatches"], 16) << k.dump(1);
  EXPECT_EQ(k["equal"], 12) << k.dump(1);
  EXPECT_EQ(k["notVerified"], (Json{{"not for this version", 4}})) << k.dump(1);
}

TEST(Verify, AWrongSpecialisedVersionIsFound) {
  Stage stage(kWrong);
  const Outcome o = verifySpecialised(stage, "argument 8 4 0x2");
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  EXPECT_NE(o.err.find("turn(int*, int, int) for argument 8 4 0x2, dispatch 4: 1 of 4096 bytes "
                       "written differ"),
            std::string::npos)
      << o.err;
  const Json k = kernel(stage.report(), "turn");
  EXPECT_EQ(k["different"], 1) << k.dump(1);
  EXPECT_EQ(k["equal"], 11) << k.dump(1);
}

// It takes order 2 for granted, and does not say so.
TEST(Verify, ASpecialisedVersionThatForgetsAFactIsFound) {
  Stage stage(kRight);
  const Outcome o = verifySpecialised(stage, "workgroup 256 1 1");
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_EQ(o.out, "PASS\n");
  const Json k = kernel(stage.report(), "turn");
  EXPECT_EQ(k["equal"], 12) << k.dump(1);
  EXPECT_EQ(k["different"], 4) << k.dump(1);
}

TEST(Verify, WithoutAnEarlierRunNoSpecialisedVersionIsKnown) {
  Stage stage(kRight);
  stage.environment["MELD_SERVE"] = "specialized";
  const Outcome o = stage.verify({kOriginal, "12"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_NE(o.err.find("run the program with MELD_ADAPT=on and MELD_SPECIALIZE=on"),
            std::string::npos)
      << o.err;
}

TEST(Bisect, NamesTheKernelAndTheMelding) {
  Stage stage(kPlanted);
  stage.environment["FAKEJIT_KERNEL"] = "_Z4stepPii";
  stage.environment["FAKEJIT_MELDING"] = "3";
  const std::vector<std::string> argv = {
      stage.folder / "bin/meld", "bisect", "--device", "software", "--", kTarget, "streams"};
  const Outcome o = e2e::run(argv, stage.environment);
  EXPECT_EQ(o.exitCode, 1) << o.err;
  EXPECT_NE(o.out.find("kernel step(int*, int)\n"
                       "  wrong with its first 3 meldings, right with 2\n"
                       "  cfm (early) at file.hip:3: all\n"
                       "  MELD_KERNEL_INCLUDE='^(_Z4stepPii)$' MELD_PASSES='no-scalarize' "
                       "MELD_MELDINGS='3' meld verify --"),
            std::string::npos)
      << o.out << o.err;
}

TEST(Bisect, RightIsRight) {
  Stage stage(kTarget);
  const Outcome o = e2e::run(
      {stage.folder / "bin/meld", "bisect", "--device", "software", "--", kTarget, "streams"},
      stage.environment);
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out, "nothing is wrong\n");
}

TEST(Bisect, TheProgramsStatusCountsWhereNothingDiffers) {
  Stage stage(kPlanted);
  stage.environment["FAKEJIT_KERNEL"] = "_Z4stepPii";
  stage.environment["FAKEJIT_MELDING"] = "5";
  // Under verification this check is happy, as the original's results are.
  const std::string check = stage.folder / "check.sh";
  std::ofstream(check) << "#!/bin/sh\n[ -n \"$MELD_VERIFY_RUNS\" ] && exec " << kTarget
                       << " twice\nexec " << kTarget << " streams\n";
  fs::permissions(check, fs::perms::owner_all);
  const Outcome o = e2e::run({stage.folder / "bin/meld", "bisect", "--format", "json", "--device",
                              "software", "--", check},
                             stage.environment);
  EXPECT_EQ(o.exitCode, 1) << o.err;
  const Json found = Json::parse(o.out, nullptr, false);
  ASSERT_EQ(found.size(), 1u) << o.out << o.err;
  EXPECT_EQ(found[0]["kernel"], "_Z4stepPii");
  EXPECT_EQ(found[0]["melding"], 5);
  const Outcome fails = e2e::run(
      {stage.folder / "bin/meld", "bisect", "--device", "software", "--", kTarget, "sabotage"},
      stage.environment);
  EXPECT_EQ(fails.exitCode, 3) << fails.out << fails.err;
}

TEST(Verify, NothingIsLeftBehindWhereNothingDiffers) {
  Stage stage(kTarget);
  fs::create_directories(stage.folder / "tmp");
  stage.environment["TMPDIR"] = stage.folder / "tmp";
  EXPECT_EQ(stage.verify({kTarget, "streams"}).exitCode, 0);
  EXPECT_TRUE(fs::is_empty(stage.folder / "tmp"));
}

} // namespace
