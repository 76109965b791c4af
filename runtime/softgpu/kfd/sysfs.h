// The files that say a GPU is there: the KFD topology, the device nodes, the module's entries.
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

inline constexpr uint32_t kGpuId = 51234;
inline constexpr uint32_t kRenderMinor = 128;

struct Node {
  enum class Kind : uint8_t { directory, file, kfd, render, modules };
  Kind kind = Kind::file;
  std::string path;
  std::string content;               ///< files
  std::vector<std::string> children; ///< directories: names, sorted
};

class Tree {
public:
  explicit Tree(const DeviceSettings &settings);

  /// The node at `path`, or nullptr. Accepts doubled and trailing slashes and "." components.
  const Node *find(std::string_view path) const;

  /// Cheap test that must be true before find() can succeed; needs no Tree (and so reads no
  /// settings).
  static bool maybe(const char *path);

  /// The process's tree.
  static const Tree &process();

private:
  void file(const std::string &path, std::string content);
  void node(const std::string &path, Node::Kind kind, std::string content = {});
  std::map<std::string, Node, std::less<>> nodes_;
};

/// The lines of nodes/1/properties, without the tree around it.
std::string gpuProperties(const DeviceModel &model);

} // namespace meld::softgpu
