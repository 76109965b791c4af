// Versions with guards in the table of kernels: in which launches they run, and in which never.
#include "shim/adapt/kernel_table.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

namespace meld::adapt {
namespace {

constexpr uint64_t kOriginal = 0x1000, kMelded = 0x2000, kFirst = 0x3000;

KernelVersion version(uint64_t object, uint8_t kind = 0) {
  KernelVersion v;
  v.object = object;
  v.kind = kind;
  return v;
}

/// For launches whose argument at offset 8 is `value`.
KernelVersion specialisedFor(unsigned value, unsigned place, uint64_t object = 0) {
  KernelVersion v = version(object ? object : kFirst + 0x100 * place,
                            static_cast<uint8_t>(kFirstSpecialised + place));
  v.guard = *Guard::compile({Fact::argument(8, 4, value)}, 24);
  return v;
}

struct Launch {
  alignas(8) uint8_t block[24] = {};
  Dispatch dispatch;
  explicit Launch(unsigned value = 0, uint32_t grid = 6400) {
    std::memcpy(block + 8, &value, sizeof value);
    dispatch.object = kOriginal;
    dispatch.shape.workgroup[0] = 64;
    dispatch.shape.grid[0] = grid;
  }
};

/// What ran.
uint64_t launch(KernelTable &table, Launch one, double variant = 50'000, unsigned timers = 8) {
  KernelState *state = table.find(kOriginal);
  if (KernelTable::looksAtArguments(*state)) {
    one.dispatch.arguments = one.block;
    one.dispatch.readable = sizeof one.block;
  }
  const Choice c = table.choose(*state, one.dispatch, timers);
  if (c.timed) {
    EXPECT_TRUE(table.timed(c.timing, c.variant ? variant : 100'000));
  }
  return one.dispatch.object;
}

std::unique_ptr<Candidates> candidates(unsigned after = 3) {
  return std::make_unique<Candidates>(
      std::vector<Candidates::Range>{{0, 8, true}, {8, 4, false}, {16, 8, false}}, after,
      std::vector<Facts>());
}

TEST(Specialised, RunsWhereItsFactsHoldAndNowhereElse) {
  KernelTable table;
  ASSERT_EQ(table.addVariant(version(kOriginal), specialisedFor(4, 0)), Added::yes);
  unsigned ran = 0;
  for (unsigned i = 0; i < 600; ++i) {
    const unsigned value = i % 3 ? 4 : i;
    const uint64_t object = launch(table, Launch(value));
    ran += object == kFirst;
    EXPECT_TRUE(value == 4 || object == kOriginal) << i;
  }
  EXPECT_GT(ran, 300u);
  const auto report = table.report(kOriginal);
  EXPECT_EQ(report.specialised[0].held, 400u);
  EXPECT_EQ(report.specialised[0].failed, 200u);
  // Launches with the facts and those without are measured apart.
  ASSERT_EQ(report.classes.size(), 2u);
  EXPECT_EQ(report.classes[0].guards, 0u);
  EXPECT_EQ(report.classes[0].versions, 1u);
  EXPECT_EQ(report.classes[1].guards, guardOf(kFirstSpecialised));
  EXPECT_EQ(report.classes[1].trial.launches(), 400u);
  EXPECT_EQ(report.classes[1].trial.phase(), Trial::Phase::won);
}

TEST(Specialised, WhereArgumentsAreNotReadableTheGeneralVersionsRun) {
  KernelTable table;
  table.addVariant(version(kOriginal), specialisedFor(4, 0));
  for (unsigned i = 0; i < 200; ++i)
    launch(table, Launch(4));
  ASSERT_EQ(launch(table, Launch(4), 50'000, 0), kFirst);
  Launch blind(4);
  EXPECT_FALSE(table.choose(*table.find(kOriginal), blind.dispatch, 8).variant);
  EXPECT_EQ(blind.dispatch.object, kOriginal);
  Launch shorter(4);
  shorter.dispatch.arguments = shorter.block;
  shorter.dispatch.readable = 11;
  EXPECT_FALSE(table.choose(*table.find(kOriginal), shorter.dispatch, 8).variant);
}

TEST(Specialised, ArgumentsAreLookedAtOnlyWhereAVersionDependsOnThem) {
  KernelTable table;
  table.addVariant(version(kOriginal), version(kMelded, 1));
  EXPECT_FALSE(KernelTable::looksAtArguments(*table.find(kOriginal)));
  KernelVersion sized = specialisedFor(4, 0);
  sized.guard = *Guard::compile({Fact::workgroup(64, 1, 1)}, 24);
  table.addVariant(version(kOriginal), sized);
  EXPECT_FALSE(KernelTable::looksAtArguments(*table.find(kOriginal)));
  table.addVariant(version(kOriginal), specialisedFor(4, 1));
  EXPECT_TRUE(KernelTable::looksAtArguments(*table.find(kOriginal)));
  EXPECT_TRUE(table.removeVariant(kOriginal, kFirst + 0x100));
  EXPECT_FALSE(KernelTable::looksAtArguments(*table.find(kOriginal)));
}

TEST(Specialised, TheBestOfThoseWhoseGuardsHoldRuns) {
  KernelTable table;
  table.addVariant(version(kOriginal), version(kMelded, 1));
  table.addVariant(version(kOriginal), specialisedFor(4, 0));
  KernelVersion sized = specialisedFor(4, 1);
  sized.guard = *Guard::compile({Fact::workgroup(64, 1, 1)}, 24);
  table.addVariant(version(kOriginal), sized);
  const std::map<uint64_t, double> times = {
      {kOriginal, 100'000}, {kMelded, 80'000}, {kFirst, 40'000}, {kFirst + 0x100, 60'000}};
  for (unsigned i = 0; i < 1200; ++i) {
    Launch one(i % 2 ? 4 : 5);
    one.dispatch.arguments = one.block;
    one.dispatch.readable = sizeof one.block;
    const Choice c = table.choose(*table.find(kOriginal), one.dispatch, 8);
    if (c.timed)
      table.timed(c.timing, times.at(one.dispatch.object));
  }
  EXPECT_EQ(launch(table, Launch(4), 0, 0), kFirst);
  EXPECT_EQ(launch(table, Launch(5), 0, 0), kFirst + 0x100);
  Launch other(4);
  other.dispatch.shape.workgroup[0] = 32;
  for (unsigned i = 0; i < 400; ++i) {
    Launch five(5);
    five.dispatch.shape.workgroup[0] = 32;
    EXPECT_LE(launch(table, five, 80'000), kMelded);
  }
}

TEST(Specialised, LaunchesInCommonAreToldTheMaker) {
  KernelTable table;
  table.watch(version(kOriginal), {}, false, candidates());
  for (unsigned i = 1; i < kLaunchesBefore; ++i) {
    launch(table, Launch(4));
    EXPECT_TRUE(table.takeWanted().empty());
  }
  launch(table, Launch(4));
  EXPECT_FALSE(table.settled(kOriginal));
  ASSERT_EQ(table.takeWanted(), std::vector<uint64_t>{kOriginal});
  KernelTable::Wanted wanted = table.wanted(kOriginal);
  EXPECT_TRUE(wanted.versions);
  EXPECT_TRUE(wanted.moreFacts);
  ASSERT_FALSE(wanted.facts.empty());
  EXPECT_NE(std::find(wanted.facts.begin(), wanted.facts.end(), Fact::argument(8, 4, 4)),
            wanted.facts.end());
  EXPECT_TRUE(Guard::compile(wanted.facts, 24));
  // While it is made, others are not asked for.
  for (unsigned i = 0; i < 100; ++i)
    launch(table, Launch(5));
  EXPECT_TRUE(table.takeWanted().empty());
  table.addVariant(version(kOriginal), specialisedFor(4, 0));
  table.made(kOriginal, false);
  EXPECT_TRUE(table.settled(kOriginal));
  // Launches that it takes are none to be specialised for.
  for (unsigned i = 0; i < 100; ++i)
    launch(table, Launch(4));
  EXPECT_TRUE(table.settled(kOriginal));
  for (unsigned i = 0; i < 100 && table.settled(kOriginal); ++i)
    launch(table, Launch(6));
  ASSERT_EQ(table.takeWanted(), std::vector<uint64_t>{kOriginal});
  wanted = table.wanted(kOriginal);
  EXPECT_FALSE(wanted.versions) << "nobody asked for others";
  EXPECT_NE(std::find(wanted.facts.begin(), wanted.facts.end(), Fact::argument(8, 4, 6)),
            wanted.facts.end());
}

TEST(Specialised, ArgumentsThatDifferAtEveryLaunchAskForNothing) {
  KernelTable table;
  table.watch(version(kOriginal), {}, false,
              std::make_unique<Candidates>(std::vector<Candidates::Range>{{8, 4, false}}, 3,
                                           std::vector<Facts>()));
  unsigned facts = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    Launch one(i, 6400 + i % 64);
    one.dispatch.shape.workgroup[0] = static_cast<uint16_t>(64 + i % 8);
    one.dispatch.shape.grid[1] = one.dispatch.shape.grid[2] = 1 + i % 2;
    launch(table, one);
    for (const uint64_t object : table.takeWanted()) {
      facts += !table.wanted(object).facts.empty();
      table.made(object, false);
    }
  }
  EXPECT_EQ(facts, 0u);
  EXPECT_FALSE(table.wanted(kOriginal).moreFacts);
  EXPECT_FALSE(KernelTable::looksAtArguments(*table.find(kOriginal)));
}

TEST(Specialised, WhatIsKnownOfLaunchesWithTheFactsIsNotTriedAgain) {
  KernelTable table;
  const uint32_t shape = launchClass(Launch(4).dispatch.shape);
  const auto kind = static_cast<uint8_t>(kFirstSpecialised);
  table.watch(version(kOriginal), {{shape, kind, guardOf(kind)}, {shape, 1, 0}}, true);
  table.takeWanted();
  table.addVariant(version(kOriginal), version(kMelded, 1));
  table.addVariant(version(kOriginal), specialisedFor(4, 0));
  table.made(kOriginal, true);
  EXPECT_EQ(launch(table, Launch(4), 0, 0), kFirst);
  EXPECT_EQ(launch(table, Launch(5), 0, 0), kMelded);
}

TEST(Specialised, WhatHasLeftRunsNoMoreAndItsTimesAreNobodys) {
  KernelTable table;
  table.addVariant(version(kOriginal), specialisedFor(4, 0));
  table.addVariant(version(kOriginal), version(kMelded, 1));
  table.addVariant(version(kOriginal), specialisedFor(5, 1));
  for (unsigned i = 0; i < 400; ++i)
    launch(table, Launch(4 + i % 3), i % 3 == 2 ? 90'000 : 50'000);
  ASSERT_EQ(launch(table, Launch(4), 0, 0), kFirst);
  ASSERT_EQ(launch(table, Launch(5), 0, 0), kFirst + 0x100);
  // A launch whose time is still to come.
  Choice waiting;
  for (unsigned i = 0; i < 100 && !waiting.timed; ++i) {
    Launch one(4);
    one.dispatch.arguments = one.block;
    one.dispatch.readable = sizeof one.block;
    waiting = table.choose(*table.find(kOriginal), one.dispatch, 8);
  }
  ASSERT_TRUE(waiting.timed);
  EXPECT_FALSE(table.removeVariant(kOriginal, kMelded)) << "it has no guard";
  EXPECT_FALSE(table.removeVariant(kOriginal, 0x7777));
  EXPECT_TRUE(table.removeVariant(kOriginal, kFirst));
  EXPECT_FALSE(table.removeVariant(kOriginal, kFirst));
  EXPECT_TRUE(table.timed(waiting.timing, 1));
  for (unsigned i = 0; i < 400; ++i) {
    EXPECT_NE(launch(table, Launch(4), 90'000), kFirst);
    EXPECT_TRUE(launch(table, Launch(5)) != kFirst);
  }
  EXPECT_EQ(launch(table, Launch(5), 0, 0), kFirst + 0x100) << "what was found out of others stays";
  // Another takes the place, also of its kind.
  EXPECT_EQ(table.addVariant(version(kOriginal), specialisedFor(4, 1, 0x9000)), Added::full);
  EXPECT_EQ(table.addVariant(version(kOriginal), specialisedFor(4, 0, 0x9000)), Added::yes);
  for (unsigned i = 0; i < 400; ++i)
    launch(table, Launch(4));
  EXPECT_EQ(launch(table, Launch(4), 0, 0), 0x9000u);
}

// Arguments at random, versions that come and go, three threads that launch: whatever runs, it is
// the original, a general version, or one whose value the launch has.
TEST(Specialised, NoLaunchRunsAVersionForOtherFacts) {
  KernelTable table;
  table.watch(version(kOriginal), {}, false, candidates());
  table.addVariant(version(kOriginal), version(kMelded, 1));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0}, special{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      unsigned value = 0;
      while (!stop) {
        if (random() % 5 == 0)
          value = random() % 8;
        Launch one(value);
        KernelState *state = table.find(kOriginal);
        if (KernelTable::looksAtArguments(*state)) {
          one.dispatch.arguments = one.block;
          one.dispatch.readable = sizeof one.block;
        }
        const Choice c = table.choose(*state, one.dispatch, 8);
        const uint64_t ran = one.dispatch.object;
        // Objects of specialised versions hold their value.
        if (ran >= 0x10000) {
          ++special;
          wrong += (ran >> 8 & 0xff) != value;
        }
        if (c.timed)
          table.timed(c.timing, c.variant ? 50'000 : 100'000);
      }
    });
  std::mt19937 random(99);
  std::array<uint64_t, 4> places{};
  for (unsigned round = 1; round < 4000 || (special < 1000 && round < 400'000); ++round) {
    const unsigned place = random() % places.size(), value = random() % 8;
    if (places[place]) {
      EXPECT_TRUE(table.removeVariant(kOriginal, places[place]));
    }
    places[place] = uint64_t{round} << 16 | value << 8;
    EXPECT_EQ(table.addVariant(version(kOriginal), specialisedFor(value, place, places[place])),
              Added::yes);
    if (!table.takeWanted().empty())
      table.made(kOriginal, false);
    if (round % 16 == 0)
      std::this_thread::yield();
  }
  stop = true;
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(special, 0u);
}

} // namespace
} // namespace meld::adapt
