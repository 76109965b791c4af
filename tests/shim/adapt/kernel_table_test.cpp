#include "shim/adapt/kernel_state.h"
#include "shim/adapt/kernel_table.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace meld::adapt {
namespace {

KernelVersion version(uint64_t object, uint32_t lds = 0, uint32_t scratch = 0) {
  KernelVersion v;
  v.object = object;
  v.sizes.groupBytes = lds;
  v.sizes.privateBytes = scratch;
  return v;
}

Dispatch launch(uint64_t object, uint32_t lds = 0, uint32_t scratch = 0) {
  Dispatch d;
  d.object = object;
  d.shape.workgroup[0] = 64;
  d.shape.grid[0] = 6400;
  d.groupSegment = lds;
  d.privateSegment = scratch;
  return d;
}

/// Launches until the trial is decided, `gain` times as fast with a variant.
void decide(KernelTable &table, uint64_t object, double variant, uint32_t lds = 0,
            uint32_t scratch = 0) {
  for (int i = 0; i < 200; ++i) {
    Dispatch d = launch(object, lds, scratch);
    const Choice c = table.choose(*table.find(object), d, 8);
    if (c.timed) {
      EXPECT_TRUE(table.timed(c.timing, c.variant ? variant * 100'000 : 100'000));
    }
  }
}

TEST(KernelTable, FindsWhatHasVariants) {
  KernelTable table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(0x1000), nullptr);
  EXPECT_EQ(table.addVariant(version(0x1000), version(0x2000)), Added::yes);
  EXPECT_FALSE(table.empty());
  EXPECT_NE(table.find(0x1000), nullptr);
  EXPECT_EQ(table.find(0x2000), nullptr);
  EXPECT_EQ(table.find(0), nullptr);
  table.removeKernels({0x1000, 0x3000});
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(0x1000), nullptr);
}

TEST(KernelTable, GrowsAndKeepsWhatItHas) {
  KernelTable table;
  for (uint64_t i = 1; i <= 3000; ++i)
    ASSERT_EQ(table.addVariant(version(i * 0x1000), version(i * 0x1000 + 64)), Added::yes);
  for (uint64_t i = 1; i <= 3000; ++i)
    ASSERT_NE(table.find(i * 0x1000), nullptr) << i;
  for (uint64_t i = 1; i <= 3000; i += 2)
    table.removeKernels({i * 0x1000});
  for (uint64_t i = 1; i <= 3000; ++i)
    ASSERT_EQ(table.find(i * 0x1000) != nullptr, i % 2 == 0) << i;
  table.removeAll();
  EXPECT_TRUE(table.empty());
  for (uint64_t i = 1; i <= 3000; ++i)
    ASSERT_EQ(table.find(i * 0x1000), nullptr) << i;
}

TEST(KernelTable, LoadingAndUnloadingAgainAndAgainUsesItsStateAgain) {
  KernelTable table;
  KernelState *first = nullptr;
  for (uint64_t i = 1; i <= 100'000; ++i) { // addresses that never come back
    ASSERT_EQ(table.addVariant(version(i << 12), version((i << 12) + 64)), Added::yes);
    if (!first)
      first = table.find(i << 12);
    ASSERT_EQ(table.find(i << 12), first);
    table.removeKernels({i << 12});
  }
  EXPECT_LE(table.places(), 256u);
}

TEST(KernelTable, RefusesWhatDoesNotFit) {
  KernelTable table;
  const KernelVersion original = version(0x1000, 128, 16);
  EXPECT_EQ(table.addVariant(original, version(0x2000, 128, 32)), Added::unequal);
  KernelVersion dynamic = version(0x2000, 128, 16);
  dynamic.sizes.dynamicStack = true;
  EXPECT_EQ(table.addVariant(original, dynamic), Added::unequal);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.addVariant(original, original), Added::known);
  EXPECT_TRUE(table.empty());
  for (unsigned i = 1; i < kMaxVersions; ++i)
    EXPECT_EQ(table.addVariant(original, version(0x2000 + 64 * i, 128, 16)), Added::yes);
  EXPECT_EQ(table.addVariant(original, version(0x2040, 128, 16)), Added::known);
  EXPECT_EQ(table.addVariant(original, version(0x9000, 128, 16)), Added::full);
}

TEST(KernelTable, TheFasterVariantRunsAndItsSizesAreInThePacket) {
  KernelTable table;
  table.addVariant(version(0x1000, 128, 16), version(0x2000, 64, 8));
  decide(table, 0x1000, 0.5, 128, 16);
  ASSERT_EQ(table.report(0x1000).classes.size(), 1u);
  EXPECT_EQ(table.report(0x1000).classes[0].trial.phase(), Trial::Phase::won);
  Dispatch d = launch(0x1000, 128, 16);
  EXPECT_TRUE(table.choose(*table.find(0x1000), d, 0).variant);
  EXPECT_EQ(d.object, 0x2000u);
  EXPECT_EQ(d.groupSegment, 64u);
  EXPECT_EQ(d.privateSegment, 8u);
  // A stack that the program made larger stays.
  d = launch(0x1000, 128, 4096);
  EXPECT_TRUE(table.choose(*table.find(0x1000), d, 0).variant);
  EXPECT_EQ(d.privateSegment, 4096u);
}

// A packet that asks for less scratch than the version needs; nothing waits for its time.
TEST(KernelTable, APacketThatAsksForTooLittleRunsTheOriginal) {
  KernelTable table;
  table.addVariant(version(0x1000, 128, 16), version(0x2000, 128, 8));
  decide(table, 0x1000, 0.5, 128, 16);
  for (int i = 0; i < 50; ++i) {
    Dispatch d = launch(0x1000, 128, 4);
    const Choice c = table.choose(*table.find(0x1000), d, 8);
    EXPECT_FALSE(c.variant);
    EXPECT_EQ(d.object, 0x1000u);
    EXPECT_EQ(d.privateSegment, 4u);
  }
  Dispatch d = launch(0x1000, 128, 16);
  EXPECT_TRUE(table.choose(*table.find(0x1000), d, 0).variant);
}

TEST(KernelTable, VersionsAreWantedOfWhatIsLaunchedOften) {
  KernelTable table;
  table.watch(version(0x1000), {}, false);
  table.watch(version(0x1000), {}, true); // is there already
  EXPECT_FALSE(table.empty());
  for (unsigned i = 1; i <= kLaunchesBefore; ++i) {
    EXPECT_TRUE(table.takeWanted().empty());
    EXPECT_TRUE(table.settled(0x1000));
    Dispatch d = launch(0x1000);
    const Choice c = table.choose(*table.find(0x1000), d, 8);
    EXPECT_EQ(c.wanted, i == kLaunchesBefore);
    EXPECT_FALSE(c.variant || c.timed);
  }
  EXPECT_FALSE(table.settled(0x1000));
  EXPECT_EQ(table.takeWanted(), std::vector<uint64_t>{0x1000});
  EXPECT_TRUE(table.takeWanted().empty()); // told once
  EXPECT_FALSE(table.settled(0x1000));
  table.made(0x1000, true);
  EXPECT_TRUE(table.settled(0x1000));
  for (unsigned i = 1; i <= kLaunchesBefore; ++i) { // could have more, and is asked again
    Dispatch d = launch(0x1000);
    EXPECT_EQ(table.choose(*table.find(0x1000), d, 8).wanted, i == kLaunchesBefore);
  }
  EXPECT_EQ(table.takeWanted(), std::vector<uint64_t>{0x1000});
  table.made(0x1000, false);
  for (unsigned i = 0; i < 2 * kLaunchesBefore; ++i) {
    Dispatch d = launch(0x1000);
    EXPECT_FALSE(table.choose(*table.find(0x1000), d, 8).wanted);
  }
}

TEST(KernelTable, WhatIsKnownOfAClassIsNotTriedAgain) {
  KernelTable table;
  Dispatch d = launch(0x1000);
  const uint32_t known = launchClass(d.shape);
  table.watch(version(0x1000), {{known, 2}}, true);
  EXPECT_EQ(table.takeWanted(), std::vector<uint64_t>{0x1000});
  KernelVersion loser = version(0x2000), winner = version(0x3000);
  loser.kind = 1;
  winner.kind = 2;
  table.addVariant(version(0x1000), loser);
  table.addVariant(version(0x1000), winner);
  table.made(0x1000, true);
  d = launch(0x1000);
  EXPECT_TRUE(table.choose(*table.find(0x1000), d, 0).variant);
  EXPECT_EQ(d.object, 0x3000u);
  for (int i = 0; i < 100; ++i) {
    d = launch(0x1000);
    const Choice c = table.choose(*table.find(0x1000), d, 8);
    EXPECT_FALSE(c.wanted);
    EXPECT_NE(d.object, 0x2000u);
    if (c.timed)
      table.timed(c.timing, c.variant ? 50'000 : 100'000);
  }
  // In another class both are tried, and more would be wanted.
  std::set<uint64_t> seen;
  bool wanted = false;
  for (int i = 0; i < 100; ++i) {
    d = launch(0x1000);
    d.shape.grid[0] = 640'000;
    const Choice c = table.choose(*table.find(0x1000), d, 8);
    seen.insert(d.object);
    wanted |= c.wanted;
    if (c.timed)
      table.timed(c.timing, c.variant ? 50'000 : 100'000);
  }
  EXPECT_TRUE(seen.count(0x1000) && seen.count(0x2000));
  EXPECT_TRUE(wanted);
}

// "melded" has lost against "all-legal", which could not be made in this run: against the original it
// has not run.
TEST(KernelTable, WhoHasLostToAWinnerThatIsNotThereIsTried) {
  for (const bool isThere : {false, true}) {
    KernelTable table;
    Dispatch d = launch(0x1000);
    const uint32_t known = launchClass(d.shape);
    PastDuel lost;
    lost.lost = true;
    table.watch(version(0x1000), {{known, 2, 0, /*open=*/true, 0.5}}, true, nullptr,
                {{known, 1, lost}});
    KernelVersion loser = version(0x2000), winner = version(0x3000);
    loser.kind = 1;
    winner.kind = 2;
    if (isThere)
      table.addVariant(version(0x1000), winner);
    table.addVariant(version(0x1000), loser);
    std::set<uint64_t> seen;
    for (int i = 0; i < 201; ++i) { // the first tells how long one takes
      d = launch(0x1000);
      const Choice c = table.choose(*table.find(0x1000), d, 8);
      seen.insert(d.object);
      if (c.timed)
        table.timed(c.timing, d.object == 0x1000 ? 100'000 : d.object == 0x2000 ? 80'000 : 50'000);
    }
    EXPECT_EQ(seen.count(0x2000), isThere ? 0u : 1u);
    EXPECT_EQ(d.object, isThere ? 0x3000u : 0x2000u);
  }
}

// exit() in a signal handler of the thread that has the state: what is known is not told then.
TEST(KernelTable, AReportDoesNotWaitForEver) {
  KernelTable table;
  table.addVariant(version(0x1000), version(0x2000));
  decide(table, 0x1000, 0.5);
  EXPECT_EQ(table.report(0x1000).classes.size(), 1u);
  const Hold hold(*table.find(0x1000));
  ASSERT_TRUE(hold);
  EXPECT_TRUE(table.report(0x1000).classes.empty());
}

TEST(KernelTable, WhatWasKeptBeforeStaysWithoutVersions) {
  KernelTable table;
  Dispatch d = launch(0x1000);
  table.watch(version(0x1000), {{launchClass(d.shape), 0}}, false);
  for (unsigned i = 0; i < 3 * kLaunchesBefore; ++i) {
    d = launch(0x1000);
    EXPECT_FALSE(table.choose(*table.find(0x1000), d, 8).wanted);
  }
}

TEST(KernelTable, DynamicLdsNeedsTheSameStaticSize) {
  KernelTable table;
  table.addVariant(version(0x1000, 128), version(0x2000, 64));
  decide(table, 0x1000, 0.5, 128 + 1024);
  Dispatch d = launch(0x1000, 128 + 1024);
  EXPECT_FALSE(table.choose(*table.find(0x1000), d, 8).variant);
  EXPECT_EQ(d.object, 0x1000u);
  // With another variant, of the same static size, there is a choice in that class.
  table.addVariant(version(0x1000, 128), version(0x3000, 128));
  decide(table, 0x1000, 0.5, 128 + 1024);
  d = launch(0x1000, 128 + 1024);
  EXPECT_TRUE(table.choose(*table.find(0x1000), d, 0).variant);
  EXPECT_EQ(d.object, 0x3000u);
  EXPECT_EQ(d.groupSegment, 128u + 1024u);
  // Less LDS than the kernel itself has: whoever wrote that packet means another kernel.
  d = launch(0x1000, 64);
  EXPECT_FALSE(table.choose(*table.find(0x1000), d, 8).variant);
}

TEST(KernelTable, EachLaunchClassHasItsOwnVerdict) {
  KernelTable table;
  table.addVariant(version(0x1000), version(0x2000));
  for (int i = 0; i < 400; ++i)
    for (const uint32_t grid : {640u, 64'000u}) {
      Dispatch d = launch(0x1000);
      d.shape.grid[0] = grid;
      const Choice c = table.choose(*table.find(0x1000), d, 8);
      const double times[2] = {100'000, grid == 640 ? 70'000. : 120'000.};
      if (c.timed)
        table.timed(c.timing, times[c.variant]);
    }
  const auto report = table.report(0x1000).classes;
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].trial.incumbent(), 1u);
  EXPECT_EQ(report[1].trial.incumbent(), 0u);
}

TEST(KernelTable, TimesOfARemovedKernelAreNobodys) {
  KernelTable table;
  table.addVariant(version(0x1000), version(0x2000));
  KernelState *state = table.find(0x1000);
  Dispatch d = launch(0x1000);
  const Choice c = table.choose(*state, d, 8);
  ASSERT_TRUE(c.timed);
  table.removeKernels({0x1000});
  d = launch(0x1000); // a handler that had found it before
  EXPECT_FALSE(table.choose(*state, d, 8).variant);
  table.addVariant(version(0x5000), version(0x6000)); // the same state
  ASSERT_EQ(table.find(0x5000), state);
  EXPECT_TRUE(table.timed(c.timing, 1));
  EXPECT_TRUE(table.report(0x5000).classes.empty());
  d = launch(0x1000);
  EXPECT_FALSE(table.choose(*state, d, 8).variant);
}

TEST(KernelTable, HandlersAndLoadersAtTheSameTime) {
  KernelTable table;
  std::atomic<bool> stop{false};
  std::vector<std::thread> handlers;
  std::atomic<uint64_t> wrong{0};
  for (int t = 0; t < 3; ++t)
    handlers.emplace_back([&] {
      while (!stop)
        for (uint64_t kernel = 1; kernel <= 8; ++kernel) {
          const uint64_t object = kernel << 12;
          KernelState *state = table.find(object);
          if (!state)
            continue;
          Dispatch d = launch(object);
          const Choice c = table.choose(*state, d, 8);
          wrong += d.object >> 12 != kernel; // another kernel's variant
          if (c.timed)
            table.timed(c.timing, c.variant ? 50'000 : 100'000);
        }
    });
  for (int round = 0; round < 2000; ++round) {
    const uint64_t object = uint64_t(round % 8 + 1) << 12;
    table.addVariant(version(object), version(object + 64));
    table.addVariant(version(object), version(object + 128));
    if (round % 3 == 0)
      table.removeKernels({object});
  }
  stop = true;
  for (auto &thread : handlers)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace meld::adapt
