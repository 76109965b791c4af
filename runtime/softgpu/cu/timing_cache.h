// A set-associative cache of tags with least-recently-used replacement, for the timing model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace meld::softgpu {

/// Lines are 64-byte line addresses. Not thread-safe.
class TagCache {
public:
  TagCache(uint32_t bytes, uint32_t ways) : ways_(std::max(ways, 1u)), sets_(std::max(bytes / 64 / ways_, 1u)) {
    tags_.assign(size_t(ways_) * sets_, kEmpty);
  }

  /// True when the line was there; it is afterwards.
  bool access(uint64_t line) {
    uint64_t *set = &tags_[size_t(line % sets_) * ways_];
    if (set[0] == line)
      return true;
    for (uint32_t k = 1; k < ways_; ++k)
      if (set[k] == line) {
        std::copy_backward(set, set + k, set + k + 1);
        set[0] = line;
        return true;
      }
    std::copy_backward(set, set + ways_ - 1, set + ways_);
    set[0] = line;
    return false;
  }
  void clear() { std::fill(tags_.begin(), tags_.end(), kEmpty); }

private:
  static constexpr uint64_t kEmpty = ~0ull;
  uint32_t ways_, sets_;
  std::vector<uint64_t> tags_; ///< each set most recently used first
};

} // namespace meld::softgpu
