// Every way code arrives, every thing it may hold: the same answers with and without libmeld.
#include "runtime/codeobject/hostfile.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/shim/program.h"

#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

using namespace meld::test;

class Arrivals : public testing::TestWithParam<const char *> {};

TEST_P(Arrivals, SameAnswerWhenEveryObjectIsReplaced) {
  std::string command = std::string(MELD_ARRIVALS " ") + GetParam();
  Outcome plain = runProgram(command, plainEnvironment());
  ASSERT_EQ(plain.status, 0) << plain.out << plain.err;
  Scratch scratch;
  Environment all = meldEnvironment(scratch);
  all["MELD_PASSES"] = "none"; // recompile only: every object is replaced, profit or not
  const std::string program = GetParam();
  // hiprtc gives what it compiles an id of its own, a hexadecimal number without leading zeros: one
  // time in sixteen it is shorter, and so is the code object, which the cache then does not know.
  const int rounds = program.rfind("hiprtc", 0) == 0 ? 5 : 2;
  bool hit = false;
  for (int round = 0; round < rounds && !hit; ++round) {
    Outcome melded = runProgram(command, all);
    EXPECT_EQ(melded.status, 0) << melded.out << melded.err;
    EXPECT_EQ(melded.out, plain.out);
    if (program == "hiprtcErrors") // a source that does not compile is never loaded
      break;
    hit = round > 0 && melded.err.find("(cache): ") != std::string::npos;
    if (round == 0 || (!hit && round + 1 == rounds)) {
      EXPECT_NE(melded.err.find(round ? "(cache): " : "(compiled): "), std::string::npos)
          << melded.err;
    }
  }
}

TEST_P(Arrivals, SameAnswerWithTheDefaultPasses) {
  std::string command = std::string(MELD_ARRIVALS " ") + GetParam();
  Outcome plain = runProgram(command, plainEnvironment());
  ASSERT_EQ(plain.status, 0) << plain.out << plain.err;
  Scratch scratch;
  Outcome melded = runProgram(command, meldEnvironment(scratch));
  EXPECT_EQ(melded.status, 0) << melded.out << melded.err;
  EXPECT_EQ(melded.out, plain.out);
}

// Every kernel that can have a version runs as that: with all that is legal, so that most have one.
class ServedArrivals : public testing::TestWithParam<const char *> {};

TEST_P(ServedArrivals, SameAnswer) {
  std::string command = std::string(MELD_ARRIVALS " ") + GetParam();
  Outcome plain = runProgram(command, plainEnvironment());
  ASSERT_EQ(plain.status, 0) << plain.out << plain.err;
  Scratch scratch;
  Environment served = meldEnvironment(scratch);
  served["MELD_SERVE"] = "all-legal";
  Outcome versions = runProgram(command, served);
  EXPECT_EQ(versions.status, 0) << versions.out << versions.err;
  EXPECT_EQ(versions.out, plain.out);
  EXPECT_EQ(versions.err.find("replaced code object"), std::string::npos) << versions.err;
}

INSTANTIATE_TEST_SUITE_P(All, ServedArrivals,
                         testing::Values("moduleTwice", "libraryTwice", "streams", "hiprtc",
                                         "globals", "cooperative", "graph", "threads", "forkAfter",
                                         "exitFromThread"),
                         [](const auto &one) { return std::string(one.param); });

INSTANTIATE_TEST_SUITE_P(All, Arrivals,
                         testing::Values("static", "secondUnit", "moduleFile", "moduleData",
                                         "moduleTwice", "library", "libraryTwice", "streams",
                                         "hiprtc", "hiprtcMath", "hiprtcErrors", "globals",
                                         "initialValues", "dynamicLds", "pointers", "recursion",
                                         "printf", "cooperative", "graph", "threads", "forkBefore",
                                         "forkAfter", "exec", "exitFromThread"),
                         [](const auto &one) { return std::string(one.param); });

// Two units of one device link, and two processors that share a program and a cache: each gets the
// code object that was made for it.
TEST(ArrivalsTogether, RelocatableCodeOnTwoProcessors) {
  Scratch scratch;
  for (int round = 0; round < 2; ++round)
    for (const std::string &gpu : {gpuUnderTest(), std::string("gfx900")}) {
      Environment environment = meldEnvironment(scratch);
      environment["MELD_GPU"] = gpu;
      environment["MELD_FORCE"] = "1"; // how code arrives, not whether it pays
      Outcome o = runProgram(MELD_ARRIVALS "_rdc", environment);
      EXPECT_EQ(o.status, 0) << o.err;
      EXPECT_EQ(o.out, "PASS rdc " + gpu + "\n");
      EXPECT_NE(o.err.find("replaced code object for amdgcn-amd-amdhsa--" + gpu), std::string::npos)
          << o.err;
      EXPECT_NE(o.err.find(round ? "(cache): " : "(compiled): "), std::string::npos) << o.err;
      EXPECT_EQ(o.err.find(round ? "compiled in" : "cache hit "), std::string::npos) << o.err;
    }
}

namespace {
/// The program with a module of our making beside it.
class WithModule {
public:
  explicit WithModule(const std::vector<std::pair<std::string, meld::Bytes>> &parts) {
    std::filesystem::create_symlink(MELD_ARRIVALS, scratch_.file("arrivals"));
    const meld::Bytes bundle = buildBundle(parts);
    std::ofstream(scratch_.file("arrivals_module.hsaco"), std::ios::binary)
        .write(reinterpret_cast<const char *>(bundle.data()), std::streamsize(bundle.size()));
  }
  Outcome run(const Environment &environment) const {
    return runProgram(scratch_.file("arrivals") + " moduleFile", environment);
  }

private:
  Scratch scratch_;
};
} // namespace

// SPIR-V for any GPU (clang's amdgcnspirv) beside code for this one, and alone: no HIP of these translates
// what is none, so the program gets the same error with libmeld as without.
TEST(ArrivalsTogether, BundleWithSpirv) {
  const std::string file = slurpText(std::string(MELD_ARRIVALS) + "_module.hsaco");
  const meld::ByteView bytes(reinterpret_cast<const uint8_t *>(file.data()), file.size());
  const auto images = meld::findDeviceImages(bytes);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_FALSE(images->empty());
  const std::pair<std::string, meld::Bytes> host{"host-x86_64-unknown-linux--", {}},
      spirv{"hip-spirv64-amd-amdhsa--amdgcnspirv", {0x03, 0x02, 0x23, 0x07, 0, 5, 1, 0}};
  std::vector<std::pair<std::string, meld::Bytes>> parts{host, spirv};
  for (const auto &image : *images)
    parts.emplace_back(image.id, meld::Bytes(image.bytes.begin(), image.bytes.end()));
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  environment["MELD_PASSES"] = "none";
  const Outcome both = WithModule(parts).run(environment);
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out, "PASS moduleFile\n");
  EXPECT_NE(both.err.find("replaced 1, unchanged 0"), std::string::npos) << both.err;

  const WithModule alone({host, spirv});
  const Outcome plain = alone.run(plainEnvironment()), melded = alone.run(environment);
  EXPECT_NE(plain.status, 0) << plain.out;
  EXPECT_EQ(melded.status, plain.status);
  EXPECT_EQ(melded.out, plain.out);
}

namespace {
/// Two translation units of a program that is built in another way than MELD_ARRIVALS: plain,
/// compiled, from the cache.
void bothUnitsAreReplaced(const std::string &program, const Environment &also = {}) {
  const std::string command = program + " static secondUnit globals";
  const std::string answer = "PASS static\nPASS secondUnit\nPASS globals\n";
  Environment plain = plainEnvironment();
  plain.insert(also.begin(), also.end());
  Outcome o = runProgram(command, plain);
  ASSERT_EQ(o.status, 0) << o.out << o.err;
  ASSERT_EQ(o.out, answer);
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  environment["MELD_PASSES"] = "none";
  environment.insert(also.begin(), also.end());
  for (int round = 0; round < 2; ++round) {
    o = runProgram(command, environment);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out, answer) << o.err;
    EXPECT_NE(o.err.find(round ? "(cache): " : "(compiled): "), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("replaced 2, unchanged 0"), std::string::npos) << o.err;
  }
}
} // namespace

// The runtime unpacks its bundles, where it can, and what reaches us is a code object like any
// other. Without comgr's cache: the comgr 7.0.2 of Debian sid takes "CCOB" and the version of the
// format for the whole key, so the second bundle it unpacks for a processor, of whatever program,
// is the first.
TEST(ArrivalsTogether, CompressedBundle) {
  const std::string program = MELD_ARRIVALS "_compressed";
  const std::string bytes = slurpText(program);
  if (bytes.empty())
    GTEST_SKIP() << "this hipcc makes none";
  ASSERT_NE(bytes.find("CCOB"), std::string::npos);
  bothUnitsAreReplaced(program, {{"AMD_COMGR_CACHE", "0"}});
}

// Code for a family of processors, of which the device is one.
TEST(ArrivalsTogether, GenericTarget) {
  const std::string program = MELD_ARRIVALS "_generic";
  if (!std::filesystem::exists(program))
    GTEST_SKIP() << "this hipcc knows no generic targets";
  if (gpuUnderTest() == "gfx90a")
    GTEST_SKIP() << "gfx90a belongs to none";
  bothUnitsAreReplaced(program);
}

namespace {

/// How often the other tool saw the load of a code object.
int seenByOther(const Outcome &o) {
  const std::string text = "othertool: ";
  size_t at = o.err.find(text);
  return at == std::string::npos ? -1 : std::atoi(o.err.c_str() + at + text.size());
}

Outcome withTool(const std::string &value, bool disabled = false) {
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  environment["HSA_TOOLS_LIB"] = value;
  environment["MELD_PASSES"] = "none";
  if (disabled)
    environment["MELD_DISABLE"] = "1";
  return runProgram(MELD_ARRIVALS " static moduleFile", environment);
}

} // namespace

TEST(Coexistence, AnotherToolBeforeUs) {
  Outcome o = withTool(MELD_LIB_DIR "/othertool.so");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("replaced 2"), std::string::npos) << o.err;
  EXPECT_GE(seenByOther(o), 2) << o.err;
}

TEST(Coexistence, AnotherToolAfterUs) {
  Outcome o = withTool(MELD_LIB_DIR "/libmeld.so " MELD_LIB_DIR "/othertool.so");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("replaced 2"), std::string::npos) << o.err;
  EXPECT_GE(seenByOther(o), 2) << o.err;
}

TEST(Coexistence, NamedTwiceWeAttachOnce) {
  Outcome o = withTool(MELD_LIB_DIR "/libmeld.so " MELD_LIB_DIR "/libmeld.so");
  EXPECT_EQ(o.status, 0) << o.err;
  size_t replaced = 0;
  for (size_t at = 0; (at = o.err.find("replaced code object for", at)) != std::string::npos; ++at)
    ++replaced;
  EXPECT_EQ(replaced, 2u) << o.err;
  EXPECT_NE(o.err.find("replaced 2"), std::string::npos) << o.err;
}

TEST(Coexistence, AToolThatDoesNotExist) {
  Outcome o = withTool("/nonexistent/tool.so");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("replaced 2"), std::string::npos) << o.err;
}

TEST(Coexistence, DisabledTheOtherToolIsAlone) {
  Outcome o = withTool(MELD_LIB_DIR "/othertool.so", true);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err.find("libmeld"), std::string::npos) << o.err;
  EXPECT_GE(seenByOther(o), 2) << o.err;
}

/// Newer ones (5.7 on) find tools among the libraries of the process, too: no variable matters
/// there.
static bool rocrFindsTools() {
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_LAZY);
  return hsa && dlsym(hsa, "hsa_amd_vmem_handle_create");
}

TEST(Coexistence, WhereRocrLoadsNoToolsInterpositionServes) {
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  environment["LD_PRELOAD"] = MELD_LIB_DIR "/cleartools.so " + environment["LD_PRELOAD"];
  environment["MELD_PASSES"] = "none";
  Outcome o = runProgram(MELD_ARRIVALS " static moduleFile globals", environment);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("replaced 2"), std::string::npos) << o.err;
  if (rocrFindsTools())
    GTEST_SKIP() << "this ROCr finds us by itself";
  EXPECT_NE(o.err.find("working through symbol interposition"), std::string::npos) << o.err;
}

TEST(Coexistence, WhereNothingReachesUsTheEndSaysSo) {
  const std::string warning = "the original code ran";
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  Outcome o = runProgram(MELD_DEEPBIND, environment);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "init 0\n");
  if (rocrFindsTools())
    GTEST_SKIP() << "this ROCr finds us by itself";
  EXPECT_NE(o.err.find(warning), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find(warning), o.err.rfind(warning)) << o.err;
  // Not where it is as the user wants it, and not where we are attached.
  environment["MELD_DISABLE"] = "1";
  EXPECT_EQ(runProgram(MELD_DEEPBIND, environment).err.find(warning), std::string::npos);
  EXPECT_EQ(runProgram(MELD_ARRIVALS " static", meldEnvironment(scratch)).err.find(warning),
            std::string::npos);
}
