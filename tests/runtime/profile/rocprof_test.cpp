// The records were written by hand after rocprofiler-sdk's documentation and sources; what has to come
// of them is worked out beside each expectation.
#include "runtime/profile/rocprof.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace meld::profile {
namespace {

std::string recorded(const std::string &name) {
  std::ifstream in(MELD_ROCPROF_FILES "/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<Trace> traceOf(const std::string &text) {
  std::istringstream in(text);
  return readTrace(in);
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Rocprof, HostTrap) {
  const auto trace = traceOf(recorded("host_trap_results.json"));
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->kernels.size(), 3u);
  const TracedKernel &walk = trace->kernels[0], &seld = trace->kernels[1],
                     &back = trace->kernels[2];
  EXPECT_EQ(walk.name, "_Z4walkPf");
  EXPECT_EQ(walk.processor, "gfx90a");
  EXPECT_EQ(walk.objectSize, 9000u);
  EXPECT_EQ(walk.launches, 2u);
  // 5 x 2 groups of 4 waves; 2 x 10 groups of 96 work-items, two waves each. 110 x 4 SIMDs.
  EXPECT_EQ(walk.waves, 40u + 40u);
  EXPECT_DOUBLE_EQ(walk.wavesPerSimd, 80.0 / 440);
  // It begins at 4096; samples at 4100 with 64 and 8 lanes, one at 4108 without any.
  EXPECT_EQ(walk.hostTrap, (SamplesByOffset{{4, {2, 72}}}));
  EXPECT_TRUE(walk.issued.empty());
  EXPECT_EQ(seld.name, "_Z4seldPf");
  EXPECT_EQ(seld.launches, 0u);
  EXPECT_TRUE(seld.hostTrap.empty());
  // Loaded at a difference to its base; the file's size stands in its name.
  EXPECT_EQ(back.objectSize, 7000u);
  EXPECT_EQ(back.waves, 1u);
  EXPECT_EQ(back.hostTrap, (SamplesByOffset{{8, {1, 32}}}));
  EXPECT_EQ(trace->totals, (SampleTotals{5, 0, 0, 1, 1}));
}

TEST(Rocprof, StochasticCountsWhatWasIssued) {
  const auto trace = traceOf(recorded("stochastic_results.json"));
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->kernels.size(), 1u);
  EXPECT_EQ(trace->kernels[0].issued, (SamplesByOffset{{8, {1, 16}}}));
  EXPECT_TRUE(trace->kernels[0].hostTrap.empty());
  EXPECT_EQ(trace->kernels[0].waves, 100u);
  EXPECT_EQ(trace->totals, (SampleTotals{0, 3, 2, 0, 0})) << "one waits, one is a branch";
}

TEST(Rocprof, AnyTruncationIsAnErrorThatNamesTheOffset) {
  std::string text = recorded("stochastic_results.json");
  text.resize(text.find_last_not_of('\n') + 1);
  for (size_t size = 0; size < text.size(); ++size) {
    const auto trace = traceOf(text.substr(0, size));
    ASSERT_FALSE(trace) << size;
    EXPECT_EQ(trace.error().code, ErrorCode::badInput);
    // The parser says that the byte behind the last is missing.
    EXPECT_EQ(trace.error().message.find("offset " + std::to_string(size + 1) + ":"), 0u)
        << trace.error().message;
  }
}

TEST(Rocprof, WhatIsWrongIsNamedWithItsOffset) {
  const std::string text = recorded("host_trap_results.json");
  struct {
    std::string from, to, why;
  } const cases[] = {
      {R"("exec_mask": 255)", R"("exec_mask": -1)", "exec_mask"},
      {R"("exec_mask": 255)", R"("exec_mask": "255")", "exec_mask"},
      {R"("exec_mask": 255)", R"("exec": 255)", "exec_mask"},
      {R"("code_object_offset": 4108)", R"("code_object_offset": 4108.5)", "code_object_offset"},
      {R"("pc": {"code_object_id": 2, "code_object_offset": 2056})", R"("pc": 7)", "pc"},
      {R"("kernel_code_entry_byte_offset": 3264)", R"("kernel_code_entry_byte_offset": "x")",
       "kernel_code_entry_byte_offset"},
      {R"("kernel_name": "_Z4seldPf.kd")", R"("kernel_name": 7)", "kernel_name"},
      {R"("workgroup_size": {"x": 256)", R"("workgroup_size": {"x": 0)", "launch of no size"},
      {R"("grid_size": {"x": 1100)", R"("grid_size": {"x": 99999999999)", "launch of no size"},
      {R"("simd_count": 440)", R"("simds": 440)", "simd_count"},
      {R"("load_base": 150000000000000)", R"("load": 150000000000000)", "load_base"},
  };
  for (const auto &[from, to, why] : cases) {
    const std::string wrong = with(text, from, to);
    const auto trace = traceOf(wrong);
    ASSERT_FALSE(trace) << to;
    EXPECT_EQ(trace.error().code, ErrorCode::badInput);
    EXPECT_NE(trace.error().message.find(why), std::string::npos) << trace.error().message;
    // At the end of the record it stands in, which begins no further than a line before.
    const size_t offset = std::stoull(trace.error().message.substr(7));
    EXPECT_GT(offset, wrong.find(to)) << trace.error().message;
    EXPECT_LT(offset, wrong.find(to) + 800) << trace.error().message;
  }
}

TEST(Rocprof, WhatRefersToNothingIsAnError) {
  const std::string text = recorded("host_trap_results.json");
  for (const auto &[from, to, why] :
       {std::tuple{R"("code_object_id": 1, "agent_id")", R"("code_object_id": 9, "agent_id")",
                   "code object that is not listed"},
        {R"("kernel_id": 13, "code)", R"("kernel_id": 14, "code)", "kernel that is not listed"},
        {R"("id": {"handle": 200}, "type")", R"("id": {"handle": 201}, "type")",
         "agent that is not listed"}}) {
    const auto trace = traceOf(with(text, from, to));
    ASSERT_FALSE(trace) << to;
    EXPECT_NE(trace.error().message.find(why), std::string::npos) << trace.error().message;
  }
}

TEST(Rocprof, OtherFilesAreToldApart) {
  for (const char *other : {"", "{}", "[]", "7", R"({"traceEvents": []})",
                            R"("Sample_Timestamp","Exec_Mask","Dispatch_Id")",
                            "\x7f"
                            "ELF"}) {
    const auto trace = traceOf(other);
    ASSERT_FALSE(trace) << other;
    EXPECT_EQ(trace.error().code, ErrorCode::badInput) << other;
  }
  // Of ROCm 6.3, or without sampling: a trace of kernels, and no list of samples.
  std::string older = recorded("stochastic_results.json");
  older = with(older, "pc_sample_stochastic", "hip_api");
  const auto without = traceOf(older);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::unsupported);
  // Samples alone do not say which kernels never ran.
  const auto untraced =
      traceOf(with(recorded("stochastic_results.json"), "kernel_dispatch", "scratch_memory"));
  ASSERT_FALSE(untraced);
  EXPECT_NE(untraced.error().message.find("no trace of kernels"), std::string::npos);
}

TEST(Rocprof, TheSameNamesElsewhereAreNoRecords) {
  // Lists of the same name at other places, and records nobody knows.
  const std::string text = recorded("host_trap_results.json");
  const auto trace = traceOf(with(
      text, R"("counters": [],)",
      R"("counters": [{"pc_sample_host_trap": [{"record": 7}]}], "kernel_dispatch": [1, {"a": [2]}],)"));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->totals.hostTrap, 5u);
  EXPECT_EQ(trace->kernels[0].launches, 2u);
}

} // namespace
} // namespace meld::profile
