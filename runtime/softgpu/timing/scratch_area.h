// Where the scratch memory of a dispatch's workgroups lies: as on a device, one stretch of memory with
// a place for each workgroup that may be there at once, in the order in which they begin.
//
//     | group 0 | group 1 | group 2 | ...      later groups take the places of those that have ended
//
// No place is left empty between those in use: if each compute unit kept as many places as it has
// room for, the places of different units would lie a multiple of a power of two apart, and all of
// them would fall into a few of a cache's sets.
//
// Which sets of the caches and of the TLB lines fall into, and which of them meet in the tables of
// what is on its way, follows from their addresses. So the stretch begins at the same address each
// time, where that is free: memory from wherever the host had some would give a kernel with scratch
// memory other cycles in every process. Where it is not free (another dispatch at the same time),
// the next one that is.
//
// Cost: address space alone, until a wave writes there. Not thread-safe; belongs to one dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

namespace meld::softgpu::timing {

class ScratchArea {
public:
  /// `places` of `bytes` each, in whole pages and one between them that stays unused. None when the
  /// host has no such stretch: take() then gives nothing, and buffers have memory of their own.
  ScratchArea(size_t places, size_t bytes)
      : each_(bytes ? (bytes + 4095) / 4096 * 4096 + 4096 : 0) {
    if (!places || !each_ || each_ > kMost / places)
      return;
    size_ = places * each_;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = MAP_FAILED;
#ifndef __SANITIZE_THREAD__ // which knows where memory may lie
    for (unsigned k = 0; p == MAP_FAILED && k < kStretches; ++k)
      p = mmap(reinterpret_cast<void *>(kFirst + k * kMost), size_, PROT_READ | PROT_WRITE,
               flags | MAP_FIXED_NOREPLACE, -1, 0);
#endif
    if (p == MAP_FAILED)
      p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, -1, 0);
    begin_ = p == MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
    next_ = begin_;
  }
  ~ScratchArea() {
    if (begin_)
      munmap(begin_, size_);
  }
  ScratchArea(const ScratchArea &) = delete;

  /// The next place; nullptr when there is none left.
  uint8_t *take() {
    if (!begin_ || next_ == begin_ + size_)
      return nullptr;
    uint8_t *const place = next_;
    next_ += each_;
    return place;
  }
  size_t bytes() const { return each_; }

private:
  // Below what hosts give out by themselves and above what programs are linked for.
  static constexpr uint64_t kFirst = uint64_t(1) << 45, kMost = uint64_t(1) << 40;
  static constexpr unsigned kStretches = 8;

  size_t each_, size_ = 0;
  uint8_t *begin_ = nullptr, *next_ = nullptr;
};

} // namespace meld::softgpu::timing
