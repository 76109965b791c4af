// The checkers: kernels of check.s, check10.s, check11.s and check12.s with one mistake each are
// found, at the instruction and by the checker that must find it; those without are clean, and so
// are compiled kernels.
#include "tests/runtime/softgpu/execute/test_code.h"

#include "runtime/softgpu/watch/check/check.h"

#include <algorithm>

namespace meld::softgpu::test {
namespace {

using std::vector;

class Checks : public testing::TestWithParam<std::tuple<std::string, bool>> {
protected:
  std::string target = std::get<0>(GetParam());
  bool timing = std::get<1>(GetParam());
  const std::string processor = target.substr(0, target.find("w64"));
  /// What is for waves of 64 lanes on RDNA has compiled kernels only.
  TestCode code{std::string(MELD_TEST_KERNELS) + "/check" +
                (processor == "gfx1030"   ? "10"
                 : processor == "gfx1100" ? "11"
                 : processor == "gfx1201" ? "12"
                                          : "") +
                "-" + processor + ".hsaco"};
  vector<uint32_t> data = vector<uint32_t>(1024, 1);

  std::unique_ptr<Gpu> gpu(unsigned checks = Check::all) {
    CheckSink::instance().clear();
    DeviceConfig c = testConfig(processor, 1);
    c.timing = timing;
    c.checks = checks;
    return Gpu::create(c);
  }
  vector<Finding> findingsOf(const std::string &kernel, unsigned checks) {
    auto g = gpu(checks);
    testing::internal::CaptureStderr();
    auto r = launch(*g, code, kernel, {128}, {128}, Args(data.data()));
    text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
    return CheckSink::instance().findings();
  }
  void clean(const std::string &kernel) {
    for (const Finding &f : findingsOf(kernel, Check::all))
      ADD_FAILURE() << kernel << ": " << f.check << " at " << f.offset << ": " << f.text << ": "
                    << f.detail;
    EXPECT_EQ(text, "") << kernel;
  }
  /// One finding, at the label bad_<kernel>.
  Finding one(const char *check, const std::string &kernel, const std::string &words) {
    const auto list = findingsOf(kernel, parseChecks(check)->checks);
    EXPECT_EQ(list.size(), 1u) << kernel << "\n" << text;
    if (list.empty())
      return {};
    const Finding &f = list[0];
    const uint64_t entry = code.descriptor(kernel) + code.field<uint64_t>(kernel, 16);
    EXPECT_EQ(f.check, check);
    EXPECT_EQ(f.kernel, kernel);
    EXPECT_EQ(uint64_t(f.offset), reinterpret_cast<uint64_t>(code.symbol("bad_" + kernel)) - entry)
        << text;
    EXPECT_NE(f.detail.find(words), std::string::npos) << f.detail;
    // One line that names kernel, place, instruction.
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_NE(text.find(std::string("meld-softgpu: ") + check + " in kernel " + kernel + " at +0x"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(f.text), std::string::npos) << text;
    EXPECT_NE(f.detail.find("workgroup (0,0,0) wave "), std::string::npos) << f.detail;
    return f;
  }
  /// Only races, at one end or both, and bad_<kernel> is one of the ends.
  void race(const std::string &kernel, size_t most) {
    const auto list = findingsOf(kernel, Check::race);
    const uint64_t entry = code.descriptor(kernel) + code.field<uint64_t>(kernel, 16);
    char mark[24];
    std::snprintf(mark, sizeof(mark), "at +0x%llx",
                  static_cast<unsigned long long>(
                      reinterpret_cast<uint64_t>(code.symbol("bad_" + kernel)) - entry));
    EXPECT_GE(list.size(), 1u) << kernel;
    EXPECT_LE(list.size(), most) << kernel << "\n" << text;
    for (const Finding &f : list) {
      EXPECT_EQ(f.check, "race");
      EXPECT_NE(f.detail.find("without a barrier in between"), std::string::npos) << f.detail;
      EXPECT_TRUE(f.detail.find("LDS byte 0x") == 0) << f.detail;
    }
    EXPECT_NE(text.find(mark), std::string::npos) << text;
  }
  /// What clang writes has none of these.
  void compiledKernelsAreClean();
  std::string text; ///< on stderr
};
INSTANTIATE_TEST_SUITE_P(Targets, Checks,
                         testing::Combine(testing::Values("gfx900", "gfx90a", "gfx942"),
                                          testing::Bool()),
                         [](auto &i) {
                           return std::get<0>(i.param) + (std::get<1>(i.param) ? "_timing" : "");
                         });

TEST_P(Checks, Hazards) {
  for (const char *kernel : {"vmem_ok", "stores_count", "reload", "flat_ok", "full_counter"})
    clean(kernel);
  EXPECT_EQ(
      one("hazard", "vmem_use", "v2 is read while the load at +0x10 is on its way (vmcnt)").count,
      2u); // both waves
  one("hazard", "vmem_order", "v3 is read");
  one("hazard", "overwrite", "v2 is overwritten");
  one("hazard", "reload_lds", "v2 is overwritten");
  one("hazard", "smem_order", "s4 is read");
  one("hazard", "lds_order", "v3 is read");
  one("hazard", "mixed_order", "v2 is read");
  one("hazard", "flat_memory", "(vmcnt)");
  one("hazard", "flat_lds", "(lgkmcnt)");
  one("hazard", "vcc_load", "vcc_lo is read");
}

TEST_P(Checks, UndefinedRegisters) {
  for (const char *kernel : {"defined", "masked_exec", "defined_lds", "decided"})
    clean(kernel);
  one("undefined", "undefined_store", "the stored value was never written");
  one("undefined", "undefined_address", "the address depends on v5");
  EXPECT_NE(one("undefined", "undefined_lanes", "the stored value").detail.find("lane 16"),
            std::string::npos);
  one("undefined", "undefined_scc", "the branch depends on scc");
  one("undefined", "undefined_exec", "EXEC depends");
  one("undefined", "undefined_readlane", "the branch depends on scc");
  one("undefined", "undefined_lds", "the stored value was never written");
  one("undefined", "undefined_through_lds", "the stored value was never written");
}

TEST_P(Checks, UndefinedHalvesOfPackedPairs) {
  if (target == "gfx900")
    GTEST_SKIP() << target << " has no packed pairs";
  clean("packed_halves");
  for (const char *kernel : {"undefined_packed", "undefined_packed_low", "undefined_packed_move",
                             "undefined_packed_scalar"})
    one("undefined", kernel, "the stored value was never written");
}

TEST_P(Checks, UndefinedHalvesOfMoves) {
  if (target != "gfx942")
    GTEST_SKIP() << target << " has no 64-bit moves";
  clean("halves_of_a_move");
  one("undefined", "undefined_move", "the stored value was never written");
}

TEST_P(Checks, LdsRaces) {
  for (const char *kernel : {"exchange", "no_race"})
    clean(kernel);
  race("no_barrier", 2);
  race("write_after_read", 2);
  race("both_write", 1);
  race("two_address", 2);
}

TEST_P(Checks, Barriers) {
  clean("all_meet");
  EXPECT_NE(one("barrier", "half_exec", "32 of 64 work-items of the wave are not here")
                .detail.find("wave 1 lane 32"),
            std::string::npos);
  one("barrier", "two_places", "wave 0 is at the barrier at +0x");
  one("barrier", "one_ends", "wave 1 has ended without it");
}

void Checks::compiledKernelsAreClean() {
  TestCode kernels(std::string(MELD_TEST_KERNELS) + "/kernels-" + target + ".hsaco");
  auto g = gpu();
  vector<uint32_t> in(8192, 3), out(8192);
  testing::internal::CaptureStderr();
  auto run = [&](const char *kernel, Args args) {
    auto r = launch(*g, kernels, kernel, {512}, {256}, std::move(args));
    EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
  };
  run("linear", Args(out.data()));
  run("reverse", Args(in.data(), out.data()));
  run("reduce", Args(in.data(), out.data()));
  run("collatz", Args(out.data()));
  run("scratch", Args(in.data(), out.data(), 100u));
  run("mix", Args(out.data(), 10u));
  auto r = launch(*g, kernels, "anywhere", {64}, {64}, Args(out.data(), 1u));
  EXPECT_EQ(r.code, DispatchCode::ok) << r.message;
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines, "");
  for (const Finding &f : CheckSink::instance().findings())
    ADD_FAILURE() << f.kernel << ": " << f.check << ": " << f.text << ": " << f.detail;
}

TEST_P(Checks, CompiledKernelsAreClean) { compiledKernelsAreClean(); }

class ChecksOfGfx1030 : public Checks {};
INSTANTIATE_TEST_SUITE_P(Targets, ChecksOfGfx1030,
                         testing::Combine(testing::Values("gfx1030", "gfx1030w64"),
                                          testing::Bool()),
                         [](auto &i) {
                           return std::get<0>(i.param) + (std::get<1>(i.param) ? "_timing" : "");
                         });

TEST_P(ChecksOfGfx1030, CompiledKernelsAreClean) { compiledKernelsAreClean(); }

TEST_P(ChecksOfGfx1030, Hazards) {
  clean("waits");
  one("hazard", "store_between", "v2 is read");
  one("hazard", "waits_for_stores", "v2 is read");
}

TEST_P(ChecksOfGfx1030, UndefinedRegisters) {
  clean("defined");
  one("undefined", "neighbour", "the branch depends on scc");
  one("undefined", "undefined_exec", "EXEC depends");
  one("undefined", "undefined_moved", "the stored value was never written");
  EXPECT_NE(one("undefined", "undefined_dpp", "the stored value").detail.find("lane 1"),
            std::string::npos);
}

class ChecksOfGfx1100 : public Checks {};
INSTANTIATE_TEST_SUITE_P(Targets, ChecksOfGfx1100,
                         testing::Combine(testing::Values("gfx1100", "gfx1100w64"),
                                          testing::Bool()),
                         [](auto &i) {
                           return std::get<0>(i.param) + (std::get<1>(i.param) ? "_timing" : "");
                         });

TEST_P(ChecksOfGfx1100, CompiledKernelsAreClean) { compiledKernelsAreClean(); }

TEST_P(ChecksOfGfx1100, Hazards) {
  clean("waits");
  one("hazard", "second_reads", "v2 is read");
  one("hazard", "answer", "s4 is read");
}

TEST_P(ChecksOfGfx1100, UndefinedHalvesOfPairs) {
  clean("pairs");
  one("undefined", "undefined_first", "the stored value was never written");
  one("undefined", "undefined_second", "the stored value was never written");
  one("undefined", "undefined_before", "the stored value was never written");
}

class ChecksOfGfx1201 : public Checks {};
INSTANTIATE_TEST_SUITE_P(Targets, ChecksOfGfx1201,
                         testing::Combine(testing::ValuesIn(withCode({"gfx1201", "gfx1201w64"})),
                                          testing::Bool()),
                         [](auto &i) {
                           return std::get<0>(i.param) + (std::get<1>(i.param) ? "_timing" : "");
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ChecksOfGfx1201); // without an LLVM that knows it

TEST_P(ChecksOfGfx1201, CompiledKernelsAreClean) { compiledKernelsAreClean(); }

TEST_P(ChecksOfGfx1201, Hazards) {
  clean("waits");
  one("hazard", "other_counter", "v2 is read");
  one("hazard", "scalar_load", "s4 is read");
  one("hazard", "local_load", "v2 is read");
}

TEST_P(ChecksOfGfx1201, UndefinedScalarFloats) {
  clean("floats");
  one("undefined", "undefined_fmac", "the branch depends on scc");
}

} // namespace
} // namespace meld::softgpu::test
