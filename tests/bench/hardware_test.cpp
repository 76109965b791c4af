// Measurements of devices: what is read from programs, driver and profiler, what a file holds, and
// what a comparison says, against values worked out by hand. Nothing here needs a GPU.
#include "bench/hardware/collect.h"
#include "bench/hardware/compare.h"
#include "bench/hardware/device.h"
#include "bench/hardware/launches.h"
#include "tests/runtime/cache/scratch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace meld::bench;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

void put(const fs::path &file, const std::string &text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// One program with one kernel, times as given.
ProgramTimes program(const std::string &benchmark, std::vector<double> original,
                     std::vector<double> melded) {
  ProgramTimes p;
  p.benchmark = benchmark;
  p.set = "melding";
  p.arguments = {"--size", "small"};
  p.replaced = true;
  p.kernels["_Z4sortPi"] = {3, std::move(original), std::move(melded)};
  return p;
}

Record record(std::vector<ProgramTimes> programs) {
  Record r;
  r.device = {false, "AMD Radeon VII", "gfx906:sramecc-", 60,
              1800,  "50221153",       "50221153",        "6.1.0"};
  r.options = {3, 2, 500, "small", "", false};
  r.date = "2026-11-24";
  r.counterTool = "none";
  r.programs = std::move(programs);
  r.complete = true;
  return r;
}

} // namespace

TEST(HardwareStatistics, MedianAndItsInterval) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  // Ranks of the 95 % interval, as tables of the sign test have them: 6 values 1 and 6, 10 values 2
  // and 9, 20 values 6 and 15.
  const auto ranks = [](int n) {
    std::vector<double> values;
    for (int i = n; i >= 1; --i)
      values.push_back(i);
    const Spread s = spreadOf(values);
    return std::pair(s.low, s.high);
  };
  EXPECT_EQ(ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ranks(10), std::pair(2.0, 9.0));
  EXPECT_EQ(ranks(20), std::pair(6.0, 15.0));
  EXPECT_EQ(ranks(5), std::pair(1.0, 5.0)) << "all there is";
  EXPECT_EQ(ranks(1), std::pair(1.0, 1.0));
  EXPECT_TRUE(spreadOf({1.1, 1.2}).awayFromOne());
  EXPECT_TRUE(spreadOf({0.8, 0.9}).awayFromOne());
  EXPECT_FALSE(spreadOf({0.9, 1.2}).awayFromOne());
  EXPECT_FALSE(spreadOf({}).awayFromOne());
}

TEST(HardwareLaunches, SumsLeaveTheWarmUpOut) {
  const auto times = launchTimesOf("100 a\n7 b\n200 a\n10 a\n1 b\n20 a\n30 a\n3 b\n40 a\n");
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 9u);
  const auto sums = sumsOf(*times, 3);
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->at("a"), (std::pair<double, unsigned>(50, 2))) << "the median of 30 and 70";
  EXPECT_EQ(sums->at("b"), (std::pair<double, unsigned>(2, 1)));
  EXPECT_EQ(sumsOf(*times, 1)->at("b").first, 11) << "one repetition is not left out";
  EXPECT_FALSE(sumsOf(*times, 2)) << "nine launches are not twice the same";
  EXPECT_FALSE(sumsOf({}, 1));
  EXPECT_FALSE(sumsOf({{"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}, {"b", 1}, {"b", 1}}, 3));
}

TEST(HardwareLaunches, LinesThatAreNoneAreRefused) {
  EXPECT_TRUE(launchTimesOf("")->empty());
  EXPECT_EQ(launchTimesOf("5 void f<int, 3>(int*)\n")->front().kernel, "void f<int, 3>(int*)");
  const auto bad = launchTimesOf("5 a\nhello\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos) << bad.error().message;
  EXPECT_FALSE(launchTimesOf("-5 a\n"));
  EXPECT_FALSE(launchTimesOf("5\n"));
}

// The form that rocprofv3's documentation shows for counter collection.
TEST(HardwareLaunches, CountersOfTheProfiler) {
  const Counters counters = countersOfCsv(
      "\"Correlation_Id\",\"Dispatch_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\"\n"
      "1,1,\"f<int, 3>\",\"SQ_WAVES\",256.000000\n"
      "2,2,\"f<int, 3>\",\"SQ_WAVES\",64.000000\n"
      "2,2,\"g.kd\",\"SQ_INSTS_VALU\",7\n"
      "3,3,\"__amd_rocclr_fillBufferAligned\",\"SQ_WAVES\",9\n"
      "4\n");
  EXPECT_EQ(counters.size(), 2u) << "the runtime's own kernels do not count";
  EXPECT_EQ(counters.at("f<int, 3>").at("SQ_WAVES"), 320u);
  EXPECT_EQ(counters.at("g").at("SQ_INSTS_VALU"), 7u);
  EXPECT_TRUE(countersOfCsv("").empty());
  EXPECT_TRUE(countersOfCsv("something,else\n1,2\n").empty());
}

TEST(HardwareDevice, FactsOfTheMicrobenchmarks) {
  const std::string output = "device name AMD Instinct MI210\ndevice arch gfx90a:sramecc+:xnack-\n"
                             "device units 104\ndevice clock 1700\ndevice runtime 50221153\n"
                             "device driver 50221153\ndevice pci 0000:03:00.0\nmicro a 64\n";
  const auto facts = factsOf(output);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->name, "AMD Instinct MI210");
  EXPECT_EQ(facts->gfx(), "gfx90a");
  EXPECT_EQ(facts->computeUnits, 104u);
  EXPECT_DOUBLE_EQ(facts->clockMhz, 1700);
  const auto bad = factsOf("device name X\ndevice arch gfx90a\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("units"), std::string::npos) << bad.error().message;
  EXPECT_EQ(versionNumbers("6.1.0-18-amd64"), "6.1.0");
  EXPECT_EQ(versionNumbers("6.8.0+bobs-own"), "6.8.0");
}

// Files as the amdgpu driver writes them.
TEST(HardwareDevice, ClocksAndProfilesOfTheDriver) {
  EXPECT_EQ(currentClock("0: 852Mhz \n1: 991Mhz \n2: 1536Mhz *\n"), 1536);
  EXPECT_EQ(currentClock("S: 19Mhz *\n0: 500Mhz\n"), 19);
  EXPECT_FALSE(currentClock("0: 852Mhz\n"));
  EXPECT_FALSE(currentClock(""));
  EXPECT_EQ(currentProfile("NUM        MODE_NAME     SCLK_UP_HYST\n"
                           "  0   BOOTUP_DEFAULT:        -\n  1 3D_FULL_SCREEN *:        0\n"),
            "3D_FULL_SCREEN");
  EXPECT_EQ(currentProfile("PROFILE_INDEX(NAME)\n 0 BOOTUP_DEFAULT*:\n"), "BOOTUP_DEFAULT");
  EXPECT_EQ(currentProfile("nothing"), "");
}

TEST(HardwareDevice, WhatTheDriverTells) {
  Scratch scratch;
  const fs::path sysfs = scratch.file("sys");
  const fs::path device = sysfs / "bus/pci/devices/0000:03:00.0";
  EXPECT_TRUE(sysfsFolderOf("device pci 0000:03:00.0\n", sysfs).empty());
  put(device / "pp_dpm_sclk", "0: 300Mhz\n1: 1700Mhz *\n");
  put(device / "power_dpm_force_performance_level", "auto\n");
  put(device / "pp_power_profile_mode", "  5   COMPUTE*:\n");
  put(device / "gpu_busy_percent", "3\n");
  put(device / "hwmon/hwmon4/power1_average", "40000000\n");
  ASSERT_EQ(sysfsFolderOf("device pci 0000:03:00.0\n", sysfs), device);
  PowerSampler sampler(device);
  EXPECT_EQ(sampler.performanceLevel(), "auto");
  EXPECT_EQ(sampler.powerProfile(), "COMPUTE");
  PowerOfRound round;
  for (int i = 0; i < 500 && !round.values.count("sclkMHz"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (const PowerOfRound so = sampler.take(); !so.values.empty())
      round = so;
  }
  ASSERT_TRUE(round.values.count("sclkMHz"));
  EXPECT_DOUBLE_EQ(round.values["sclkMHz"].median, 1700);
  EXPECT_DOUBLE_EQ(round.values["watts"].most, 40);
  EXPECT_EQ(round.values.count("mclkMHz"), 0u) << "no such file";
  EXPECT_EQ(round.busyBefore, 3);

  put(sysfs / "class/kfd/kfd/topology/nodes/0/properties",
      "cpu_cores_count 8\ngfx_target_version 0\n");
  put(sysfs / "class/kfd/kfd/topology/nodes/1/properties", "gfx_target_version 90010\n");
  put(sysfs / "class/kfd/kfd/topology/nodes/2/properties", "gfx_target_version 100300\n");
  EXPECT_EQ(installedGpus(sysfs), (std::vector<std::string>{"gfx1030", "gfx90a"}));
  EXPECT_TRUE(installedGpus(sysfs / "no").empty());
}

TEST(HardwareRecord, WhatIsWrittenIsRead) {
  Record before = record({program("BIT 64", {3, 4}, {1, 2})});
  before.micro = {{"valu-add", {64}, {100.5}}};
  before.power.push_back({{{"sclkMHz", {300, 1600, 1700}}}, 12});
  before.performanceLevel = "auto";
  before.programs[0].originalCounters["_Z4sortPi"]["SQ_WAVES"] = 12345678901;
  Scratch scratch;
  const fs::path file = scratch.file("record.json");
  ASSERT_TRUE(writeRecord(file, before));
  const auto after = readRecord(file);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(toJson(*after), toJson(before));
  EXPECT_EQ(after->find("BIT 64")->rounds(), 2u);
  EXPECT_EQ(after->find("BIT 64")->originalCounters.at("_Z4sortPi").at("SQ_WAVES"), 12345678901u);
  EXPECT_EQ(after->power[0].busyBefore, 12);
  EXPECT_EQ(after->find("BIT 32"), nullptr);
}

TEST(HardwareRecord, WhatIsWrongIsNamed) {
  const auto good = toJson(record({program("BIT 64", {3}, {1})}));
  const auto problem = [&](const std::function<void(nlohmann::json &)> &spoil) {
    auto bad = good;
    spoil(bad);
    const auto read = recordOf(bad.dump());
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(problem([](auto &) {}), "");
  EXPECT_NE(problem([](auto &j) { j.erase("format"); }), "");
  EXPECT_NE(problem([](auto &j) { j["version"] = 2; }).find("version 2"), std::string::npos);
  EXPECT_EQ(problem([](auto &j) { j["device"].erase("arch"); }), "device: arch is missing");
  EXPECT_EQ(problem([](auto &j) { j["device"]["computeUnits"] = 1.5; }),
            "device: computeUnits is no count");
  EXPECT_EQ(problem([](auto &j) { j["programs"][0]["kernels"][0]["melded"][0] = "x"; }),
            "programs, 1: melded is no number from 0 on");
  EXPECT_EQ(problem([](auto &j) { j["programs"] = 3; }),
            "programs is something else than it should");
  EXPECT_EQ(problem([](auto &j) {
              j["power"]["rounds"] = {{{"watts", {1, 2}}}};
            }),
            "power: watts is not three numbers");
  EXPECT_EQ(problem([](auto &j) {
              j["programs"][0]["counters"] = {{"original", {{"sort", {{"SQ_WAVES", 1e300}}}}},
                                              {"melded", nlohmann::json::object()}};
            }),
            "programs, 1: SQ_WAVES is no count");
  // What a terminal would obey, in a value and in a name.
  const char *controls = "a name or text holds control characters";
  EXPECT_EQ(problem([](auto &j) { j["device"]["name"] = "\x1b]0;title\x07"; }), controls);
  EXPECT_EQ(problem([](auto &j) {
              j["programs"][0]["benchmark"] = "\xc2\x9b"
                                              "2J";
            }),
            controls);
  EXPECT_EQ(problem([](auto &j) {
              j["power"]["rounds"] = {{{"wa\x1b"
                                        "[2Jtts",
                                        {1, 2, 3}}}};
            }),
            controls);
  EXPECT_EQ(problem([](auto &j) { j["device"]["name"] = "Grafikger\xc3\xa4t \xc2\xb5"; }), "");
  for (const char *text : {"", "[]", "{", "{\"format\": 3}", "null"})
    EXPECT_FALSE(recordOf(text)) << text;
  Scratch scratch;
  const auto missing = readRecord(scratch.file("no.json"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no.json"), std::string::npos) << missing.error().message;
}

TEST(HardwareRecord, TheClockIsCounted) {
  Record r = record({});
  EXPECT_DOUBLE_EQ(r.clockMhz(), 1800) << "as reported";
  // 300,000 ticks in 200 microseconds.
  r.micro = {{"clock", {100000}, {70000}}, {"clock", {400000}, {270000}}};
  EXPECT_DOUBLE_EQ(r.clockMhz(), 1500);
  r.micro[1].operations = {120000};
  EXPECT_DOUBLE_EQ(r.clockMhz(), 1800) << "a counter of 100 MHz is not the shader clock";
}

TEST(HardwareCompare, KernelByKernel) {
  // The model: 2, 1.5, 1, 0.9. Silicon: 2, 0.8, 1.2, 0.8.
  const Record model = record({program("A", {200}, {100}), program("B", {150}, {100}),
                               program("C", {100}, {100}), program("D", {90}, {100})});
  Record silicon = record({program("A", {400, 402, 404}, {200, 201, 202}),
                           program("B", {80, 80, 80}, {100, 100, 100}),
                           program("C", {120, 120, 120}, {100, 100, 100}),
                           program("D", {80, 120, 80}, {100, 100, 100}), program("E", {1}, {1})});
  silicon.programs[4].failure = "melded: exit code 3";
  silicon.programs[0].originalCounters["_Z4sortPi"]["SQ_INSTS_VALU"] = 1000;
  Record counted = model;
  counted.programs[0].originalCounters["_Z4sortPi"]["SQ_INSTS_VALU"] = 1009;
  const Comparison c = compare(counted, silicon);
  ASSERT_EQ(c.kernels.size(), 4u);
  EXPECT_EQ(c.kernels[0].kernel, "sort");
  EXPECT_EQ(c.kernels[0].launches, 3u);
  EXPECT_DOUBLE_EQ(c.kernels[0].model, 2);
  EXPECT_DOUBLE_EQ(c.kernels[0].silicon.median, 2);
  EXPECT_DOUBLE_EQ(c.kernels[1].error(), 1.5 / 0.8 - 1);
  EXPECT_TRUE(c.kernels[1].decided());
  EXPECT_FALSE(c.kernels[1].sameSign());
  EXPECT_FALSE(c.kernels[2].decided()) << "the model sees nothing";
  EXPECT_FALSE(c.kernels[3].decided()) << "silicon's interval holds 1";
  EXPECT_EQ(c.summary.decided, 2u);
  EXPECT_EQ(c.summary.sameSign, 1u);
  // Ranks: 4, 3, 2, 1 and 4, 1.5, 3, 1.5 (0.8 twice): 0.6325 by Pearson's formula on them.
  EXPECT_NEAR(c.summary.correlation, 0.63246, 1e-4);
  // Without C: 3, 2, 1 and 3, 1.5, 1.5.
  EXPECT_EQ(c.summary.changed, 3u);
  EXPECT_NEAR(c.summary.changedCorrelation, 0.86603, 1e-4);
  EXPECT_NEAR(c.summary.bias, (0 + 0.875 - 1.0 / 6 + 0.125) / 4, 1e-9);
  EXPECT_NEAR(c.summary.meanError, (0 + 0.875 + 1.0 / 6 + 0.125) / 4, 1e-9);
  EXPECT_EQ(c.missing, (std::vector<std::string>{"E: on silicon, melded: exit code 3"}));
  EXPECT_EQ(c.summary.counts, 1u);
  EXPECT_EQ(c.summary.equalCounts, 1u) << "to 1 %";

  const std::string text = comparisonText(c, silicon);
  for (const char *words : {"AMD Radeon VII", "OTHER", "rank correlation 0.632", "left out: E"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  EXPECT_EQ(toJson(c, silicon)["kernels"].size(), 4u);
}

TEST(HardwareCompare, AnotherProblemIsNotCompared) {
  Record other = record({program("A", {200}, {100})});
  other.programs[0].arguments = {"--size", "large"};
  const Comparison c = compare(record({program("A", {200}, {100})}), other);
  EXPECT_TRUE(c.kernels.empty());
  EXPECT_EQ(c.missing.size(), 1u);
}

TEST(HardwareCompare, MicrobenchmarksInCyclesOfTheDevicesOwnClock) {
  Record model = record({}), silicon = record({});
  // 128 additions: 284.4 ns at 1800 MHz are 512 cycles, 4 each; at a counted clock of 900 MHz 2.
  model.micro = silicon.micro = {{"valu-add", {64}, {1000}}, {"valu-add", {192}, {1284.444444}}};
  silicon.micro.push_back({"clock", {0}, {0}});
  silicon.micro.push_back({"clock", {900}, {1000}});
  const Comparison c = compare(model, silicon);
  ASSERT_EQ(c.micro.size(), 1u);
  EXPECT_NEAR(c.micro[0].model, 4, 1e-6);
  EXPECT_NEAR(c.micro[0].silicon, 2, 1e-6);
}

TEST(HardwareCompare, WhoeverReadsIsTold) {
  Record r = record({});
  r.complete = false;
  r.power = {{{{"sclkMHz", {300, 1600, 1700}}}, 40}, {{{"sclkMHz", {800, 1650, 1750}}}, 0}};
  r.powerProfile = "COMPUTE";
  const std::string text = describe(r);
  for (const char *words : {"sclk, MHz: 1625 (300 to 1750)", "profile COMPUTE",
                            "other work before 1", "interrupted", "60 compute units"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  r.device.software = true;
  EXPECT_NE(describe(r).find("no silicon"), std::string::npos);
  // 2^-4 of five fair coins show all the same side, 2^-5 of six.
  r.options.rounds = 5;
  EXPECT_NE(describe(r).find("less than 95 %"), std::string::npos);
  r.options.rounds = 6;
  EXPECT_EQ(describe(r).find("less than 95 %"), std::string::npos);
}

TEST(HardwareOptions, ARecordGoesOnOnlyAsItBegan) {
  const RecordOptions options{20, 2, 500, "full", "", false};
  EXPECT_EQ(otherOptions(options, options), "");
  RecordOptions other = options;
  other.size = "small";
  EXPECT_EQ(otherOptions(options, other), "size full, here small");
  other = options;
  other.rounds = 3;
  EXPECT_EQ(otherOptions(options, other), "20 rounds, here 3");
  other = options;
  other.only = "BIT";
  EXPECT_NE(otherOptions(options, other), "");
  const auto cases = casesOf({1, 1, 1, "small", "BIT", false});
  ASSERT_TRUE(cases);
  EXPECT_EQ(cases->size(), 4u) << "what is named is run with all block sizes";
  EXPECT_FALSE(casesOf({1, 1, 1, "small", "no such program", false}));
  const auto all = casesOf(options), every = casesOf({1, 1, 1, "full", "", true});
  EXPECT_LT(all->size(), every->size());
}
