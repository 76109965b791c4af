// meld profile --device gpu, with a stand-in for rocprofv3 (fake/rocprofv3) that samples what the
// software GPU executes. What is true of the program it counts itself, and so does the software GPU.
#include "runtime/profile/profile.h"
#include "tests/e2e/process.h"

#include <gtest/gtest.h>

namespace meld::e2e {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct SampledRun : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("meld-sampled-test-" + std::to_string(getpid()));
  SampledRun() { fs::create_directories(folder); }
  ~SampledRun() override { fs::remove_all(folder); }

  using Environment = std::map<std::string, std::string>;

  Outcome meld(std::vector<std::string> arguments, Environment environment = {}) const {
    arguments.insert(arguments.begin(), MELD_BIN_DIR "/meld");
    environment.emplace("PATH", std::string(MELD_FAKE_DIR ":") + std::getenv("PATH"));
    environment.emplace("FAKE_SOFTGPU", MELD_LIB_DIR "/libmeld-softgpu.so");
    environment.emplace("FAKE_MELD", MELD_BIN_DIR "/meld");
    environment.emplace("MELD_CACHE_DIR", folder / "cache");
    environment.emplace("MELD_COMPILE_BUDGET_MS", "0");
    environment.emplace("TMPDIR", folder);
    return run(arguments, environment);
  }
  Outcome profiled(const std::string &device, const std::string &program, const std::string &output,
                   const Environment &environment = {}) const {
    return meld({"profile", "--device", device, "-o", output, "--", MELD_BIN_DIR "/hip/" + program},
                environment);
  }
  profile::Profile profileOf(const std::string &device, const std::string &program,
                             const Environment &environment = {}) const {
    const std::string file = folder / (device + program + ".meldprof");
    const Outcome o = profiled(device, program, file, environment);
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_NE(o.out.find("PASS"), std::string::npos) << "the program's own output";
    const auto profile = profile::parseProfile(textOf(file));
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? *profile : profile::Profile();
  }
  /// Fails, with one line that has `why`, and writes nothing.
  void expectRefused(const std::string &why, const Environment &environment) const {
    const std::string file = folder / "refused.meldprof";
    const Outcome o = profiled("gpu", "many_kernels", file, environment);
    EXPECT_EQ(o.exitCode, 1) << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_FALSE(fs::exists(file));
  }
};

const profile::Function *find(const std::vector<profile::Function> &functions,
                              const std::string &name) {
  const auto it = std::ranges::find(functions, name, &profile::Function::name);
  return it == functions.end() ? nullptr : &*it;
}

/// Sampled and counted functions side by side; how many numbers could be compared.
struct Compared {
  unsigned means = 0, bounds = 0, belowOne = 0;
};

Compared compare(const profile::Kernel &counted, const profile::SampledKernel &sampled) {
  Compared compared;
  for (const profile::SampledFunction &f : sampled.functions) {
    const profile::Function *truth = find(counted.functions, f.name);
    EXPECT_TRUE(truth) << f.name;
    if (!truth || truth->blocks.size() != f.blocks.size() || truth->cfg != f.cfg) {
      ADD_FAILURE() << f.name << ": another function";
      continue;
    }
    for (size_t b = 0; b < f.blocks.size(); ++b)
      if (f.blocks[b].enough()) {
        ++compared.means;
        // Masks are drawn around each instruction's mean; copies of a block differ in theirs.
        EXPECT_GE(truth->blocks[b].meanLanes(), f.blocks[b].meanLanes.low - 1)
            << f.name << " " << b;
        EXPECT_LE(truth->blocks[b].meanLanes(), f.blocks[b].meanLanes.high + 1)
            << f.name << " " << b;
      }
    for (size_t b = 0; b < f.branches.size(); ++b)
      if (const auto bound = bothAtMost(f, f.branches[b]); bound && truth->branches[b].executions) {
        ++compared.bounds;
        compared.belowOne += *bound < 0.95;
        const profile::Branch &branch = truth->branches[b];
        EXPECT_GE(*bound, double(branch.both()) / double(branch.executions) - 0.02)
            << f.name << " " << b;
      }
  }
  return compared;
}

TEST_F(SampledRun, LaunchesAreCountedAndNothingNeverRanForWantOfSamples) {
  // So few samples that most kernels have none that could be used.
  const profile::Profile sampled = profileOf("gpu", "many_kernels", {{"FAKE_SAMPLES", "20"}});
  const profile::Profile counted = profileOf("software", "many_kernels");
  ASSERT_EQ(sampled.objects.size(), 1u);
  ASSERT_EQ(sampled.objects[0].hash, counted.objects.at(0).hash);
  unsigned ran = 0;
  for (const profile::Kernel &truth : counted.objects[0].kernels) {
    const profile::Kernel *kernel = sampled.objects[0].find(truth.name);
    ASSERT_TRUE(kernel) << truth.name;
    EXPECT_EQ(kernel->launches, truth.launches);
    EXPECT_EQ(kernel->waves, truth.waves);
    EXPECT_EQ(kernel->sampled.has_value(), truth.ran()) << truth.name;
    ran += kernel->ran();
  }
  EXPECT_EQ(ran, 3u);
  // As with a counted profile, the three that ran are compiled and no other.
  const Outcome used =
      meld({"run", "--device", "software", "--", MELD_BIN_DIR "/hip/many_kernels"},
           {{"MELD_PROFILE", folder / "gpumany_kernels.meldprof"}, {"MELD_REPORT", "1"}});
  EXPECT_NE(used.err.find("kernels served as a version 3;"), std::string::npos) << used.err;
}

TEST_F(SampledRun, HostTrapGivesLanesAndBounds) {
  const profile::Profile sampled = profileOf("gpu", "counted");
  const profile::Profile counted = profileOf("software", "counted");
  const profile::Kernel &kernel = sampled.objects.at(0).kernels.at(0);
  ASSERT_TRUE(kernel.sampled);
  EXPECT_EQ(kernel.sampled->method, profile::SampleMethod::hostTrap);
  EXPECT_EQ(kernel.waves, counted.objects.at(0).kernels.at(0).waves);
  const Compared compared = compare(counted.objects.at(0).kernels.at(0), *kernel.sampled);
  EXPECT_GE(compared.means, 15u);
  EXPECT_GE(compared.bounds, 2u);
  EXPECT_GE(compared.belowOne, 1u);
  for (const profile::SampledFunction &f : kernel.sampled->functions) {
    for (const profile::Sampled &block : f.blocks)
      EXPECT_FALSE(block.rate) << "time tells no executions";
    for (const profile::SampledLoop &loop : f.loops)
      EXPECT_FALSE(tripsOf(f, loop));
  }
}

TEST_F(SampledRun, StochasticGivesTripsToo) {
  const profile::Profile sampled =
      profileOf("gpu", "counted", {{"FAKE_STOCHASTIC", "1"}, {"FAKE_SAMPLES", "100000"}});
  const profile::Profile counted = profileOf("software", "counted");
  const profile::Kernel &kernel = sampled.objects.at(0).kernels.at(0),
                        &truth = counted.objects.at(0).kernels.at(0);
  ASSERT_TRUE(kernel.sampled);
  EXPECT_EQ(kernel.sampled->method, profile::SampleMethod::stochastic);
  EXPECT_GE(compare(truth, *kernel.sampled).belowOne, 1u);
  unsigned loops = 0;
  for (const profile::SampledFunction &f : kernel.sampled->functions)
    for (size_t i = 0; i < f.loops.size(); ++i)
      if (const auto trips = tripsOf(f, f.loops[i])) {
        const double right = find(truth.functions, f.name)->loops.at(i).waveMean();
        EXPECT_NEAR(*trips, right, 0.2 * right) << f.name;
        ++loops;
      }
  EXPECT_GE(loops, 2u);
}

TEST_F(SampledRun, TheCompilerUsesBounds) {
  profileOf("gpu", "counted");
  const Outcome o = meld({"explain", "counted", MELD_BIN_DIR "/hip/counted"},
                         {{"MELD_PROFILE", folder / "gpucounted.meldprof"}});
  EXPECT_NE((o.out + o.err).find("both sides run in at most "), std::string::npos)
      << o.out << o.err;
  EXPECT_EQ((o.out + o.err).find("it never ran in the profile"), std::string::npos);
}

TEST_F(SampledRun, WhereThereIsNoRocprofTheErrorSaysWhatWasLookedFor) {
  expectRefused("is of ROCm 6.3.1; PC samples need rocprofiler-sdk of ROCm 6.4 or later",
                {{"FAKE_VERSION", "6.3.1"}});
  expectRefused("does not tell its version", {{"PATH", MELD_BROKEN_DIR ":/usr/bin:/bin"}});
  if (fs::exists("/opt/rocm/bin/rocprofv3"))
    GTEST_SKIP() << "there is one";
  expectRefused("there is no rocprofv3 on PATH, in $ROCM_PATH/bin or in /opt/rocm/bin",
                {{"PATH", "/usr/bin:/bin"}, {"ROCM_PATH", ""}});
}

TEST_F(SampledRun, DamagedResultsAreToldWithFileAndOffset) {
  const std::string file = folder / "damaged.meldprof";
  const Outcome cut = profiled("gpu", "counted", file, {{"FAKE_DAMAGE", "cut"}});
  EXPECT_EQ(cut.exitCode, 1);
  EXPECT_NE(cut.err.find("_results.json: offset "), std::string::npos) << cut.err;
  const Outcome none = profiled("gpu", "counted", file, {{"FAKE_DAMAGE", "none"}});
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_NE(none.err.find("rocprofv3 has written no results"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(file));
  for (const auto &entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename().string().find("meld-profile"), std::string::npos)
        << "nothing is left behind";
}

} // namespace
} // namespace meld::e2e
