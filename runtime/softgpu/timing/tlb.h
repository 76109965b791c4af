// Address translation: a small TLB per compute unit (UTCL1), one for the device behind it (UTCL2),
// and the walk of the page table.
//
//   lane addresses -> UTCL1, hit: nothing      -> UTCL2, hit: tlbMiss cycles -> walk: tlbWalk more
//
// Who asks for a page that another has asked for a moment ago waits for the same translation.
//
// A page is what one entry covers: the driver maps memory in fragments of up to 2 MiB, and an entry
// covers a fragment. All pages are taken to be as large (`tlbPage`). Every vector access is
// translated before its line is looked up in the L1. Scalar loads and instructions have TLBs of
// their own and are taken to hit. Not thread-safe.
#pragma once

#include "runtime/softgpu/timing/cache.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/timing/pending.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace meld::softgpu::timing {

/// Of the device.
class SecondTlb {
public:
  explicit SecondTlb(const TimingParameters &p) : tags_(p.tlb2Entries * 64, 16), walk_(p.tlbWalk) {}
  /// When the translation of a page that is asked for at `now` is there.
  uint64_t there(uint64_t page, uint64_t now) {
    if (tags_.access(page))
      return pending_.there(page, now);
    pending_.add(page, now, now + walk_);
    return now + walk_;
  }

private:
  TagCache tags_;
  Pending pending_{4096};
  uint32_t walk_;
};

/// Of a compute unit; fully associative.
class FirstTlb {
public:
  FirstTlb(const TimingParameters &p, SecondTlb &second)
      : tags_(p.tlbEntries * 64, p.tlbEntries), second_(second), miss_(p.tlbMiss),
        shift_(unsigned(std::bit_width(std::max(p.tlbPage, 64u)) - 1)) {}

  unsigned shift() const { return shift_; } ///< log2 of a page's bytes
  /// When the translation of a page that is asked for at `now` is there.
  uint64_t there(uint64_t page, uint64_t now) {
    if (page != last_) {
      last_ = page;
      if (tags_.access(page)) {
        lastAt_ = walking(page, now);
      } else {
        lastAt_ = second_.there(page, now + miss_);
        pending_[oldest_++ % pending_.size()] = {page, lastAt_};
        latest_ = std::max(latest_, lastAt_);
      }
    }
    return std::max(lastAt_, now);
  }

private:
  struct Walk {
    uint64_t page = ~0ull, at = 0;
  };
  /// When the translation is there of a page that is known or on its way.
  uint64_t walking(uint64_t page, uint64_t now) const {
    uint64_t at = now;
    if (latest_ > now)
      for (const Walk &walk : pending_)
        at = std::max(at, walk.page == page ? walk.at : 0);
    return at;
  }

  TagCache tags_;
  std::array<Walk, 64> pending_; ///< the newest
  unsigned oldest_ = 0;
  uint64_t latest_ = 0;
  SecondTlb &second_;
  uint32_t miss_;
  unsigned shift_;
  uint64_t last_ = ~0ull; ///< nearly all accesses are to the page of the one before
  uint64_t lastAt_ = 0;   ///< when its translation is there
};

} // namespace meld::softgpu::timing
