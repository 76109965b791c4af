#include "runtime/softgpu/kfd/settings.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace meld::softgpu {
namespace {

using Values = std::map<std::string, const char *>;

std::vector<DeviceSettings> readAll(const Values &values, std::vector<std::string> &said) {
  return readDevices(
      [&](const char *name) -> const char * {
        const auto it = values.find(name);
        return it == values.end() ? nullptr : it->second;
      },
      said);
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

TEST(Settings, EveryDevice) {
  for (const char *name : {"gfx90a", "gfx900", "gfx906", "gfx908"})
    EXPECT_STREQ(read({{"MELD_GPU", name}}, 0).model.isaName, name);
  EXPECT_EQ(read({{"MELD_GPU", "gfx900"}}, 0).model.deviceId, 26751u);
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

TEST(Settings, Sizes) {
  EXPECT_EQ(parseSize("123"), 123u);
  EXPECT_EQ(parseSize("4G"), 4ull << 30);
  EXPECT_EQ(parseSize("512m"), 512ull << 20);
  EXPECT_EQ(parseSize("1GiB"), 1ull << 30);
  for (const char *bad : {"", "G", "4X", "4GG", "-1", "99999999999G"})
    EXPECT_FALSE(parseSize(bad)) << bad;
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
                  " is not a number from 1 to 512, or 2 of them with commas; using the default");
    EXPECT_EQ(devices[0].model.computeUnits, 104u);
    EXPECT_EQ(devices[1].model.computeUnits, 64u);
  }
}

TEST(Settings, AListWithAMistakeIsTheDefault) {
  const std::pair<const char *, const char *> cases[] = {
      {"gfx1", "MELD_GPU=gfx1 is not a device (gfx90a, gfx900, gfx906, gfx908); using the default"},
      {"gfx900,foo",
       "MELD_GPU=gfx900,foo names 'foo', which is not a device (gfx90a, gfx900, gfx906, "
       "gfx908); using the default"},
      {"gfx900,",
       "MELD_GPU=gfx900, names '', which is not a device (gfx90a, gfx900, gfx906, gfx908); "
       "using the default"},
      {"gfx900, gfx90a", "MELD_GPU=gfx900, gfx90a names ' gfx90a', which is not a device (gfx90a, "
                         "gfx900, gfx906, gfx908); using the default"}};
  for (const auto &[value, warning] : cases) {
    std::vector<std::string> said;
    const auto devices = readAll({{"MELD_GPU", value}}, said);
    EXPECT_EQ(said, std::vector<std::string>{warning});
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_STREQ(devices[0].model.isaName, "gfx90a");
  }
  std::string many = "gfx900";
  for (unsigned i = 1; i < kMaxDevices; ++i)
    many += ",gfx900";
  std::vector<std::string> said;
  EXPECT_EQ(readAll({{"MELD_GPU", many.c_str()}}, said).size(), kMaxDevices);
  EXPECT_TRUE(said.empty());
  many += ",gfx900";
  EXPECT_EQ(readAll({{"MELD_GPU", many.c_str()}}, said).size(), 1u);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("more than 16 devices"), std::string::npos) << said[0];
}

// As for libmeld's own settings: a bounded warning each, and the default.
TEST(Settings, NonsenseOfAnyLengthIsAWarningAtMost) {
  for (const char *name : {"MELD_GPU", "MELD_GPU_CUS", "MELD_GPU_MEM", "MELD_GPU_THREADS",
                           "MELD_GPU_TIMING", "MELD_GPU_CHECKED", "MELD_GPU_NOISE"})
    for (const std::string pattern :
         {"a", "(", "-", "9", "%n", "\x01\xff", ",", "gfx90a,", "1G,", "all,"})
      for (const size_t size : {size_t(1), size_t(1) << 10, size_t(1) << 20}) {
        std::string text;
        while (text.size() < size)
          text += pattern;
        text.resize(size);
        std::vector<std::string> said;
        const auto devices = readAll({{name, text.c_str()}}, said);
        ASSERT_LE(said.size(), 1u) << name << " " << size << " of " << pattern;
        ASSERT_LE(devices.size(), 16u) << name << " " << size << " of " << pattern;
        for (const std::string &line : said) {
          ASSERT_LT(line.size(), 500u) << name;
          for (const unsigned char c : line)
            ASSERT_TRUE(c >= 0x20 && c < 0x7f) << name;
        }
      }
}

} // namespace
} // namespace meld::softgpu
