// What is on its way: lines into a cache, pages into a TLB. A cache has a line from when it is asked
// for; who else asks for it waits until it is there and asks no further.
//
//   asked |----------- took ----------| at
//               ^ another one waits until `at`
//   ^ one that asks before (compute units advance in turns, translations take their time) would have
//     been the one that fetched it: has it `took` cycles after it asks
//
// A table with a place for each hash and a word in each place, so that a lookup costs little: of two
// lines in one place the later one is known, and the earlier one counts as there. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace meld::softgpu::timing {

class Pending {
public:
  /// `places`: rounded up to a power of two. Memory is touched only where lines fall.
  explicit Pending(uint64_t places)
      : bits_(unsigned(std::bit_width(std::max<uint64_t>(places, 2) - 1))),
        words_(static_cast<uint64_t *>(std::calloc(size_t(1) << bits_, sizeof(uint64_t)))) {
    if (!words_)
      throw std::bad_alloc();
  }

  /// `line` is asked for at `asked` and there at `at`, which is not before.
  void add(uint64_t line, uint64_t asked, uint64_t at) {
    addAll([&](auto add) { add(line, asked, at); });
  }
  /// `lines` is given an add() to call, which keeps what it needs in registers.
  template <class Lines> void addAll(Lines lines) {
    uint64_t *const words = words_.get();
    uint64_t latest = latest_;
    lines([&, shift = 64 - bits_](uint64_t line, uint64_t asked, uint64_t at) {
      const uint64_t hash = hashOf(line);
      const uint64_t took = std::min((at - asked + kUnit - 1) / kUnit, kMostTook);
      words[hash >> shift] = at << kAtShift | tagOf(hash) | took;
      latest = std::max(latest, at);
    });
    latest_ = latest;
  }
  /// `line` is there without having been fetched.
  void forget(uint64_t line) {
    const uint64_t hash = hashOf(line);
    if (uint64_t &word = words_[placeOf(hash)]; (word & kTags) == tagOf(hash))
      word = 0;
  }
  /// When `line`, which the cache has or expects, is there for who asks at `now`; not before `now`.
  uint64_t there(uint64_t line, uint64_t now) {
    const uint64_t hash = hashOf(line);
    uint64_t &word = words_[placeOf(hash)];
    const uint64_t at = word >> kAtShift;
    if (at <= now || (word & kTags) != tagOf(hash))
      return now;
    const uint64_t mine = now + (word & kMostTook) * kUnit;
    if (mine >= at)
      return at;
    word = mine << kAtShift | (word & (kTags | kMostTook));
    return mine;
  }
  /// Nothing is there later.
  uint64_t latest() const { return latest_; }

private:
  // A word, from above: at (36 bits, 40 seconds of a device), a tag (17 bits, as good as exact), and in
  // units of 8 cycles what it took (11 bits).
  static constexpr unsigned kAtShift = 28;
  static constexpr uint64_t kUnit = 8, kMostTook = (1 << 11) - 1;
  static constexpr uint64_t kTags = ((uint64_t(1) << kAtShift) - 1) & ~kMostTook;

  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  static uint64_t hashOf(uint64_t line) { return line * 0x9e3779b97f4a7c15; }
  size_t placeOf(uint64_t hash) const { return size_t(hash >> (64 - bits_)); }
  /// The bits of the hash below those of any place.
  static uint64_t tagOf(uint64_t hash) { return hash >> 16 & kTags; }

  unsigned bits_;
  std::unique_ptr<uint64_t[], Free> words_;
  uint64_t latest_ = 0;
};

} // namespace meld::softgpu::timing
