// Facts as comparisons with a launch: each one that is broken is seen, whatever the others are.
#include "runtime/adapt/guard.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace meld;
using namespace meld::adapt;

namespace {

struct Launch {
  LaunchShape shape{{256, 1, 1}, {2560, 1, 1}, 0};
  std::vector<uint8_t> bytes = std::vector<uint8_t>(64);

  template <class T> Launch &put(size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }
};

bool holds(const Guard &guard, const Launch &launch) {
  Arguments arguments;
  // A block of its own size: a sanitizer sees what is read behind it.
  const std::vector<uint8_t> block(launch.bytes);
  arguments.take(block.data(), block.size(), guard.argumentBytes());
  return guard.holds(launch.shape, arguments);
}

Guard compiled(const Facts &facts, size_t bytes = 64) {
  const auto guard = Guard::compile(facts, bytes);
  EXPECT_TRUE(guard) << guard.error().message;
  return guard.value_or(Guard());
}

bool isRefused(const Facts &facts, size_t bytes = 64) {
  return !Guard::compile(facts, bytes).has_value();
}

/// As the guard should, byte by byte.
bool isSo(const Fact &fact, const Launch &launch) {
  const auto &s = launch.shape;
  switch (fact.kind) {
  case Fact::Kind::workgroup:
    return fact == Fact::workgroup(s.workgroup[0], s.workgroup[1], s.workgroup[2]);
  case Fact::Kind::fullGroups:
    return s.grid[0] % s.workgroup[0] + s.grid[1] % s.workgroup[1] + s.grid[2] % s.workgroup[2] ==
           0;
  case Fact::Kind::argument:
    for (unsigned i = 0; i < fact.width; ++i)
      if (launch.bytes[fact.offset + i] != (fact.value >> 8 * i & 0xff))
        return false;
    return true;
  case Fact::Kind::grid:
    return s.grid[fact.offset] == fact.value;
  case Fact::Kind::nonNull:
    return std::any_of(launch.bytes.begin() + fact.offset, launch.bytes.begin() + fact.offset + 8,
                       [](uint8_t byte) { return byte != 0; });
  }
  return false;
}

} // namespace

TEST(Guard, HoldsWhereEveryFactDoes) {
  const Guard guard = compiled({Fact::argument(16, 4, 3), Fact::argument(20, 1, 7),
                                Fact::workgroup(256, 1, 1), Fact::fullGroups()});
  EXPECT_EQ(guard.argumentBytes(), 21u);
  Launch launch;
  launch.put(16, 3).put(20, uint8_t{7}).put(21, 0x123456);
  EXPECT_TRUE(holds(guard, launch));
  EXPECT_FALSE(holds(guard, Launch(launch).put(16, 2)));
  EXPECT_FALSE(holds(guard, Launch(launch).put(19, uint8_t{1})));
  EXPECT_FALSE(holds(guard, Launch(launch).put(20, uint8_t{8})));
  Launch other = launch;
  other.shape.workgroup[0] = 128;
  EXPECT_FALSE(holds(guard, other));
  other = launch;
  other.shape.grid[0] = 2561;
  EXPECT_FALSE(holds(guard, other));
  other = launch;
  other.shape.workgroup[1] = 2;
  EXPECT_FALSE(holds(guard, other));
}

TEST(Guard, FullGroupsInEveryDimension) {
  const Guard guard = compiled({Fact::fullGroups()});
  EXPECT_EQ(guard.argumentBytes(), 0u);
  Launch launch;
  launch.shape = {{8, 4, 2}, {64, 64, 64}, 0};
  EXPECT_TRUE(holds(guard, launch));
  for (int d = 0; d < 3; ++d) {
    Launch other = launch;
    ++other.shape.grid[d];
    EXPECT_FALSE(holds(guard, other)) << d;
    other.shape.workgroup[d] = 0;
    EXPECT_FALSE(holds(guard, other)) << d;
  }
}

TEST(Guard, TheGridInEachDimension) {
  for (uint16_t d = 0; d < 3; ++d) {
    const Guard guard = compiled({Fact::grid(d, 64)});
    Launch launch;
    launch.shape = {{8, 4, 2}, {64, 64, 64}, 0};
    for (uint16_t other = 0; other < 3; ++other) {
      Launch changed = launch;
      changed.shape.grid[other] = 128;
      EXPECT_EQ(holds(guard, changed), other != d);
    }
    EXPECT_TRUE(holds(guard, launch));
  }
}

TEST(Guard, PointersThatAreNotNull) {
  const Guard guard = compiled({Fact::nonNull(8), Fact::nonNull(56)});
  EXPECT_EQ(guard.argumentBytes(), 64u);
  Launch launch;
  launch.put(8, uint64_t{0x1'0000'0000}).put(56, uint64_t{1});
  EXPECT_TRUE(holds(guard, launch));
  EXPECT_FALSE(holds(guard, Launch(launch).put(8, uint64_t{0})));
  EXPECT_FALSE(holds(guard, Launch(launch).put(56, uint64_t{0})));
}

TEST(Guard, ReadsNothingBehindTheArguments) {
  EXPECT_TRUE(isRefused({Fact::nonNull(56)}, 63));
  EXPECT_TRUE(isRefused({Fact::argument(60, 4, 0)}, 63));
  EXPECT_TRUE(isRefused({Fact::argument(64, 1, 0)}, 64));
  EXPECT_TRUE(isRefused({Fact::argument(0, 1, 0)}, 0));
  EXPECT_TRUE(isRefused({Fact::argument(kMostArgumentBytes, 4, 0)}, 4096));
  const Guard guard = compiled({Fact::argument(60, 4, 0)}, 64);
  Arguments none, shorter;
  none.take(nullptr, 64, 64);
  EXPECT_FALSE(guard.holds({}, none));
  const std::vector<uint8_t> block(63);
  shorter.take(block.data(), block.size(), guard.argumentBytes());
  EXPECT_EQ(shorter.size(), 0u);
  EXPECT_FALSE(guard.holds({}, shorter));
  // The last bytes of a block that is no multiple of eight.
  const std::vector<uint8_t> odd(13);
  Arguments all;
  all.take(odd.data(), odd.size(), odd.size());
  EXPECT_TRUE(compiled({Fact::argument(12, 1, 0)}, 13).holds({}, all));
}

TEST(Guard, WhatIsNoGuardIsRefused) {
  EXPECT_TRUE(isRefused({}));
  EXPECT_TRUE(isRefused({Fact::argument(8, 4, 1), Fact::argument(8, 4, 2)}));
  EXPECT_TRUE(isRefused({Fact::argument(8, 4, 0x100), Fact::argument(9, 1, 2)}));
  EXPECT_TRUE(isRefused({Fact::workgroup(1, 1, 1), Fact::workgroup(2, 1, 1)}));
  EXPECT_TRUE(isRefused({Fact::argument(8, 3, 1)}));
  EXPECT_TRUE(isRefused({Fact::nonNull(12)}));
  EXPECT_TRUE(isRefused({Fact::grid(1, 5), Fact::grid(1, 6)}));
  EXPECT_FALSE(isRefused({Fact::grid(1, 5), Fact::grid(0, 6)}));
  EXPECT_TRUE(isRefused({Fact::grid(3, 5)}));
  EXPECT_TRUE(isRefused({Fact::grid(0, 0)}));
  EXPECT_TRUE(isRefused(Facts(Guard::kMostPointers + 1, Fact::nonNull(8))));
  EXPECT_TRUE(isRefused({Fact::argument(9, 4, 1)}));
  EXPECT_FALSE(isRefused({Fact::argument(8, 4, 0x200), Fact::argument(9, 1, 2)}));
  Facts many;
  for (uint16_t i = 0; i <= Guard::kMostWords; ++i)
    many.push_back(Fact::argument(static_cast<uint16_t>(8 * i), 8, i));
  EXPECT_TRUE(isRefused(many, 4096));
  many.pop_back();
  EXPECT_FALSE(isRefused(many, 4096));
  EXPECT_FALSE(holds(Guard(), Launch())) << "a guard of nothing would hold always";
}

TEST(Guard, HoldsExactlyWhereTheFactsDo) {
  std::mt19937 random(7);
  unsigned held = 0;
  for (int round = 0; round < 20'000; ++round) {
    Launch launch;
    for (uint8_t &byte : launch.bytes)
      byte = static_cast<uint8_t>(random() % 3 ? 0 : random());
    launch.shape.workgroup[0] = static_cast<uint16_t>(1 << random() % 9);
    launch.shape.grid[0] = random() % 3 ? 2560 : random() % 10'000;
    Facts facts;
    for (unsigned i = random() % 6 + 1; i; --i) {
      const auto width = static_cast<uint8_t>(1 << random() % 4);
      const auto offset = static_cast<uint16_t>(random() % (64 / width) * width);
      uint64_t value = 0;
      for (unsigned k = 0; k < width; ++k)
        value |= uint64_t{launch.bytes[offset + k]} << 8 * k;
      facts.push_back(Fact::argument(offset, width, value));
    }
    if (random() % 4 == 0)
      facts.push_back(Fact::workgroup(launch.shape.workgroup[0], 1, 1));
    if (random() % 4 == 0 && isSo(Fact::fullGroups(), launch))
      facts.push_back(Fact::fullGroups());
    if (random() % 4 == 0)
      facts.push_back(Fact::grid(0, launch.shape.grid[0]));
    const auto pointer = Fact::nonNull(static_cast<uint16_t>(random() % 8 * 8));
    if (random() % 4 == 0 && isSo(pointer, launch))
      facts.push_back(pointer);
    const Guard guard = compiled(facts);
    EXPECT_TRUE(holds(guard, launch)) << toText(facts);
    // One byte, one bit, or the shape changes: most changes concern no fact.
    const unsigned change = random() % 66;
    if (change < 64)
      launch.bytes[change] = static_cast<uint8_t>(launch.bytes[change] ^ 1 << random() % 8);
    else
      launch.shape.workgroup[change % 2] = static_cast<uint16_t>(1 + random() % 16);
    const bool all =
        std::all_of(facts.begin(), facts.end(), [&](const Fact &f) { return isSo(f, launch); });
    EXPECT_EQ(holds(guard, launch), all) << toText(facts);
    held += all;
  }
  EXPECT_GT(held, 5'000u);
  EXPECT_LT(held, 19'000u);
}

// The host may write the block while a launch is decided about: all guards see what was there once.
TEST(Guard, LooksAtACopyOfTheArguments) {
  alignas(8) uint8_t block[24] = {};
  block[16] = 3;
  Arguments arguments;
  arguments.take(block, sizeof block, 20);
  const Launch launch;
  const Guard three = compiled({Fact::argument(16, 4, 3)}),
              four = compiled({Fact::argument(16, 4, 4)});
  EXPECT_TRUE(three.holds(launch.shape, arguments));
  block[16] = 4;
  EXPECT_TRUE(three.holds(launch.shape, arguments));
  EXPECT_FALSE(four.holds(launch.shape, arguments));
  EXPECT_EQ(arguments.byte(16), 3);
}
