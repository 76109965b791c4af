// Address translation: a small TLB per compute unit (UTCL1), one for the device behind it (UTCL2),
// and the walk of the page table.
//
//   lane addresses -> UTCL1, hit: nothing      -> UTCL2, hit: tlbMiss cycles -> walk: tlbWalk more
//
// A page is what one entry covers: the driver maps memory in fragments of up to 2 MiB, and an entry
// covers a fragment. All pages are taken to be as large (`tlbPage`). Every vector access is
// translated before its line is looked up in the L1. Scalar loads and instructions have TLBs of
// their own and are taken to hit. Not thread-safe.
#pragma once

#include "runtime/softgpu/timing/cache.h"
#include "runtime/softgpu/timing/parameters.h"

#include <bit>
#include <cstdint>

namespace meld::softgpu::timing {

/// Of the device.
class SecondTlb {
public:
  explicit SecondTlb(const TimingParameters &p) : tags_(p.tlb2Entries * 64, 16), walk_(p.tlbWalk) {}
  /// Cycles more for a page that is not there.
  uint32_t extra(uint64_t page) { return tags_.access(page) ? 0 : walk_; }

private:
  TagCache tags_;
  uint32_t walk_;
};

/// Of a compute unit; fully associative.
class FirstTlb {
public:
  FirstTlb(const TimingParameters &p, SecondTlb &second)
      : tags_(p.tlbEntries * 64, p.tlbEntries), second_(second), miss_(p.tlbMiss),
        shift_(unsigned(std::bit_width(std::max(p.tlbPage, 64u)) - 1)) {}

  unsigned shift() const { return shift_; } ///< log2 of a page's bytes
  /// Cycles until the translation of a page is there.
  uint32_t extra(uint64_t page) {
    if (page == last_)
      return 0;
    last_ = page;
    return tags_.access(page) ? 0 : miss_ + second_.extra(page);
  }

private:
  TagCache tags_;
  SecondTlb &second_;
  uint32_t miss_;
  unsigned shift_;
  uint64_t last_ = ~0ull; ///< nearly all accesses are to the page of the one before
};

} // namespace meld::softgpu::timing
