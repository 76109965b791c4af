// Which of a few purposes a launch is for.
#include "runtime/adapt/turns.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace meld;
using namespace meld::adapt;

namespace {

/// {pointer, unsigned, bool, short, struct of 12 bytes}
const std::vector<ArgumentRange> kRanges = {
    {0, 8, true}, {8, 4, false}, {12, 1, false}, {14, 2, false}, {16, 12, false}};

/// As launches with `value` at that place are seen; `workgroup`: instead of 64.
class Launches {
public:
  template <class T> uint64_t add(size_t at, T value, uint16_t workgroup = 64) {
    std::memcpy(block_ + at, &value, sizeof value);
    Arguments arguments;
    arguments.take(block_, sizeof block_, 28);
    return turns_.add({{workgroup, 1, 1}, {6400, 1, 1}, 0}, arguments);
  }

private:
  uint8_t block_[32] = {};
  Turns turns_{kRanges};
};

} // namespace

TEST(Turns, AreSeenWhenAValueHasComeAgainTwice) {
  Launches launches;
  EXPECT_EQ(launches.add(8, 4), 0u);
  EXPECT_EQ(launches.add(8, 2), 0u);
  EXPECT_EQ(launches.add(8, 4), 0u) << "once";
  const uint64_t two = launches.add(8, 2);
  EXPECT_NE(two, 0u);
  const uint64_t four = launches.add(8, 4);
  EXPECT_NE(four, 0u);
  EXPECT_NE(four, two);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(launches.add(8, 2), two);
    EXPECT_EQ(launches.add(8, 4), four);
    EXPECT_EQ(launches.add(8, 4), four) << "not strictly in turns";
  }
}

TEST(Turns, OfThreeValues) {
  Launches launches;
  std::set<uint64_t> keys;
  for (int i = 0; i < 30; ++i)
    if (const uint64_t key = launches.add(8, 10 * (i % 3)))
      keys.insert(key);
  EXPECT_EQ(keys.size(), 3u);
}

TEST(Turns, WhatIsAlwaysNewTakesNone) {
  Launches launches;
  for (unsigned i = 0; i < 100; ++i)
    EXPECT_EQ(launches.add(8, i), 0u);
  Launches four;
  for (unsigned i = 0; i < 100; ++i)
    EXPECT_EQ(four.add(8, i % 4), 0u);
}

TEST(Turns, WhatIsNewEndsThem) {
  Launches launches;
  uint64_t key = 0;
  for (int i = 0; i < 8; ++i)
    key = launches.add(8, i % 2);
  EXPECT_NE(key, 0u);
  EXPECT_EQ(launches.add(8, 77), 0u);
}

TEST(Turns, OfFieldsOfAllSizesAndOfTheWorkGroup) {
  Launches flag, word, field, group, pointer;
  uint64_t keys[5] = {};
  for (int i = 0; i < 8; ++i) {
    keys[0] = flag.add(12, i % 2 == 1);
    keys[1] = word.add(14, static_cast<int16_t>(i % 2));
    keys[2] = field.add(24, i % 2);
    keys[3] = group.add(8, 0, static_cast<uint16_t>(i % 2 ? 64 : 128));
    keys[4] = pointer.add(0, uint64_t{0x7f00'0000'0000} + 4096u * (i % 2));
  }
  for (int i = 0; i < 4; ++i)
    EXPECT_NE(keys[i], 0u) << i;
  EXPECT_EQ(keys[4], 0u) << "buffers that are swapped";
}
