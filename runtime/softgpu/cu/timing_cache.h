// A set-associative cache of tags with least-recently-used replacement, for the timing model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace meld::softgpu {

/// Lines are 64-byte line addresses. Memory is touched only where lines fall. Not thread-safe.
class TagCache {
public:
  TagCache(uint32_t bytes, uint32_t ways)
      : ways_(std::max(ways, 1u)), sets_(std::max(bytes / 64 / ways_, 1u)),
        tags_(static_cast<uint64_t *>(std::calloc(size_t(ways_) * sets_, sizeof(uint64_t)))) {
    if (!tags_)
      throw std::bad_alloc();
  }

  /// True when the line was there; it is afterwards.
  bool access(uint64_t line) {
    uint64_t *set = &tags_[size_t(mask_ ? line & mask_ : line % sets_) * ways_];
    const uint64_t tag = line + 1; // 0: empty
    if (set[0] == tag)
      return true;
    for (uint32_t k = 1; k < ways_; ++k)
      if (set[k] == tag) {
        std::copy_backward(set, set + k, set + k + 1);
        set[0] = tag;
        return true;
      }
    std::copy_backward(set, set + ways_ - 1, set + ways_);
    set[0] = tag;
    return false;
  }
  void clear() { std::fill_n(tags_.get(), size_t(ways_) * sets_, 0); }

private:
  struct Free {
    void operator()(uint64_t *p) const { std::free(p); }
  };
  uint32_t ways_, sets_;
  uint64_t mask_ = (sets_ & (sets_ - 1)) == 0
                       ? sets_ - 1
                       : 0;                ///< sets - 1 when a power of two (a division less)
  std::unique_ptr<uint64_t[], Free> tags_; ///< each set most recently used first
};

} // namespace meld::softgpu
