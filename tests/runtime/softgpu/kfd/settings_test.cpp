#include "runtime/softgpu/kfd/settings.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

namespace meld::softgpu {
namespace {

using Values = std::map<std::string, std::string>;

std::vector<DeviceSettings> readAll(const Values &values, std::vector<std::string> &said) {
  const LoadedSettings loaded = parseSettings(
      [&](const char *name) -> std::optional<std::string> {
        const auto it = values.find(name);
        return it == values.end() ? std::nullopt : std::optional(it->second);
      },
      {});
  EXPECT_TRUE(loaded.warnings.empty());
  said = loaded.gpuWarnings;
  return devicesOf(loaded.settings, said);
}

/// The only device.
DeviceSettings read(const Values &values, size_t warnings) {
  std::vector<std::string> said;
  const auto devices = readAll(values, said);
  EXPECT_EQ(said.size(), warnings);
  EXPECT_EQ(devices.size(), 1u);
  return devices.front();
}

TEST(Settings, Defaults) {
  const auto s = read({}, 0);
  EXPECT_STREQ(s.model.isaName, "gfx90a");
  EXPECT_EQ(s.toConfig().computeUnits, 104u);
  EXPECT_EQ(s.toConfig().vramBytes, 16ull << 30);
}

// The table of settings says which there are, and each is a device.
TEST(Settings, EveryDevice) {
  std::string names;
  for (const SettingValue &row :
       parseSettings([](const char *) { return std::nullopt; }, {}).values)
    if (row.name == std::string("MELD_GPU"))
      names = row.allowed;
  for (const char *name : {"gfx90a", "gfx900", "gfx906", "gfx908"})
    EXPECT_NE(names.find(name), std::string::npos) << name;
  std::istringstream words(names);
  for (std::string name; std::getline(words >> std::ws, name, ',');)
    EXPECT_EQ(read({{"MELD_GPU", name}}, 0).model.isaName, name);
  EXPECT_EQ(read({{"MELD_GPU", "gfx900"}}, 0).model.deviceId, 26751u);
}

// HIP's multiprocessors are pairs of compute units there, and it divides by their number.
TEST(Settings, PairsOfComputeUnits) {
  std::vector<std::string> said;
  const auto devices = readAll({{"MELD_GPU", "gfx1030,gfx90a"}, {"MELD_GPU_CUS", "1"}}, said);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].model.computeUnits, 2u);
  EXPECT_EQ(devices[1].model.computeUnits, 1u);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "MELD_GPU_CUS=1: compute units of gfx1030 come in pairs; using 2");
}

TEST(Settings, Overrides) {
  const auto s = read({{"MELD_GPU", "gfx900"},
                       {"MELD_GPU_CUS", "8"},
                       {"MELD_GPU_MEM", "4G"},
                       {"MELD_GPU_THREADS", "1"},
                       {"MELD_GPU_TIMING", "on"}},
                      0);
  const DeviceConfig c = s.toConfig();
  EXPECT_EQ(c.target, isa::Target::gfx900);
  EXPECT_EQ(c.computeUnits, 8u);
  EXPECT_EQ(c.vramBytes, 4ull << 30);
  EXPECT_EQ(c.hostThreads, 1u);
  EXPECT_TRUE(c.timing);
}

TEST(Settings, NoiseOnModelledTimes) {
  EXPECT_FALSE(read({}, 0).noise.any());
  EXPECT_EQ(read({{"MELD_GPU_NOISE", "20,5,9"}}, 0).noise.seed, 9u);
  EXPECT_FALSE(read({{"MELD_GPU_NOISE", "much"}}, 1).noise.any());
}

TEST(Settings, BadValuesWarnOnceEachAndKeepTheDefault) {
  const auto s = read({{"MELD_GPU", "gfx1"},
                       {"MELD_GPU_CUS", "0"},
                       {"MELD_GPU_MEM", "lots"},
                       {"MELD_GPU_THREADS", "-1"},
                       {"MELD_GPU_TIMING", "maybe"}},
                      5);
  EXPECT_STREQ(s.model.isaName, "gfx90a");
  EXPECT_EQ(s.toConfig().vramBytes, 16ull << 30);
  EXPECT_EQ(s.threads, 0u);
}

TEST(Settings, MemoryIsWholePages) {
  EXPECT_EQ(read({{"MELD_GPU_MEM", "67108865"}}, 0).model.memoryBytes, 64ull << 20);
}

TEST(Settings, AListIsADeviceForEachName) {
  std::vector<std::string> said;
  const auto devices =
      readAll({{"MELD_GPU", "gfx900,gfx90a,gfx900"}, {"MELD_GPU_THREADS", "3"}}, said);
  EXPECT_TRUE(said.empty());
  ASSERT_EQ(devices.size(), 3u);
  const char *names[] = {"gfx900", "gfx90a", "gfx900"};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_STREQ(devices[i].model.isaName, names[i]);
    EXPECT_EQ(devices[i].index, i);
    EXPECT_EQ(devices[i].toConfig().deviceIndex, i);
    EXPECT_EQ(devices[i].toConfig().deviceCount, 3u);
    EXPECT_EQ(devices[i].threads, 3u);
  }
  EXPECT_EQ(devices[0].model.computeUnits, 64u);
  EXPECT_EQ(devices[1].model.computeUnits, 104u);
}

TEST(Settings, OneValueForAllDevicesOrOneForEach) {
  std::vector<std::string> said;
  const auto each = readAll(
      {{"MELD_GPU", "gfx90a,gfx900"}, {"MELD_GPU_CUS", "8,4"}, {"MELD_GPU_MEM", "1G"}}, said);
  EXPECT_TRUE(said.empty());
  ASSERT_EQ(each.size(), 2u);
  EXPECT_EQ(each[0].model.computeUnits, 8u);
  EXPECT_EQ(each[1].model.computeUnits, 4u);
  for (const auto &device : each)
    EXPECT_EQ(device.model.memoryBytes, 1ull << 30);
  // Neither one nor two, and one that is wrong: the defaults of both.
  for (const char *bad : {"1,2,3", "8,", "8,0", "8,x", ","}) {
    said.clear();
    const auto devices = readAll({{"MELD_GPU", "gfx90a,gfx900"}, {"MELD_GPU_CUS", bad}}, said);
    ASSERT_EQ(said.size(), 1u) << bad;
    EXPECT_EQ(said[0],
              std::string("MELD_GPU_CUS=") + bad +
                  ": not a number from 1 to 512, or 2 of them with commas; using the default");
    EXPECT_EQ(devices[0].model.computeUnits, 104u);
    EXPECT_EQ(devices[1].model.computeUnits, 64u);
  }
}

TEST(Settings, AListWithAMistakeIsTheDefault) {
  const std::string known = "is not one of gfx90a, gfx900, gfx906, gfx908, gfx942, gfx950, "
                            "gfx1030, gfx1100, gfx1201; using the default gfx90a";
  const std::pair<const char *, std::string> cases[] = {
      {"gfx1", "MELD_GPU=gfx1: 'gfx1' " + known},
      {"gfx900,foo", "MELD_GPU=gfx900,foo: 'foo' " + known},
      {"gfx900,", "MELD_GPU=gfx900,: '' " + known},
      {"gfx900, gfx90a", "MELD_GPU=gfx900, gfx90a: ' gfx90a' " + known}};
  for (const auto &[value, warning] : cases) {
    std::vector<std::string> said;
    const auto devices = readAll({{"MELD_GPU", value}}, said);
    EXPECT_EQ(said, std::vector<std::string>{warning});
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_STREQ(devices[0].model.isaName, "gfx90a");
  }
  std::string many = "gfx900";
  for (unsigned i = 1; i < kMostDevices; ++i)
    many += ",gfx900";
  std::vector<std::string> said;
  EXPECT_EQ(readAll({{"MELD_GPU", many}}, said).size(), kMostDevices);
  EXPECT_TRUE(said.empty());
  many += ",gfx900";
  EXPECT_EQ(readAll({{"MELD_GPU", many}}, said).size(), 1u);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("more than 16 devices"), std::string::npos) << said[0];
}

} // namespace
} // namespace meld::softgpu
