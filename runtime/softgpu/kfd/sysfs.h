// The files that say a GPU is there: the KFD topology, the device nodes, the module's entries.
//
// Node 0 of the topology is the CPU, nodes 1 and up are the devices in the order of MELD_GPU. Each
// has a link to the CPU and, where there are several, one to each other device (peer access).
//
// Tree is a small read-only file system in memory. Paths are absolute; /sys/class/kfd/kfd is an
// alias of /sys/devices/virtual/kfd/kfd, as the symbolic link is on a real machine.
//
// Thread rule: built once, then read-only.
#pragma once

#include "runtime/softgpu/kfd/settings.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace meld::softgpu {

/// Of the first device; the others count on from there.
inline constexpr uint32_t kGpuId = 51234;
inline constexpr uint32_t kRenderMinor = 128;

struct Node {
  enum class Kind : uint8_t { directory, file, kfd, render, modules };
  Kind kind = Kind::file;
  std::string path;
  std::string content;               ///< files
  std::vector<std::string> children; ///< directories: names, sorted
  unsigned device = 0;               ///< render nodes: which device
};

class Tree {
public:
  explicit Tree(const std::vector<DeviceSettings> &devices);

  /// The node at `path`, or nullptr. Accepts doubled and trailing slashes and "." components.
  const Node *find(std::string_view path) const;

  /// Cheap test that must be true before find() can succeed; needs no Tree (and so reads no
  /// settings).
  static bool maybe(const char *path);

  /// The process's tree.
  static const Tree &process();

private:
  void cpuNode(size_t devices);
  void gpuNode(const DeviceSettings &device, size_t devices, uint64_t simdIdBase);
  void file(const std::string &path, std::string content);
  void node(const std::string &path, Node::Kind kind, std::string content = {},
            unsigned device = 0);
  std::map<std::string, Node, std::less<>> nodes_;
};

} // namespace meld::softgpu
