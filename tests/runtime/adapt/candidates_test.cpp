// What launches have in common, against a plain account of them; and how often it is asked for.
#include "runtime/adapt/candidates.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace meld;
using namespace meld::adapt;

namespace {

/// {pointer, int n, int order, double scale, struct of 16 bytes}
const std::vector<Candidates::Range> kRanges = {
    {0, 8, true}, {8, 4, false}, {12, 4, false}, {16, 8, false}, {24, 16, false}};
const LaunchShape kShape{{64, 1, 1}, {6400, 1, 1}, 0};

struct Block {
  std::array<uint8_t, 40> bytes{};
  template <class T> Block &put(size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return *this;
  }
};

bool add(Candidates &candidates, const Block &block, const LaunchShape &shape = kShape) {
  Arguments arguments;
  arguments.take(block.bytes.data(), block.bytes.size(), candidates.argumentBytes());
  return candidates.add(shape, arguments);
}

bool has(const Facts &facts, const Fact &fact) {
  return std::find(facts.begin(), facts.end(), fact) != facts.end();
}
bool isAbout(const Facts &facts, unsigned offset) {
  return std::any_of(facts.begin(), facts.end(), [&](const Fact &f) {
    return f.kind == Fact::Kind::argument && f.offset <= offset && offset < f.offset + f.width;
  });
}

} // namespace

TEST(Candidates, WhatIsTheSameIsAskedForAfterEightLaunches) {
  Candidates candidates(kRanges, 3, {});
  EXPECT_EQ(candidates.argumentBytes(), 40u);
  Block block;
  block.put(0, uint64_t{0x7f00'0000'1000}).put(12, 4).put(16, 2.5);
  for (int launch = 1; launch <= 7; ++launch)
    EXPECT_FALSE(add(candidates, block.put(8, launch)));
  EXPECT_TRUE(add(candidates, block.put(8, 8)));
  const Facts facts = candidates.facts();
  EXPECT_FALSE(isAbout(facts, 8)) << "differs at every launch";
  EXPECT_FALSE(isAbout(facts, 0)) << "a pointer";
  EXPECT_TRUE(has(facts, Fact::argument(12, 4, 4)));
  EXPECT_TRUE(has(facts, Fact::argument(16, 4, 0)));
  EXPECT_TRUE(has(facts, Fact::argument(20, 4, 0x40040000)));
  EXPECT_TRUE(has(facts, Fact::workgroup(64, 1, 1)));
  EXPECT_TRUE(has(facts, Fact::fullGroups()));
  EXPECT_TRUE(std::is_sorted(facts.begin(), facts.end()));
  EXPECT_EQ(parseFacts(toText(facts)), facts);
}

TEST(Candidates, NothingInCommonAsksForNothingAndGivesUp) {
  Candidates candidates({{8, 4, false}}, 3, {});
  Block block;
  LaunchShape shape = kShape;
  unsigned launches = 0;
  for (; !candidates.hopeless(); ++launches) {
    shape.workgroup[0] = static_cast<uint16_t>(32 + launches % 8);
    for (unsigned d = 0; d < 3; ++d)
      shape.grid[d] = 6401 + launches % 2;
    EXPECT_FALSE(add(candidates, block.put(8, launches), shape));
  }
  EXPECT_EQ(launches, Candidates::kPatience);
  EXPECT_FALSE(add(candidates, block, shape));
}

TEST(Candidates, NullPointersAreFacts) {
  Candidates candidates(kRanges, 3, {});
  Block block;
  while (!add(candidates, block)) {
  }
  EXPECT_TRUE(has(candidates.facts(), Fact::argument(0, 4, 0)));
  EXPECT_TRUE(has(candidates.facts(), Fact::argument(4, 4, 0)));
  Candidates half(kRanges, 3, {});
  while (!add(half, block.put(0, uint64_t{0x1'0000'0000}))) {
  }
  EXPECT_FALSE(isAbout(half.facts(), 0));
  EXPECT_FALSE(isAbout(half.facts(), 4));
}

TEST(Candidates, PointersThatAreNotNullAndTheGridAreFacts) {
  const std::vector<Candidates::Range> ranges = {{0, 8, true}, {8, 8, true}, {16, 24, false}};
  Candidates candidates(ranges, 3, {});
  Block block; // a member at 24 that looks like a pointer, and one at 32 that does not
  block.put(16, 5).put(24, uint64_t{0x7f00'0000'2000}).put(32, 2.5);
  LaunchShape shape{{64, 1, 1}, {6400, 3, 1}, 0};
  for (uint64_t launch = 1;; ++launch) {
    block.put(0, uint64_t{0x7f00'0000'1000} + launch);
    block.put(8, launch == 7 ? uint64_t{0} : uint64_t{0x7f00'0000'3000});
    shape.grid[1] = static_cast<uint32_t>(launch);
    if (add(candidates, block, shape))
      break;
  }
  const Facts facts = candidates.facts();
  EXPECT_TRUE(has(facts, Fact::nonNull(0)));
  EXPECT_FALSE(has(facts, Fact::nonNull(8))) << "it was null one launch before";
  EXPECT_FALSE(has(facts, Fact::nonNull(16)));
  EXPECT_TRUE(has(facts, Fact::nonNull(24)));
  EXPECT_FALSE(has(facts, Fact::nonNull(32)));
  EXPECT_TRUE(has(facts, Fact::grid(0, 6400)));
  EXPECT_FALSE(has(facts, Fact::grid(1, shape.grid[1])));
  EXPECT_TRUE(has(facts, Fact::grid(2, 1)));
  EXPECT_TRUE(std::is_sorted(facts.begin(), facts.end()));
  EXPECT_EQ(parseFacts(toText(facts)), facts);
}

// {int, bool, three bytes of nothing, int}: what is in the hole differs.
TEST(Candidates, HolesInStructuresHideNothing) {
  Candidates candidates({{24, 12, false}}, 3, {});
  Block block;
  block.put(24, 7).put(28, uint8_t{1}).put(32, 9);
  for (uint8_t launch = 1;; ++launch)
    if (add(candidates, block.put(29, launch).put(30, launch).put(31, launch)))
      break;
  const Facts facts = candidates.facts();
  EXPECT_TRUE(has(facts, Fact::argument(24, 4, 7)));
  EXPECT_TRUE(has(facts, Fact::argument(28, 1, 1)));
  EXPECT_FALSE(isAbout(facts, 29));
  EXPECT_FALSE(isAbout(facts, 31));
  EXPECT_TRUE(has(facts, Fact::argument(32, 4, 9)));
}

TEST(Candidates, AreAskedForOnceAndSeldomer) {
  Candidates candidates(kRanges, 3, {});
  Block block;
  std::vector<uint64_t> asked;
  for (unsigned launch = 1; launch <= 400; ++launch)
    if (add(candidates, block.put(12, launch / 100)) && isAbout(candidates.facts(), 12))
      asked.push_back(launch / 100);
  EXPECT_EQ(asked, (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_FALSE(candidates.hopeless());
}

TEST(Candidates, AreAskedForABoundedNumberOfTimes) {
  Candidates candidates(kRanges, 1, {});
  Block block;
  unsigned asked = 0;
  for (unsigned launch = 0; launch < 100'000; ++launch)
    asked += add(candidates, block.put(12, launch / 200));
  EXPECT_EQ(asked, Candidates::kMostAsked);
  EXPECT_TRUE(candidates.hopeless());
}

TEST(Candidates, WhatWasAskedForInAnEarlierRunIsNotAskedForAgain) {
  Candidates first(kRanges, 3, {});
  Block block;
  while (!add(first, block)) {
  }
  Candidates again(kRanges, 3, {first.facts()});
  for (int launch = 0; launch < 100; ++launch)
    EXPECT_FALSE(add(again, block));
  EXPECT_FALSE(again.hopeless());
  bool asked = false;
  for (int launch = 0; launch < 20; ++launch)
    asked |= add(again, block.put(12, 5));
  EXPECT_TRUE(asked);
}

TEST(Candidates, UnreadableArgumentsSayNothing) {
  Candidates candidates(kRanges, 3, {});
  for (unsigned launch = 0; launch < 2 * Candidates::kPatience; ++launch)
    EXPECT_FALSE(candidates.add(kShape, Arguments()));
  EXPECT_TRUE(candidates.hopeless());
}

TEST(Candidates, RangesBehindTheLastByteAreLeftOut) {
  Candidates candidates({{0, 4, false}, {1020, 8, false}, {2000, 4, false}, {40, 0, false}}, 3, {});
  EXPECT_EQ(candidates.argumentBytes(), 4u);
}

// Every fact was so in each of the last launches, and everything that was so is one.
TEST(Candidates, AreWhatIsTheSameInTheLastLaunches) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const unsigned after = 1 + random() % 8;
    Candidates candidates(kRanges, after, {});
    std::vector<Block> seen;
    Block block;
    for (int launch = 0; launch < 200; ++launch) {
      for (unsigned changes = random() % 4; changes; --changes)
        ++block.bytes[random() % 8 ? 8 + random() % 4 : random() % 40]; // nothing comes again
      seen.push_back(block);
      if (!add(candidates, block))
        continue;
      ASSERT_GE(seen.size(), Candidates::kLaunchesBefore);
      const Facts facts = candidates.facts();
      const auto same = [&](unsigned at) {
        for (size_t i = seen.size() - after; i < seen.size(); ++i)
          if (seen[i].bytes[at] != block.bytes[at])
            return false;
        return true;
      };
      for (const Fact &fact : facts)
        if (fact.kind == Fact::Kind::argument)
          for (unsigned i = 0; i < fact.width; ++i) {
            EXPECT_TRUE(same(fact.offset + i)) << toText(facts);
            EXPECT_EQ(block.bytes[fact.offset + i], fact.value >> 8 * i & 0xff);
          }
      for (const unsigned at : {8u, 12u})
        EXPECT_EQ(isAbout(facts, at), same(at) && same(at + 1) && same(at + 2) && same(at + 3));
      for (unsigned at = 24; at < 40; ++at)
        EXPECT_EQ(isAbout(facts, at), same(at)) << at;
      break;
    }
  }
}

// A kernel that is called for two or three purposes in turns: a question for each of them, before one
// for what they have in common. As at a launch, who has a version is not added any more.
TEST(Candidates, PurposesInTurnsAreAskedForApart) {
  for (unsigned purposes = 2; purposes <= Candidates::kPurposes; ++purposes) {
    Candidates candidates(kRanges, 3, {});
    std::vector<Facts> asked;
    Block block;
    block.put(16, 2.5);
    for (unsigned launch = 0; launch < 60 && asked.size() < purposes; ++launch) {
      const unsigned purpose = launch % purposes;
      block.put(8, launch).put(12, 4 + purpose).put(24, uint64_t{purpose});
      const bool taken = std::any_of(asked.begin(), asked.end(), [&](const Facts &facts) {
        return has(facts, Fact::argument(12, 4, 4 + purpose));
      });
      if (!taken && add(candidates, block))
        asked.push_back(candidates.facts());
    }
    ASSERT_EQ(asked.size(), purposes);
    for (const Facts &facts : asked) {
      EXPECT_TRUE(isAbout(facts, 12)) << toText(facts);
      EXPECT_TRUE(isAbout(facts, 24)) << toText(facts);
      EXPECT_TRUE(has(facts, Fact::argument(20, 4, 0x40040000))) << "what they have in common";
      EXPECT_FALSE(isAbout(facts, 8)) << "differs at every launch";
    }
  }
}

TEST(Candidates, WorkGroupsInTurnsAreAskedForApart) {
  Candidates candidates({{8, 4, false}}, 3, {});
  Block block;
  unsigned launch = 0;
  for (bool asked = false; !asked; ++launch) {
    LaunchShape shape = kShape;
    shape.workgroup[0] = launch % 2 ? 64 : 128;
    asked = add(candidates, block.put(8, launch), shape);
    ASSERT_LT(launch, 20u);
  }
  EXPECT_TRUE(has(candidates.facts(), Fact::workgroup(launch % 2 ? 128 : 64, 1, 1)));
}

// Buffers that are swapped at each launch are no purposes.
TEST(Candidates, PointersInTurnsTellNothingApart) {
  Candidates candidates(kRanges, 3, {});
  Block block;
  for (unsigned launch = 1; launch < Candidates::kLaunchesBefore; ++launch)
    EXPECT_FALSE(add(candidates, block.put(0, uint64_t{0x1000} << launch % 2)));
  EXPECT_TRUE(add(candidates, block.put(0, uint64_t{0x1000}))) << "as without them";
}

// What takes turns with too many others is asked for by what all launches have in common.
TEST(Candidates, WhereThereIsNoEndOfPurposesAllTogetherAreAskedFor) {
  std::mt19937 random(6);
  Candidates candidates(kRanges, 3, {});
  Block block;
  block.put(12, 4);
  unsigned launches = 0;
  do { // each of four words is another one of three at each launch
    for (unsigned at = 24; at < 40; at += 4)
      block.put(at, static_cast<unsigned>((block.bytes[at] + 1 + random() % 2) % 3));
    ASSERT_LT(++launches, 2 * Candidates::kTurnsFirst);
  } while (!add(candidates, block));
  EXPECT_GE(launches, Candidates::kTurnsFirst);
  EXPECT_TRUE(has(candidates.facts(), Fact::argument(12, 4, 4)));
}

// Facts that are asked for were so in as many launches as is asked, whatever comes in turns.
TEST(Candidates, AreSoInEnoughLaunches) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const unsigned after = 2 + random() % 6;
    Candidates candidates(kRanges, after, {});
    std::vector<Block> seen;
    for (int launch = 0; launch < 300; ++launch) {
      Block block;
      block.put(8, launch).put(12, static_cast<unsigned>(random() % 2 + launch % 2));
      block.put(24 + 4 * (random() % 2), static_cast<unsigned>(random() % 2));
      seen.push_back(block);
      if (!add(candidates, block))
        continue;
      const Facts facts = candidates.facts();
      const auto holds = [&](const Block &one) {
        return std::all_of(facts.begin(), facts.end(), [&](const Fact &fact) {
          if (fact.kind != Fact::Kind::argument)
            return true;
          for (unsigned i = 0; i < fact.width; ++i)
            if (one.bytes[fact.offset + i] != (fact.value >> 8 * i & 0xff))
              return false;
          return true;
        });
      };
      EXPECT_TRUE(holds(block)) << toText(facts);
      EXPECT_GE(static_cast<unsigned>(std::count_if(seen.begin(), seen.end(), holds)), after)
          << toText(facts);
      break;
    }
  }
}
