// A set-associative cache of tags with least-recently-used replacement, for the timing model.
//
// Each set keeps its tags most recently used first: a hit at place k moves the k tags before it, a
// miss moves all. The usual shapes do that in vector registers: 4 ways of 64-bit tags, more of them
// in fours, and 16 ways of 32-bit tags (one host cache line per set) where the set number takes
// enough of the line's bits. Needs AVX2: include only from files compiled for it.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <immintrin.h>
#include <memory>
#include <new>

namespace meld::softgpu {

/// Lines are 64-byte line addresses of at most 42 bits. Memory is touched only where lines fall.
/// Not thread-safe.
class TagCache {
public:
  TagCache(uint32_t bytes, uint32_t ways)
      : ways_(std::max(ways, 1u)), sets_(std::max(bytes / 64 / ways_, 1u)) {
    const bool power = (sets_ & (sets_ - 1)) == 0;
    mask_ = power ? sets_ - 1 : 0;
    halves_ = {sets_, unsigned(__builtin_ctz(sets_)), power ? 0 : ~uint64_t(0) / sets_ + 1};
    shape_ = ways_ == 16 && sets_ >= 2048 && sets_ <= kMostSets ? Shape::sixteen
             : ways_ == 4                                       ? Shape::four
             : ways_ % 4 == 0                                   ? Shape::fours
                                                                : Shape::any;
    bytes_ = size_t(ways_) * sets_ * (shape_ == Shape::sixteen ? 4 : 8);
    memory_.reset(std::calloc(bytes_ + 64, 1));
    if (!memory_)
      throw std::bad_alloc();
    const auto base = (reinterpret_cast<uintptr_t>(memory_.get()) + 63) / 64 * 64;
    tags_ = reinterpret_cast<uint64_t *>(base);
    tags32_ = reinterpret_cast<uint32_t *>(base);
  }

  /// What access() will look at, to be fetched ahead; where that is worth it.
  TagMemory memory() const {
    return shape_ == Shape::sixteen && mask_
               ? TagMemory{reinterpret_cast<const char *>(tags32_), mask_}
               : TagMemory{};
  }

  /// True when the line was there; it is afterwards.
  bool access(uint64_t line) {
    switch (shape_) {
    case Shape::four:
      return accessFour(setOf(line), line + 1);
    case Shape::fours:
      return accessFours(setOf(line), line + 1);
    case Shape::sixteen: {
      const Half half = mask_ ? halves_.of<true>(line) : halves_.of<false>(line);
      return accessSixteen(tags32_ + 16 * half.set, half.tag);
    }
    case Shape::any:
      break;
    }
    return accessAny(setOf(line), line + 1);
  }
  /// access() for each of n lines in order: found(k, hit) for line(k). The shape is looked at once,
  /// nothing that the tags' stores might alias is read again, and many lines are taken for
  /// scattered ones: whether theirs is a set's newest tag is not worth a guess.
  template <class Line, class Found> void accessEach(uint32_t n, Line line, Found found) {
    const uint64_t mask = mask_;
    const bool scattered = n > 16;
    if (shape_ == Shape::sixteen) {
      uint32_t *const tags = tags32_;
      eachSixteen(scattered, [&, halves = halves_]<bool Guess, bool Power>() {
        for (uint32_t k = 0; k < n; ++k) {
          const Half half = halves.template of<Power>(line(k));
          found(k, accessSixteen<Guess>(tags + 16 * half.set, half.tag));
        }
      });
    } else if (shape_ == Shape::four && mask) {
      uint64_t *const tags = tags_;
      const auto each = [&]<bool Guess>() {
        for (uint32_t k = 0; k < n; ++k)
          found(k, accessFour<Guess>(tags + 4 * (line(k) & mask), line(k) + 1));
      };
      scattered ? each.template operator()<false>() : each.template operator()<true>();
    } else {
      for (uint32_t k = 0; k < n; ++k)
        found(k, access(line(k)));
    }
  }
  /// access() for each of n lines in order, for a cache that keeps what was written: found(k, hit,
  /// whether a written line has to go back to make room). `writes`: these lines are written. A
  /// cache is used either through this or through the others: this keeps a mark in the tag.
  template <class Line, class Found>
  void accessEachDirty(uint32_t n, bool writes, Line line, Found found) {
    if (!writes && !anyWritten_) { // no mark to look at: most kernels read long before they write
      accessEach(n, line, [&](uint32_t k, bool hit) { found(k, hit, false); });
      return;
    }
    anyWritten_ = true;
    if (shape_ != Shape::sixteen) {
      for (uint32_t k = 0; k < n; ++k) {
        bool evicts = false;
        const bool hit = accessAnyDirty(setOf(line(k)), line(k) + 1, writes, evicts);
        found(k, hit, evicts);
      }
      return;
    }
    uint32_t *const tags = tags32_;
    const uint32_t written = writes ? kWritten : 0;
    eachSixteen(n > 16, [&, halves = halves_]<bool Guess, bool Power>() {
      for (uint32_t k = 0; k < n; ++k) {
        const Half half = halves.template of<Power>(line(k));
        const Dirty was =
            accessSixteenDirty<Guess>(tags + 16 * half.set, half.tag & ~kWritten, written);
        found(k, was.hit, was.evicts);
      }
    });
  }
  void clear() {
    anyWritten_ = false;
    std::fill_n(reinterpret_cast<uint8_t *>(tags_), bytes_, uint8_t(0));
  }

private:
  enum class Shape : uint8_t { any, four, fours, sixteen };
  static constexpr uint32_t kMostSets = 1 << 20; ///< of Shape::sixteen

  /// A line's number in two: the set, and what the set does not say, plus 1.
  struct Half {
    uint64_t set;
    uint32_t tag;
  };
  struct Halves {
    uint64_t sets = 1;
    unsigned shift = 0;   ///< log2 of the sets, where a power of two
    uint64_t inverse = 0; ///< else 2^64 / sets, rounded up
    /// The product of line and inverse is too large by less than the line, which is below 2^42. A
    /// quotient that is no whole number lies at least 2^64 / sets, no less than 2^44, below the
    /// next one: rounded down, it is exact.
    template <bool Power> Half of(uint64_t line) const {
      const uint64_t quotient =
          Power ? line >> shift : uint64_t(static_cast<unsigned __int128>(line) * inverse >> 64);
      return {Power ? line & (sets - 1) : line - quotient * sets, uint32_t(quotient) + 1};
    }
  };
  /// `each` for whether the newest tag is worth a guess, and whether the sets are a power of two.
  template <class Each> void eachSixteen(bool scattered, Each each) const {
    if (mask_)
      scattered ? each.template operator()<false, true>() : each.template operator()<true, true>();
    else
      scattered ? each.template operator()<false, false>()
                : each.template operator()<true, false>();
  }
  static constexpr uint32_t kWritten = 1u << 31;     ///< in a tag of 32 bits
  static constexpr uint64_t kWritten64 = 1ull << 63; ///< in one of 64

  uint64_t *setOf(uint64_t line) const {
    return &tags_[size_t(mask_ ? line & mask_ : line % sets_) * ways_];
  }

  // A tag of 0 is an empty place.
  bool accessAny(uint64_t *set, uint64_t tag) {
    uint32_t k = 0;
    while (k + 1 < ways_ && set[k] != tag)
      ++k;
    const bool hit = set[k] == tag;
    std::copy_backward(set, set + k, set + k + 1);
    set[0] = tag;
    return hit;
  }

  /// `want` in front of the four tags `old`; those up to place `last`, which is overwritten, move,
  /// those behind it stay.
  static void putFirst(__m256i *at, __m256i old, __m256i want, int64_t last) {
    const __m256i moved = _mm256_permute4x64_epi64(old, 0b10010000); // 0 0 1 2
    const __m256i first = _mm256_blend_epi32(moved, want, 0b11);
    const __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i stays = _mm256_cmpgt_epi64(place, _mm256_set1_epi64x(last));
    _mm256_store_si256(at, _mm256_blendv_epi8(first, old, stays));
  }

  /// Guess: the newest tag first, with a branch.
  template <bool Guess = true> static bool accessFour(uint64_t *set, uint64_t tag) {
    if (Guess && set[0] == tag)
      return true;
    const auto at = reinterpret_cast<__m256i *>(set);
    const __m256i old = _mm256_load_si256(at);
    const __m256i want = _mm256_set1_epi64x(int64_t(tag));
    const int hit = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(old, want)));
    // Without a hit all move. No branch on what is as good as random.
    putFirst(at, old, want, __builtin_ctz(unsigned(hit) | 8));
    return hit != 0;
  }

  /// `ways_` is a multiple of four. The fours behind the hit are not touched.
  bool accessFours(uint64_t *set, uint64_t tag) {
    if (set[0] == tag)
      return true;
    const __m256i want = _mm256_set1_epi64x(int64_t(tag));
    const auto at = reinterpret_cast<__m256i *>(set);
    uint32_t last = ways_ - 1; // the place that is overwritten
    bool hit = false;
    for (uint32_t four = 0; four < ways_ / 4 && !hit; ++four) {
      const __m256i equal = _mm256_cmpeq_epi64(_mm256_load_si256(at + four), want);
      if (const int found = _mm256_movemask_pd(_mm256_castsi256_pd(equal))) {
        last = 4 * four + unsigned(__builtin_ctz(unsigned(found)));
        hit = true;
      }
    }
    // From behind, so that each four is read before the one in front moves into it.
    const __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    for (uint32_t four = last / 4; four; --four) {
      const __m256i old = _mm256_load_si256(at + four);
      const __m256i moved =
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(set + 4 * four - 1));
      const __m256i stays =
          _mm256_cmpgt_epi64(place, _mm256_set1_epi64x(int64_t(last) - 4 * int64_t(four)));
      _mm256_store_si256(at + four, _mm256_blendv_epi8(moved, old, stays));
    }
    putFirst(at, _mm256_load_si256(at), want, int64_t(last));
    return hit;
  }

  template <bool Guess = true> static bool accessSixteen(uint32_t *set, uint32_t tag) {
    if (Guess && set[0] == tag)
      return true;
    const auto at = reinterpret_cast<__m256i *>(set);
    const __m256i low = _mm256_load_si256(at), high = _mm256_load_si256(at + 1);
    const __m256i want = _mm256_set1_epi32(int(tag));
    const unsigned inLow =
        unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(low, want))));
    const unsigned inHigh =
        unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(high, want))));
    const unsigned hit = inLow | inHigh << 8;
    const int last = __builtin_ctz(hit | 1 << 15); // the place that is overwritten
    const __m256i up = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const __m256i lowUp = _mm256_permutevar8x32_epi32(low, up);
    const __m256i highUp = _mm256_permutevar8x32_epi32(high, up);
    const __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i staysLow = _mm256_cmpgt_epi32(place, _mm256_set1_epi32(last));
    const __m256i staysHigh = _mm256_cmpgt_epi32(place, _mm256_set1_epi32(last - 8));
    _mm256_store_si256(at, _mm256_blendv_epi8(_mm256_blend_epi32(lowUp, want, 1), low, staysLow));
    _mm256_store_si256(at + 1,
                       _mm256_blendv_epi8(_mm256_blend_epi32(highUp, lowUp, 1), high, staysHigh));
    return hit != 0;
  }

  bool accessAnyDirty(uint64_t *set, uint64_t tag, bool writes, bool &evicts) {
    uint32_t k = 0;
    while (k + 1 < ways_ && (set[k] & ~kWritten64) != tag)
      ++k;
    const uint64_t old = set[k];
    const bool hit = (old & ~kWritten64) == tag;
    std::copy_backward(set, set + k, set + k + 1);
    set[0] = tag | (hit ? old & kWritten64 : 0) | (writes ? kWritten64 : 0);
    evicts = !hit && (old & kWritten64);
    return hit;
  }

  struct Dirty {
    bool hit, evicts;
  };
  template <bool Guess>
  static Dirty accessSixteenDirty(uint32_t *set, uint32_t tag, uint32_t written) {
    if (Guess && (set[0] & ~kWritten) == tag) {
      set[0] |= written;
      return {true, false};
    }
    const auto at = reinterpret_cast<__m256i *>(set);
    const __m256i low = _mm256_load_si256(at), high = _mm256_load_si256(at + 1);
    const __m256i plain = _mm256_set1_epi32(int(~kWritten)), want = _mm256_set1_epi32(int(tag));
    const auto signs = [](__m256i x) {
      return unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
    };
    const auto equal = [&](__m256i tags) {
      return signs(_mm256_cmpeq_epi32(_mm256_and_si256(tags, plain), want));
    };
    const unsigned hit = equal(low) | equal(high) << 8;
    const unsigned marks = signs(low) | signs(high) << 8;
    const int last = __builtin_ctz(hit | 1 << 15); // the place that is overwritten
    const uint32_t old = marks >> last & 1;
    // On a hit the mark of what was there stays.
    const uint32_t mark = written | (hit ? old << 31 : 0);
    const __m256i up = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const __m256i lowUp = _mm256_permutevar8x32_epi32(low, up);
    const __m256i highUp = _mm256_permutevar8x32_epi32(high, up);
    const __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i staysLow = _mm256_cmpgt_epi32(place, _mm256_set1_epi32(last));
    const __m256i staysHigh = _mm256_cmpgt_epi32(place, _mm256_set1_epi32(last - 8));
    _mm256_store_si256(at, _mm256_blendv_epi8(lowUp, low, staysLow));
    _mm256_store_si256(at + 1,
                       _mm256_blendv_epi8(_mm256_blend_epi32(highUp, lowUp, 1), high, staysHigh));
    set[0] = tag | mark;
    return {hit != 0, !hit && old};
  }

  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  uint32_t ways_, sets_;
  uint64_t mask_ = 0; ///< sets - 1 when a power of two (a division less)
  Halves halves_;
  Shape shape_ = Shape::any;
  size_t bytes_ = 0;
  std::unique_ptr<void, Free> memory_;
  bool anyWritten_ = false; ///< by accessEachDirty
  uint64_t *tags_ = nullptr;
  uint32_t *tags32_ = nullptr; ///< the same memory, for Shape::sixteen
};

} // namespace meld::softgpu
