// From launches to a row of the table of specialised versions.
#include "bench/runner/specialise.h"

#include <gtest/gtest.h>

namespace meld::bench {
namespace {

std::vector<Dispatch> launches(const std::vector<uint64_t> &cycles, unsigned vgprs = 64) {
  std::vector<Dispatch> all;
  for (const uint64_t c : cycles) {
    Dispatch d;
    d.kernel = "k";
    d.cycles = c;
    d.vgprs = vgprs;
    d.occupancy = 512 / vgprs;
    all.push_back(d);
  }
  return all;
}

TEST(SpecialiseTable, GainsAreOfTheSecondHalf) {
  const SpecialiseRow row = specialiseRow(
      "p", "helped", launches({100, 100, 100, 100}), launches({100, 100, 80, 80}),
      launches({100, 130, 50, 50}, 32), launches({50, 50}, 32), launches({40, 40}, 32));
  EXPECT_EQ(row.launches, 4u);
  EXPECT_DOUBLE_EQ(row.gain(), 2);
  EXPECT_DOUBLE_EQ(row.general / row.chosen, 1.25);
  EXPECT_DOUBLE_EQ(row.sourceGain(), 2.5);
  EXPECT_DOUBLE_EQ(row.reached(), 50.0 / 60);
  EXPECT_DOUBLE_EQ(row.nextRun, 50);
  EXPECT_DOUBLE_EQ(row.lost, 30.0 / 400);
  EXPECT_EQ(row.vgprsSpecialised, 32u);
  EXPECT_EQ(row.wavesSpecialised, 16u);
  const std::string text = specialiseText({row});
  for (const char *part : {"64 -> 32", "2.000", "2.500", "83.3", "7.50"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST(SpecialiseTable, TheNextRunHasABand) {
  SpecialiseRow row = specialiseRow("p", "other", launches({100, 100}), launches({100, 100}),
                                    launches({50, 50}), launches({50, 50}), {});
  addUnder(row, launches({100, 140}), launches({100, 100}));
  addUnder(row, launches({100, 100}), launches({50, 30}));
  EXPECT_DOUBLE_EQ(row.nextRunBand().low, 1.2);
  EXPECT_DOUBLE_EQ(row.nextRunBand().high, 2.5);
  EXPECT_NE(specialiseText({row}).find("    next run: 2.000 (1.200-2.500)"), std::string::npos)
      << specialiseText({row});
  addUnder(row, launches({100, 100}), launches({50}));
  EXPECT_FALSE(row.nextRunBand().known());
}

TEST(SpecialiseTable, WhatFailedHasNoGain) {
  const SpecialiseRow row =
      specialiseRow("p", "other", launches({100, 100}), launches({100}), {}, {}, {});
  EXPECT_EQ(row.gain(), 0);
  EXPECT_EQ(row.reached(), 0);
  EXPECT_EQ(specialiseText({row}).find("geometric"), std::string::npos);
}

TEST(SpecialiseTable, RunsWithoutASourceAreOfTheirOwnMean) {
  const auto row = [](const char *run, uint64_t now, std::vector<Dispatch> source) {
    return specialiseRow("p", run, launches({100, 100}), launches({100, 100}), launches({now, now}),
                         {}, source);
  };
  const std::string text =
      specialiseText({row("helped", 50, launches({50})), row("other", 101, {})});
  EXPECT_NE(text.find("helped: geometric mean 2.000"), std::string::npos) << text;
  EXPECT_NE(text.find("least 0.990"), std::string::npos) << text;
}

} // namespace
} // namespace meld::bench
