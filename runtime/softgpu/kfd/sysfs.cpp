#include "runtime/softgpu/kfd/sysfs.h"

#include "runtime/softgpu/execute/launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

using Properties = std::vector<std::pair<const char *, uint64_t>>;

std::string lines(const Properties &properties) {
  std::string text;
  for (const auto &[name, value] : properties)
    text += std::string(name) + " " + std::to_string(value) + "\n";
  return text;
}

constexpr const char *kTopology = "/sys/devices/virtual/kfd/kfd/topology";

// HSA_CAPABILITY bits (the kernel's topology code): DoorbellType 2 = 64-bit AQL doorbells in bits
// 12-13, bit 3 = queue size power of two... the rest as a real card reports them.
constexpr uint64_t kCapability = 0x08002008;
constexpr uint64_t kCapabilitySramEdc = 1ull << 26;

constexpr uint64_t kLocation = 3 << 8; // PCI bus 3, device 0; one bus more for each device
constexpr uint64_t kUniqueId = 4660;
constexpr uint64_t kSimdIdBase = 0x80001000; // where the kernel starts to count
constexpr uint64_t kLinkWeight = 20;

std::string linkProperties(uint64_t from, uint64_t to, uint64_t weight) {
  return lines({{"type", 2}, // PCI Express
                {"version_major", 0},
                {"version_minor", 0},
                {"node_from", from},
                {"node_to", to},
                {"weight", weight},
                {"min_latency", 0},
                {"max_latency", 0},
                {"min_bandwidth", 0},
                {"max_bandwidth", 0},
                {"recommended_transfer_size", 0},
                {"flags", 1}});
}

std::string gpuProperties(const DeviceSettings &device, uint64_t peers, uint64_t simdIdBase) {
  const DeviceModel &m = device.model;
  const Processor unit = processorOf(m.target);
  const uint64_t index = device.index;
  // A part of a device that its arrays do not divide is one array.
  const uint32_t all = m.shaderEngines * m.arraysPerEngine;
  const bool whole = all && m.computeUnits % all == 0;
  const uint32_t arrays = whole ? all : 1;
  return lines({
      {"cpu_cores_count", 0},
      {"simd_count", uint64_t(unit.simds) * m.computeUnits},
      {"mem_banks_count", 1},
      {"caches_count", 2},
      {"io_links_count", 1},
      {"p2p_links_count", peers},
      {"cpu_core_id_base", 0},
      {"simd_id_base", simdIdBase},
      {"max_waves_per_simd", unit.wavesPerSimd},
      {"lds_size_in_kb", unit.ldsBytes / 1024},
      {"gds_size_in_kb", 0},
      {"num_gws", 64},
      {"wave_front_size", isa::traitsOf(m.target).waveSize},
      {"array_count", arrays},
      {"simd_arrays_per_engine", whole ? m.arraysPerEngine : 1},
      {"cu_per_simd_array", m.computeUnits / arrays},
      {"simd_per_cu", unit.simds},
      {"max_slots_scratch_cu", 32},
      {"gfx_target_version", m.gfxVersion},
      {"vendor_id", 4098},
      {"device_id", m.deviceId},
      {"location_id", kLocation + 256 * index},
      {"domain", 0},
      {"drm_render_minor", kRenderMinor + index},
      {"hive_id", 0},
      {"num_sdma_engines", m.sdmaEngines},
      {"num_sdma_xgmi_engines", 0},
      {"num_sdma_queues_per_engine", 8},
      {"num_cp_queues", 24},
      {"max_engine_clk_fcompute", m.clockMhz},
      {"local_mem_size", 0},
      {"fw_version", 71},
      {"capability", kCapability | (m.sramEcc ? kCapabilitySramEdc : 0)},
      {"debug_prop", 0},
      {"sdma_fw_version", 8},
      {"unique_id", kUniqueId + index},
      {"num_xcc", 1},
      {"max_engine_clk_ccompute", 2000},
  });
}

std::string nodePath(uint64_t number) {
  return std::string(kTopology) + "/nodes/" + std::to_string(number);
}

} // namespace

Tree::Tree(const std::vector<DeviceSettings> &devices) {
  const std::string topology = kTopology;
  file(topology + "/generation_id", "1\n");
  file(topology + "/system_properties",
       lines({{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}}));
  cpuNode(devices.size());
  uint64_t simdIdBase = kSimdIdBase;
  for (const DeviceSettings &device : devices) {
    gpuNode(device, devices.size(), simdIdBase);
    simdIdBase += 4ull * device.model.computeUnits;
  }

  const std::string module = "/sys/module/amdgpu";
  file(module + "/initstate", "live\n");
  file(module + "/version", "6.10.5\n");
  file(module + "/refcnt", "1\n");
  file(module + "/coresize", "8192000\n");
  node(module + "/holders", Node::Kind::directory);

  node("/dev/kfd", Node::Kind::kfd);
  for (const DeviceSettings &device : devices)
    node("/dev/dri/renderD" + std::to_string(kRenderMinor + device.index), Node::Kind::render, {},
         device.index);
  node("/proc/modules", Node::Kind::modules);

  for (auto &[path, entry] : nodes_)
    std::sort(entry.children.begin(), entry.children.end());
  // Folders that exist anyway keep their own listing.
  for (const char *real : {"/", "/sys", "/dev", "/proc", "/sys/devices", "/sys/devices/virtual",
                           "/sys/class", "/sys/module"})
    nodes_.erase(real);
  // A direct system call: the library function is the one we stand in for.
  if (::syscall(SYS_faccessat, AT_FDCWD, "/dev/dri", F_OK) == 0)
    nodes_.erase("/dev/dri");
}

void Tree::cpuNode(size_t devices) {
  const std::string cpu = nodePath(0);
  const long cores = std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF));
  const uint64_t ram = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  file(cpu + "/gpu_id", "0\n");
  file(cpu + "/name", "\n");
  file(cpu + "/properties", lines({{"cpu_cores_count", static_cast<uint64_t>(cores)},
                                   {"simd_count", 0},
                                   {"mem_banks_count", 1},
                                   {"caches_count", 1},
                                   {"io_links_count", devices},
                                   {"p2p_links_count", 0},
                                   {"cpu_core_id_base", 0},
                                   {"simd_id_base", 0},
                                   {"max_waves_per_simd", 0},
                                   {"lds_size_in_kb", 0},
                                   {"gds_size_in_kb", 0},
                                   {"num_gws", 0},
                                   {"wave_front_size", 0},
                                   {"array_count", 0},
                                   {"simd_arrays_per_engine", 0},
                                   {"cu_per_simd_array", 0},
                                   {"simd_per_cu", 0},
                                   {"max_slots_scratch_cu", 0},
                                   {"gfx_target_version", 0},
                                   {"vendor_id", 0},
                                   {"device_id", 0},
                                   {"location_id", 0},
                                   {"domain", 0},
                                   {"drm_render_minor", 0},
                                   {"hive_id", 0},
                                   {"num_sdma_engines", 0},
                                   {"num_sdma_xgmi_engines", 0},
                                   {"num_sdma_queues_per_engine", 0},
                                   {"num_cp_queues", 0},
                                   {"max_engine_clk_ccompute", 2000}}));
  file(cpu + "/mem_banks/0/properties", lines({{"heap_type", 0},
                                               {"size_in_bytes", ram},
                                               {"flags", 0},
                                               {"width", 64},
                                               {"mem_clk_max", 3200}}));
  file(cpu + "/caches/0/properties", lines({{"processor_id_low", 0},
                                            {"level", 1},
                                            {"size", 32},
                                            {"cache_line_size", 64},
                                            {"cache_lines_per_tag", 1},
                                            {"association", 8},
                                            {"latency", 0},
                                            {"type", 5},
                                            {"sibling_map", 1}}));
  for (uint64_t i = 0; i < devices; ++i)
    file(cpu + "/io_links/" + std::to_string(i) + "/properties",
         linkProperties(0, i + 1, kLinkWeight));
}

void Tree::gpuNode(const DeviceSettings &device, size_t devices, uint64_t simdIdBase) {
  const DeviceModel &m = device.model;
  const uint64_t index = device.index, self = index + 1;
  const std::string gpu = nodePath(self);
  file(gpu + "/gpu_id", std::to_string(kGpuId + index) + "\n");
  file(gpu + "/name", std::string(m.isaName) + "\n");
  file(gpu + "/properties", gpuProperties(device, devices - 1, simdIdBase));
  file(gpu + "/mem_banks/0/properties", lines({{"heap_type", 1},
                                               {"size_in_bytes", m.memoryBytes},
                                               {"flags", 0},
                                               {"width", m.memoryBusBits},
                                               {"mem_clk_max", m.memoryClockMhz}}));
  const uint64_t line = isa::traitsOf(m.target).generation >= 10 ? 128 : 64;
  auto cache = [&](unsigned number, uint64_t level, uint64_t kib) {
    file(gpu + "/caches/" + std::to_string(number) + "/properties",
         lines({{"processor_id_low", simdIdBase},
                {"level", level},
                {"size", kib},
                {"cache_line_size", line},
                {"cache_lines_per_tag", 1},
                {"association", 16},
                {"latency", 0},
                {"type", 9},
                {"sibling_map", 1}}));
  };
  cache(0, 1, m.l1KiB);
  cache(1, 2, m.l2KiB);
  file(gpu + "/io_links/0/properties", linkProperties(self, 0, kLinkWeight));
  unsigned link = 0;
  for (uint64_t other = 1; other <= devices; ++other)
    if (other != self)
      file(gpu + "/p2p_links/" + std::to_string(link++) + "/properties",
           linkProperties(self, other, 2 * kLinkWeight)); // by way of the CPU's root complex
}

void Tree::file(const std::string &path, std::string content) {
  node(path, Node::Kind::file, std::move(content));
}

void Tree::node(const std::string &path, Node::Kind kind, std::string content, unsigned device) {
  Node &entry = nodes_[path];
  entry.kind = kind;
  entry.path = path;
  entry.content = std::move(content);
  entry.device = device;
  // Parent folders come into being with their first child.
  std::string child = path;
  while (child.size() > 1) {
    const size_t slash = child.rfind('/');
    const std::string name = child.substr(slash + 1);
    const std::string parent = slash ? child.substr(0, slash) : "/";
    Node &folder = nodes_[parent];
    folder.kind = Node::Kind::directory;
    folder.path = parent;
    if (std::find(folder.children.begin(), folder.children.end(), name) != folder.children.end())
      break;
    folder.children.push_back(name);
    child = parent;
  }
}

bool Tree::maybe(const char *path) {
  if (!path || path[0] != '/')
    return false;
  auto starts = [&](const char *prefix) {
    return std::strncmp(path, prefix, std::strlen(prefix)) == 0;
  };
  switch (path[1]) {
  case 'd':
    return starts("/dev/kfd") || starts("/dev/dri");
  case 'p':
    return starts("/proc/modules");
  case 's':
    return starts("/sys/devices/virtual/kfd") || starts("/sys/class/kfd") ||
           starts("/sys/module/amdgpu");
  default:
    return false;
  }
}

const Node *Tree::find(std::string_view path) const {
  std::string clean;
  for (size_t i = 0; i < path.size();) {
    while (i < path.size() && path[i] == '/')
      ++i;
    size_t end = path.find('/', i);
    end = end == std::string_view::npos ? path.size() : end;
    const std::string_view part = path.substr(i, end - i);
    if (part == "..") {
      const size_t slash = clean.rfind('/');
      clean.resize(slash == std::string::npos ? 0 : slash);
    } else if (!part.empty() && part != ".") {
      clean += '/';
      clean += part;
    }
    i = end;
  }
  constexpr std::string_view alias = "/sys/class/kfd";
  if (clean.starts_with(alias) && (clean.size() == alias.size() || clean[alias.size()] == '/'))
    clean = "/sys/devices/virtual/kfd" + clean.substr(alias.size());
  const auto it = nodes_.find(clean);
  return it == nodes_.end() ? nullptr : &it->second;
}

const Tree &Tree::process() {
  static std::atomic<const Tree *> published{nullptr};
  if (const Tree *known = published.load(std::memory_order_acquire))
    return *known;
  const Tree *fresh = new Tree(processDevices());
  const Tree *expected = nullptr;
  if (published.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel))
    return *fresh;
  delete fresh;
  return *expected;
}

} // namespace meld::softgpu
