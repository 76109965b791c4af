// A set-associative cache of tags with least-recently-used replacement, for the timing model.
//
// Each set keeps its tags most recently used first, so that a hit at place k moves k tags and a
// miss all of them. Sets of a multiple of four ways are searched and moved four tags at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace meld::softgpu {

/// Lines are 64-byte line addresses. Memory is touched only where lines fall. Not thread-safe.
class TagCache {
public:
  TagCache(uint32_t bytes, uint32_t ways)
      : ways_(std::max(ways, 1u)), sets_(std::max(bytes / 64 / ways_, 1u)),
        memory_(static_cast<uint64_t *>(std::calloc(size_t(ways_) * sets_ + 4, sizeof(uint64_t)))) {
    if (!memory_)
      throw std::bad_alloc();
    tags_ = memory_.get() + 4; // the first set is moved from one place before it
  }

  /// Starts fetching what access() will look at.
  void prefetch(uint64_t line) const {
    const uint64_t *set = setOf(line);
    __builtin_prefetch(set, 1);
    if (ways_ > 8)
      __builtin_prefetch(set + 8, 1);
  }

  /// True when the line was there; it is afterwards.
  bool access(uint64_t line) {
    uint64_t *set = setOf(line);
    const uint64_t tag = line + 1; // 0: empty
    if (set[0] == tag)
      return true;
    return ways_ % 4 ? accessScalar(set, tag) : accessVector(set, tag);
  }
  void clear() { std::fill_n(tags_, size_t(ways_) * sets_, 0); }

private:
  using Four = uint64_t __attribute__((vector_size(32)));

  uint64_t *setOf(uint64_t line) const {
    return &tags_[size_t(mask_ ? line & mask_ : line % sets_) * ways_];
  }

  bool accessScalar(uint64_t *set, uint64_t tag) {
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

  bool accessVector(uint64_t *set, uint64_t tag) {
    const Four want = {tag, tag, tag, tag};
    for (uint32_t c = 0; c < ways_; c += 4) {
      Four x;
      std::memcpy(&x, set + c, sizeof(x));
      const Four same = Four(x == want);
      if (!(same[0] | same[1] | same[2] | same[3]))
        continue;
      const uint32_t k = same[0] ? 0 : same[1] ? 1 : same[2] ? 2 : 3;
      for (uint32_t j = c + k; j > c; --j)
        set[j] = set[j - 1];
      moveUp(set, c);
      set[0] = tag;
      return true;
    }
    moveUp(set, ways_);
    set[0] = tag;
    return false;
  }

  /// Tags [0, n) go one place up, n a multiple of four; what was in place n is overwritten, unless
  /// n is the end of the set.
  void moveUp(uint64_t *set, uint32_t n) {
    if (n && n < ways_)
      set[n] = set[n - 1];
    for (uint32_t c = n; c > 0; c -= 4) {
      Four x;
      std::memcpy(&x, set + c - 5, sizeof(x)); // one place down
      std::memcpy(set + c - 4, &x, sizeof(x));
    }
  }

  struct Free {
    void operator()(uint64_t *p) const { std::free(p); }
  };
  uint32_t ways_, sets_;
  uint64_t mask_ = (sets_ & (sets_ - 1)) == 0
                       ? sets_ - 1
                       : 0; ///< sets - 1 when a power of two (a division less)
  std::unique_ptr<uint64_t[], Free> memory_;
  uint64_t *tags_ = nullptr; ///< each set most recently used first
};

} // namespace meld::softgpu
