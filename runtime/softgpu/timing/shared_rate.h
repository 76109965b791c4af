// A resource that all compute units share and that does so much work per cycle: the dispatcher, the
// bandwidth of the L2 and of the memory.
//
// Compute units advance one after the other, each by a turn, so requests do not come in the order
// of their times and a queue would make early requests wait for late ones. So time is cut into
// windows that each do a fixed amount of work, and a request takes what its window, or the next
// ones with room, have left:
//
//   window   |####    |########|########|##      |      # = taken
//                ^ a request at this time is served here; one in window 1 waits until window 3
//
// Work within a window is done in the order in which it was asked for, from the window's begin on:
// a request is done no earlier than the work in its window allows. What is wrong with it: work
// asked for within one window (64 cycles) may be done up to a window's length too early or too
// late.
//
// Costs: amortised constant time; full windows are skipped (paths are halved, as in a disjoint-set
// forest). Deterministic. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace meld::softgpu::timing {

class SharedRate {
public:
  static constexpr uint64_t kWindow = 64;    ///< cycles
  static constexpr uint64_t kUnit = 1 << 16; ///< work is counted in 1/65536 cycles of the resource

  SharedRate() : windows_(64) {}

  /// Nothing will be asked for before `now` any more.
  void begin(uint64_t now) {
    const uint64_t first = now / kWindow;
    if (first <= first_)
      return;
    const uint64_t stale = std::min<uint64_t>(first - first_, windows_.size());
    for (uint64_t k = 0; k < stale; ++k)
      at(first_ + k) = Window();
    first_ = first;
  }

  /// When `work` is done that is asked for at `now`, which is not before begin(); 0 is done at once.
  uint64_t pass(uint64_t now, uint64_t work) {
    if (!work)
      return now;
    uint64_t w = std::max(now / kWindow, first_);
    while (true) {
      w = withRoom(w);
      Window &window = at(w);
      const uint64_t part = std::min(work, kCapacity - window.taken);
      window.taken += uint32_t(part);
      work -= part;
      if (!work)
        return std::max(now, w * kWindow + (window.taken + kUnit - 1) / kUnit);
      ++w;
    }
  }

private:
  static constexpr uint64_t kCapacity = kWindow * kUnit;
  struct Window {
    uint32_t taken = 0;
    uint32_t skip = 1; ///< of a full one: no window between here and there has room
  };

  Window &at(uint64_t w) { return windows_[w & (windows_.size() - 1)]; }
  bool full(uint64_t w) { return at(w).taken == kCapacity; }

  /// The first window from `w` on that is not full.
  uint64_t withRoom(uint64_t w) {
    reach(w);
    uint64_t end = w;
    while (full(end)) {
      end += at(end).skip;
      reach(end);
    }
    while (w != end) {
      const uint64_t next = w + at(w).skip;
      at(w).skip = uint32_t(end - w);
      w = next;
    }
    return end;
  }
  /// Makes room for the windows up to `w`.
  void reach(uint64_t w) {
    if (w - first_ < windows_.size()) [[likely]]
      return;
    size_t size = windows_.size();
    while (w - first_ >= size)
      size *= 2;
    std::vector<Window> more(size);
    for (uint64_t k = 0; k < windows_.size(); ++k)
      more[(first_ + k) & (size - 1)] = at(first_ + k);
    windows_ = std::move(more);
  }

  std::vector<Window> windows_; ///< a ring of a power of two
  uint64_t first_ = 0;          ///< the oldest window that is kept
};

} // namespace meld::softgpu::timing
