#include "runtime/softgpu/kfd/sysfs.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace meld::softgpu {
namespace {

constexpr const char *kGpu = "/sys/devices/virtual/kfd/kfd/topology/nodes/1";

Tree treeOf(const char *device, unsigned cus = 0) {
  DeviceSettings settings;
  settings.model = *findDevice(device);
  if (cus)
    settings.model.computeUnits = cus;
  return Tree({settings});
}

std::map<std::string, uint64_t> parse(const std::string &text) {
  std::map<std::string, uint64_t> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const size_t space = line.find(' ');
    EXPECT_NE(space, std::string::npos) << line;
    EXPECT_EQ(line.find_first_not_of("0123456789", space + 1), std::string::npos)
        << line; // plain decimal
    out[line.substr(0, space)] = std::stoull(line.substr(space + 1));
  }
  return out;
}

/// Facts of the cards, from AMD's data sheets, not from our table.
struct Facts {
  const char *name;
  uint64_t deviceId, version, cus, waves;
  bool ecc;
};
const Facts kFacts[] = {{"gfx90a", 29711, 90010, 104, 8, true},
                        {"gfx900", 0x687f, 90000, 64, 10, false},
                        {"gfx906", 0x66a1, 90006, 60, 10, true},
                        {"gfx908", 0x738c, 90008, 120, 10, true}};

TEST(Sysfs, GpuPropertiesOfEveryDevice) {
  for (const Facts &f : kFacts) {
    const Tree tree = treeOf(f.name);
    const Node *node = tree.find(std::string(kGpu) + "/properties");
    ASSERT_TRUE(node);
    const auto p = parse(node->content);
    EXPECT_EQ(p.at("device_id"), f.deviceId);
    EXPECT_EQ(p.at("gfx_target_version"), f.version);
    EXPECT_EQ(p.at("simd_count"), 4 * f.cus);
    EXPECT_EQ(p.at("max_waves_per_simd"), f.waves);
    EXPECT_EQ(p.at("array_count") * p.at("simd_arrays_per_engine") * p.at("cu_per_simd_array"),
              f.cus);
    EXPECT_EQ(p.at("capability") >> 12 & 3, 2u); // DoorbellType
    EXPECT_EQ(p.at("capability") >> 26 & 1, f.ecc);
    EXPECT_EQ(p.at("capability") >> 27 & 1, 1u);
    EXPECT_EQ(p.at("vendor_id"), 0x1002u);
  }
}

TEST(Sysfs, OddNumbersOfComputeUnitsStillMultiplyOut) {
  const Tree tree = treeOf("gfx900", 7);
  const auto p = parse(tree.find(std::string(kGpu) + "/properties")->content);
  EXPECT_EQ(p.at("simd_count"), 28u);
  EXPECT_EQ(p.at("array_count") * p.at("cu_per_simd_array"), 7u);
}

TEST(Sysfs, CountsMatchTheFolders) {
  const Tree tree = treeOf("gfx90a");
  const Node *nodes = tree.find("/sys/devices/virtual/kfd/kfd/topology/nodes");
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->children, (std::vector<std::string>{"0", "1"}));
  for (const std::string &n : nodes->children) {
    const auto p = parse(tree.find(nodes->path + "/" + n + "/properties")->content);
    const std::pair<const char *, const char *> folders[] = {{"mem_banks_count", "mem_banks"},
                                                             {"caches_count", "caches"},
                                                             {"io_links_count", "io_links"}};
    for (const auto &[count, folder] : folders)
      EXPECT_EQ(p.at(count), tree.find(nodes->path + "/" + n + "/" + folder)->children.size())
          << n << folder;
  }
}

TEST(Sysfs, PathsAndAliases) {
  const Tree tree = treeOf("gfx90a");
  const Node *node = tree.find("/sys/devices/virtual/kfd/kfd/topology/generation_id");
  ASSERT_TRUE(node);
  EXPECT_EQ(tree.find("/sys/class/kfd/kfd/topology/generation_id"), node);
  EXPECT_EQ(tree.find("/sys/class/kfd/kfd/topology//nodes/../generation_id"), node);
  EXPECT_EQ(tree.find("/sys/class/kfd/kfd/topology/./generation_id"), node);
  EXPECT_TRUE(tree.find("/sys/class/kfd/kfd/topology/nodes/"));
  EXPECT_FALSE(tree.find("/sys/class/kfd/kfd/topology/nodes/2"));
  EXPECT_FALSE(tree.find("/sys/class"));
  EXPECT_FALSE(tree.find("/dev"));
  EXPECT_FALSE(tree.find("/"));
  EXPECT_FALSE(tree.find(""));
  EXPECT_TRUE(Tree::maybe("/dev/kfd"));
  EXPECT_FALSE(Tree::maybe("/etc/passwd"));
  EXPECT_FALSE(Tree::maybe("dev/kfd"));
  EXPECT_FALSE(Tree::maybe(""));
  EXPECT_FALSE(Tree::maybe(nullptr));
}

} // namespace
} // namespace meld::softgpu
