// Random streams in a tree: every part of a program draws from a stream of its own.
//
// A part's stream depends on its parent's and its number there only, not on how much its elder
// siblings drew. So a part can be made a second time from the same stream, with a few of its own
// parts altered: two sides of a branch that resemble each other, as real programs have them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meld::fuzz::source {

class Random {
public:
  explicit Random(uint64_t seed) : seed_(mix(seed, 0x243f6a8885a308d3ull)) {}

  uint32_t next() { return static_cast<uint32_t>(mix(seed_, ++drawn_) >> 32); }
  /// 0 .. end-1
  uint32_t below(uint32_t end) { return static_cast<uint32_t>((uint64_t{next()} * end) >> 32); }
  bool chance(uint32_t percent) { return below(100) < percent; }

  /// The stream of the next part; another one now and then where this is an altered copy.
  Random child() {
    Random c(mix(seed_, ++drawn_));
    c.alteration_ = alteration_, c.percent_ = percent_;
    if (alteration_ && mix(alteration_, c.seed_) % 100 < percent_)
      c.seed_ = mix(c.seed_, alteration_);
    return c;
  }

  /// This stream from here on, with about `percent` of the parts below it altered.
  Random altered(uint64_t alteration, uint32_t percent) const {
    Random copy = *this;
    copy.alteration_ = alteration | 1, copy.percent_ = percent;
    return copy;
  }

  template <typename T, size_t N> const T &pick(const T (&list)[N]) { return list[below(N)]; }

private:
  /// The finaliser of MurmurHash3 (Appleby, public domain) over both words.
  static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15ull + b;
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
  }

  uint64_t seed_, drawn_ = 0, alteration_ = 0;
  uint32_t percent_ = 0;
};

} // namespace meld::fuzz::source
