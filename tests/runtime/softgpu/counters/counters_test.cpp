#include "runtime/softgpu/counters/checks.h"
#include "runtime/softgpu/counters/counters.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace meld::softgpu {
namespace {

using nlohmann::json;

DispatchRecord sample(const char *kernel, uint64_t valu, uint64_t lanes) {
  DispatchRecord r;
  r.kernel = kernel;
  r.grid[0] = 128, r.grid[1] = r.grid[2] = 1;
  r.workgroup[0] = 64, r.workgroup[1] = r.workgroup[2] = 1;
  r.counters.waves = 2;
  r.counters.insts[unsigned(isa::Category::valu)] = valu;
  r.counters.insts[unsigned(isa::Category::branch)] = 3;
  r.counters.insts[unsigned(isa::Category::waitcnt)] = 4;
  r.counters.activeLanesValu = lanes;
  r.counters.cacheLines = 9;
  r.cycles = 100;
  r.computeUnits = 104;
  return r;
}

TEST(Counters, JsonHasDispatchesAndTotals) {
  CounterSink sink("unused");
  sink.record(sample("a", 10, 320));
  sink.record(sample("b \"quoted\"\xff", 0, 0));
  sink.record(sample("a", 30, 640));
  json j = json::parse(sink.toJson());
  EXPECT_EQ(j["device"], "gfx90a");
  ASSERT_EQ(j["dispatches"].size(), 3u);
  const json &first = j["dispatches"][0];
  EXPECT_EQ(first["kernel"], "a");
  EXPECT_EQ(first["grid"], json::array({128, 1, 1}));
  EXPECT_EQ(first["workgroup"], json::array({64, 1, 1}));
  EXPECT_EQ(first["waves"], 2);
  EXPECT_EQ(first["replaced"], false);
  EXPECT_EQ(first["cycles"], 100);
  EXPECT_EQ(first["computeUnits"], 104);
  EXPECT_EQ(first["counters"]["SQ_INSTS_VALU"], 10);
  EXPECT_EQ(first["counters"]["SQ_INSTS_BRANCH"], 3);
  EXPECT_EQ(first["counters"]["SQ_INSTS"], 17);
  EXPECT_EQ(first["counters"]["VALUUtilization"], 50.0);
  EXPECT_EQ(j["dispatches"][1]["counters"]["VALUUtilization"], 0.0)
      << "no vector instruction: not a division by zero";
  const json &a = j["totals"]["a"];
  EXPECT_EQ(a["dispatches"], 2);
  EXPECT_EQ(a["cycles"], 200);
  EXPECT_EQ(a["counters"]["SQ_WAVES"], 4);
  EXPECT_EQ(a["counters"]["VALUUtilization"], 100.0 * 960 / (40 * 64))
      << "weighted by instructions, not a mean of means";
}

// Of a wave of 32 lanes 32 can be active; of kernels in both sizes, each wave counts what it has.
TEST(Counters, UtilizationIsOfTheLanesThatWavesHave) {
  CounterSink sink("unused");
  for (const uint32_t lanes : {32u, 64u}) {
    DispatchRecord r;
    r.kernel = "k";
    r.waveSize = lanes;
    r.counters.insts[unsigned(isa::Category::valu)] = 10;
    r.counters.activeLanesValu = 240;
    sink.record(r);
  }
  const json j = json::parse(sink.toJson());
  EXPECT_EQ(j["dispatches"][0]["counters"]["VALUUtilization"], 75.0);
  EXPECT_EQ(j["dispatches"][0]["waveSize"], 32);
  EXPECT_EQ(j["dispatches"][1]["counters"]["VALUUtilization"], 37.5);
  EXPECT_FALSE(j["dispatches"][1].contains("waveSize"));
  EXPECT_EQ(j["totals"]["k"]["counters"]["VALUUtilization"], 50.0);
}

std::vector<std::string> words(const std::string &line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Counters, TableHasARowPerKernelAndTheirSum) {
  CounterSink sink("-");
  EXPECT_EQ(sink.toTable(), "");
  sink.record(sample("small", 10, 320));
  sink.record(sample("_Z3bigPfi", 1234567, 64 * 1234567));
  sink.record(sample("small", 30, 640));
  std::istringstream in(sink.toTable());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(lines[0]),
            (Words{"kernels", "on", "gfx90a", "calls", "waves", "insts", "VALU", "SALU", "SMEM",
                   "VMEM", "LDS", "branch", "lanes%", "confl.", "lines", "cycles"}));
  // 40 + 2 * 7 instructions; 960 of 40 * 64 lanes.
  EXPECT_EQ(words(lines[1]), (Words{"big(float*,", "int)", "1", "2", "1.23M", "1.23M", "0", "0",
                                    "0", "0", "3", "100.0", "0", "9", "100"}));
  EXPECT_EQ(words(lines[2]), (Words{"small", "2", "4", "54", "40", "0", "0", "0", "0", "6", "37.5",
                                    "0", "18", "200"}));
  EXPECT_EQ(words(lines[3]), (Words{"all", "3", "6", "1.23M", "1.23M", "0", "0", "0", "0", "9",
                                    "100.0", "0", "27", "300"}));
}

TEST(Counters, FindingsOfCheckersAreInTheJson) {
  CounterSink sink("unused");
  EXPECT_FALSE(json::parse(sink.toJson()).contains("checks"));
  CheckSink &checks = CheckSink::instance();
  checks.enable({"hazard", "race"});
  for (int k = 0; k < 3; ++k)
    checks.seen("race", "k", 16);
  testing::internal::CaptureStderr();
  checks.describe({"race", "k", 16, "ds_read_b32 v0, v1", "a byte", 0});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "meld-softgpu: race in kernel k at +0x10: ds_read_b32 v0, v1: a byte\n");
  const json j = json::parse(sink.toJson())["checks"];
  EXPECT_EQ(j["hazard"], json::array());
  ASSERT_EQ(j["race"].size(), 1u);
  EXPECT_EQ(j["race"][0]["count"], 3);
  EXPECT_EQ(j["race"][0]["offset"], 16);
  EXPECT_EQ(j["race"][0]["text"], "ds_read_b32 v0, v1");
  checks.clear();
  checks.enable({});
}

TEST(Counters, DisabledSinkKeepsNothing) {
  CounterSink sink("");
  EXPECT_FALSE(sink.enabled());
  sink.record(sample("a", 1, 1));
  EXPECT_TRUE(json::parse(sink.toJson())["dispatches"].empty());
}

TEST(Counters, FileNamesMayHoldTheProcessId) {
  const std::string base = testing::TempDir() + "meld-counters-" + std::to_string(getpid()) + "-";
  CounterSink sink(base + "%p.json");
  sink.record(sample("a", 1, 64));
  sink.flush();
  const std::string name = base + std::to_string(getpid()) + ".json";
  std::ifstream in(name);
  EXPECT_EQ(json::parse(in)["dispatches"].size(), 1u);
  std::remove(name.c_str());
}

TEST(Counters, AForkedChildDoesNotWriteItsParentsRecords) {
  const std::string name =
      testing::TempDir() + "meld-counters-fork-" + std::to_string(getpid()) + ".json";
  CounterSink sink(name);
  sink.record(sample("a", 1, 64));
  pid_t child = fork();
  if (child == 0) {
    sink.flush();
    _exit(access(name.c_str(), F_OK) == 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Counters, UnwritableFileIsOneWarning) {
  CounterSink sink("/no/such/folder/x.json");
  sink.record(sample("a", 1, 64));
  testing::internal::CaptureStderr();
  sink.flush();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("/no/such/folder/x.json"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

DispatchRecord on(unsigned device, isa::Target target, DispatchRecord r) {
  r.device = target;
  r.deviceIndex = device;
  r.deviceCount = 3;
  return r;
}

TEST(Counters, SeveralDevicesAreKeptApart) {
  CounterSink sink("unused");
  sink.record(on(2, isa::Target::gfx900, sample("k", 10, 320)));
  sink.record(on(1, isa::Target::gfx90a, sample("k", 30, 640)));
  sink.record(on(2, isa::Target::gfx900, sample("k", 50, 640)));
  const json j = json::parse(sink.toJson());
  EXPECT_EQ(j["device"], "gfx90a,gfx900"); // device 0 ran nothing
  ASSERT_EQ(j["devices"].size(), 2u);
  EXPECT_EQ(j["devices"][0]["index"], 1);
  EXPECT_EQ(j["devices"][0]["device"], "gfx90a");
  EXPECT_EQ(j["devices"][0]["totals"]["k"]["counters"]["SQ_INSTS_VALU"], 30);
  EXPECT_EQ(j["devices"][1]["index"], 2);
  EXPECT_EQ(j["devices"][1]["device"], "gfx900");
  EXPECT_EQ(j["devices"][1]["totals"]["k"]["counters"]["SQ_INSTS_VALU"], 60);
  EXPECT_EQ(j["devices"][1]["totals"]["k"]["dispatches"], 2);
  EXPECT_EQ(j["totals"]["k"]["counters"]["SQ_INSTS_VALU"], 90);
  EXPECT_EQ(j["dispatches"][0]["deviceIndex"], 2);
  EXPECT_EQ(j["dispatches"][0]["device"], "gfx900");
  EXPECT_EQ(j["dispatches"][1]["deviceIndex"], 1);

  std::istringstream in(sink.toTable());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].rfind("kernels on device 1, gfx90a ", 0), 0u) << lines[0];
  EXPECT_EQ(words(lines[1])[4], "30");
  EXPECT_EQ(lines[2].rfind("kernels on device 2, gfx900 ", 0), 0u) << lines[2];
  EXPECT_EQ(words(lines[3])[4], "60");
}

TEST(Counters, AFindingOfAnotherDeviceIsAnother) {
  CheckSink &checks = CheckSink::instance();
  checks.enable({"race"});
  EXPECT_TRUE(checks.seen("race", "k", 16, "device 0 (gfx90a)"));
  EXPECT_TRUE(checks.seen("race", "k", 16, "device 1 (gfx900)"));
  EXPECT_FALSE(checks.seen("race", "k", 16, "device 1 (gfx900)"));
  testing::internal::CaptureStderr();
  checks.describe({"race", "k", 16, "ds_read_b32 v0, v1", "a byte", 0, "device 1 (gfx900)"});
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "meld-softgpu: race in kernel k on device 1 (gfx900) at +0x10: ds_read_b32 v0, v1: a byte\n");
  testing::internal::CaptureStderr();
  checks.describe({"race", "k", 16, "ds_read_b32 v0, v1", "a byte", 0, "device 0 (gfx90a)"});
  testing::internal::GetCapturedStderr();
  CounterSink sink("unused");
  const json race = json::parse(sink.toJson())["checks"]["race"];
  ASSERT_EQ(race.size(), 2u);
  EXPECT_EQ(race[1]["device"], "device 1 (gfx900)");
  EXPECT_EQ(race[1]["count"], 2);
  checks.clear();
  checks.enable({});
}

} // namespace
} // namespace meld::softgpu
