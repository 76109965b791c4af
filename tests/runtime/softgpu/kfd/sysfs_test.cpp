#include "runtime/softgpu/kfd/sysfs.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
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
  uint64_t simds = 4, lanes = 64,
           arrays = 0, ///< of a compute unit, of a wave, of the device (0: not said)
      engines = 0;
};
const Facts kFacts[] = {{"gfx90a", 29711, 90010, 104, 8, true},
                        {"gfx900", 0x687f, 90000, 64, 10, false},
                        {"gfx906", 0x66a1, 90006, 60, 10, true},
                        {"gfx908", 0x738c, 90008, 120, 10, true},
                        // one die of eight; 160 KiB of LDS
                        {"gfx950", 0x75a0, 90500, 32, 8, true},
                        // 40 workgroup processors in 4 engines of 2 arrays; SIMDs of 32 lanes
                        {"gfx1030", 0x73bf, 100300, 80, 16, false, 2, 32, 8, 4},
                        // 48 in 6 engines of 2 arrays
                        {"gfx1100", 0x744c, 110000, 96, 16, false, 2, 32, 12, 6},
                        // 32 in 4 engines of 2 arrays
                        {"gfx1201", 0x7550, 120001, 64, 16, false, 2, 32, 8, 4}};

TEST(Sysfs, GpuPropertiesOfEveryDevice) {
  for (const Facts &f : kFacts) {
    const Tree tree = treeOf(f.name);
    const Node *node = tree.find(std::string(kGpu) + "/properties");
    ASSERT_TRUE(node);
    const auto p = parse(node->content);
    EXPECT_EQ(p.at("device_id"), f.deviceId);
    EXPECT_EQ(p.at("gfx_target_version"), f.version);
    EXPECT_EQ(p.at("simd_count"), f.simds * f.cus);
    EXPECT_EQ(p.at("simd_per_cu"), f.simds);
    EXPECT_EQ(p.at("wave_front_size"), f.lanes);
    EXPECT_EQ(p.at("lds_size_in_kb"), f.name == std::string_view("gfx950") ? 160u : 64u);
    EXPECT_EQ(p.at("max_waves_per_simd"), f.waves);
    EXPECT_EQ(p.at("array_count") * p.at("cu_per_simd_array"), f.cus);
    EXPECT_EQ(p.at("array_count") % p.at("simd_arrays_per_engine"), 0u); // the engines
    if (f.arrays) {
      EXPECT_EQ(p.at("array_count"), f.arrays);
      EXPECT_EQ(p.at("array_count") / p.at("simd_arrays_per_engine"), f.engines);
    }
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

Tree treeOf(const std::vector<const char *> &names) {
  std::vector<DeviceSettings> devices(names.size());
  for (unsigned i = 0; i < names.size(); ++i) {
    devices[i].model = *findDevice(names[i]);
    devices[i].index = i;
    devices[i].count = unsigned(names.size());
  }
  return Tree(devices);
}

TEST(Sysfs, EveryDeviceIsANodeOfItsOwn) {
  const Tree tree = treeOf({"gfx90a", "gfx900", "gfx900"});
  const std::string nodes = "/sys/devices/virtual/kfd/kfd/topology/nodes";
  EXPECT_EQ(tree.find(nodes)->children, (std::vector<std::string>{"0", "1", "2", "3"}));
  // What must tell one device from another.
  std::map<std::string, std::set<uint64_t>> values;
  for (int n = 1; n <= 3; ++n) {
    const std::string node = nodes + "/" + std::to_string(n);
    const auto p = parse(tree.find(node + "/properties")->content);
    EXPECT_EQ(p.at("gfx_target_version"), n == 1 ? 90010u : 90000u);
    for (const char *name : {"drm_render_minor", "location_id", "unique_id", "simd_id_base"})
      values[name].insert(p.at(name));
    values["gpu_id"].insert(std::stoull(tree.find(node + "/gpu_id")->content));
    const Node *render = tree.find("/dev/dri/renderD" + std::to_string(p.at("drm_render_minor")));
    ASSERT_TRUE(render);
    EXPECT_EQ(render->kind, Node::Kind::render);
    EXPECT_EQ(render->device, unsigned(n - 1));
  }
  for (const auto &[name, all] : values)
    EXPECT_EQ(all.size(), 3u) << name;
  EXPECT_FALSE(tree.find("/dev/dri/renderD131"));
}

/// Every folder of links has as many as the node's properties say, numbered from 0.
TEST(Sysfs, LinksJoinEveryDeviceWithTheProcessorAndTheOthers) {
  const Tree tree = treeOf({"gfx90a", "gfx900", "gfx900"});
  std::set<std::pair<uint64_t, uint64_t>> links;
  for (const char *node : {"0", "1", "2", "3"}) {
    const std::string path = std::string("/sys/devices/virtual/kfd/kfd/topology/nodes/") + node;
    const auto p = parse(tree.find(path + "/properties")->content);
    for (const std::string kind : {"io_links", "p2p_links"}) {
      const Node *folder = tree.find(path + "/" + kind);
      ASSERT_EQ(p.at(kind + "_count"), folder ? folder->children.size() : 0) << path << kind;
      for (uint64_t i = 0; i < p.at(kind + "_count"); ++i) {
        const auto l =
            parse(tree.find(path + "/" + kind + "/" + std::to_string(i) + "/properties")->content);
        EXPECT_EQ(std::to_string(l.at("node_from")), node);
        EXPECT_EQ(kind == "p2p_links", l.at("node_from") && l.at("node_to"));
        EXPECT_EQ(l.at("flags"), 1u);
        EXPECT_TRUE(links.emplace(l.at("node_from"), l.at("node_to")).second);
      }
    }
  }
  for (uint64_t from = 0; from <= 3; ++from)
    for (uint64_t to = 0; to <= 3; ++to)
      EXPECT_EQ(links.count({from, to}), from != to) << from << " to " << to;
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
