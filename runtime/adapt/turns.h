// Kernels that are called for a few purposes in turns: which of them is a launch for?
//
//   launch   order   n      key
//   1        4       1000   0       nothing known
//   2        2       2000   0
//   3        4       1001   0       4 again: once
//   4        2       2001   B       2 again: `order` takes turns, and tells the purposes apart
//   5        4       1002   A
//
// A word takes turns when what it changes to is one of the two values that it had before, kAgain
// times in a row. A value that is another one at each launch never does. The work-group is looked at
// like a word. Pointers are not: buffers that are swapped make no other purpose.
//
// Cost: add() is a comparison for each four bytes of arguments by value; no allocation.
//
// Thread rule: none of its own.
#pragma once

#include "runtime/adapt/same_bytes.h"

namespace meld::adapt {

class Turns {
public:
  static constexpr unsigned kAgain = 2;

  explicit Turns(const std::vector<ArgumentRange> &ranges);
  /// One more launch. 0: nothing takes turns; otherwise the same for the same values of all that
  /// does.
  uint64_t add(const LaunchShape &launch, const Arguments &arguments) noexcept;

private:
  struct Word {
    uint16_t offset = 0;
    uint8_t width = 0, again = 0;
    uint32_t now = 0, before[2] = {};
  };
  static void change(Word &word, uint32_t to) noexcept;

  std::vector<Word> words_; ///< the last one: the work-group
  bool any_ = false;
};

} // namespace meld::adapt
