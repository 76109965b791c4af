// Which instruction keeps each idle lane of a wave from running: what a report of divergence charges
// lost lanes to.
//
//   v_cmp, s_and_saveexec A    lanes 32..63 go off, by A
//   v_add                      32 lanes lost to A
//   s_or_saveexec, s_xor       lanes 32..63 come back, 0..31 go off: the other side of A
//   v_sub                      32 lanes lost to A
//   s_or exec                  together again
//
// A lane is charged to the instruction that took its bit out of EXEC last. Two additions make that
// the branch which people mean: EXEC counts only where a vector instruction runs under it, since what
// happens in between costs no lane; and where the compiler's code for an `else` swaps the lanes that
// ran with those that waited, the former now wait for the branch that the latter waited for.
//
// Only lanes that the wave began with can be lost: a workgroup of 40 threads leaves 24 lanes of its
// wave empty, which is no divergence.
//
// Thread rule: belongs to one worker.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace meld::softgpu {

class LostLanes {
public:
  LostLanes() = default;
  /// `start`: EXEC with which the wave begins.
  explicit LostLanes(uint64_t start) : start_(start) {}

  uint64_t start() const { return start_; }

  /// Instruction `site` has changed EXEC. `swaps`: it is of the kind that goes to an else.
  void changed(uint32_t site, bool swaps, uint64_t before, uint64_t after) {
    const uint64_t off = before & ~after;
    if (!off)
      return; // who comes back is looked at when a vector instruction runs
    Waiting &cause = placeOf(swaps && after ? otherSideOf(after, site) : site);
    for (Waiting &w : waiting_)
      if (&w != &cause)
        w.lanes &= ~off;
    cause.lanes |= off;
  }

  /// A vector instruction runs under `exec`: `add(site, lanes)` for each site that keeps some off.
  template <class Add> void ran(uint64_t exec, Add add) {
    const uint64_t off = start_ & ~exec;
    if (!off) {
      waiting_.clear();
      return;
    }
    if (exec) // else nobody has come back, only all have gone
      std::erase_if(waiting_, [&](Waiting &w) { return (w.lanes &= ~exec) == 0; });
    for (const Waiting &w : waiting_)
      if (const uint64_t lost = w.lanes & off)
        add(w.site, unsigned(std::popcount(lost)));
  }

private:
  struct Waiting {
    uint32_t site;
    uint64_t lanes;
  };
  Waiting &placeOf(uint32_t site) {
    const auto it = std::ranges::find(waiting_, site, &Waiting::site);
    return it != waiting_.end() ? *it : waiting_.emplace_back(Waiting{site, 0});
  }
  /// What `lanes` have waited for until now, most of them where it is not one thing; `site` where
  /// some have not waited.
  uint32_t otherSideOf(uint64_t lanes, uint32_t site) const {
    uint64_t waited = 0;
    int most = 0;
    uint32_t cause = site;
    for (const Waiting &w : waiting_) {
      waited |= w.lanes;
      if (const int n = std::popcount(w.lanes & lanes); n > most)
        most = n, cause = w.site;
    }
    return lanes & ~waited ? site : cause;
  }

  uint64_t start_ = 0;
  std::vector<Waiting> waiting_; ///< disjoint; in the order in which they first parted lanes
};

} // namespace meld::softgpu
