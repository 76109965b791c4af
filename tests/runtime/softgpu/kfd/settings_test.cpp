#include "runtime/softgpu/kfd/settings.h"

#include <gtest/gtest.h>
#include <map>

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

} // namespace
} // namespace meld::softgpu
