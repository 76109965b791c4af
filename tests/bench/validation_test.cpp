// The comparison of the timing model with published figures: what is computed from two launches,
// what counts as inside a band, and that the list of figures is sound. The comparison itself is the
// test bench.validate.
#include "bench/runner/validation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace meld::bench;

namespace {

Launch launch(const char *name, double operations, double cycles, double conflicts = 0,
              unsigned occupancy = 1) {
  return {name, operations, cycles, conflicts, occupancy};
}

Check figure(Quantity quantity, double published, double tolerance, Origin origin = Origin::check,
             double bytes = 0) {
  return {"a", "what", quantity, published, tolerance, origin, "a book", bytes};
}

ValidationRow only(const Check &check, const std::vector<Launch> &launches) {
  return evaluate({check}, launches).front();
}

} // namespace

TEST(Validation, TheDifferenceOfTwoLaunchesIsTheCost) {
  const std::vector<Launch> two = {launch("a", 64, 1000, 10), launch("a", 192, 1512, 266)};
  EXPECT_DOUBLE_EQ(only(figure(Quantity::cyclesPerOperation, 4, 0), two).model, 4);
  EXPECT_DOUBLE_EQ(only(figure(Quantity::operationsPerCycle, 1, 0), two).model, 0.25);
  EXPECT_DOUBLE_EQ(only(figure(Quantity::bytesPerCycle, 1, 0, Origin::rule, 256), two).model, 64);
  EXPECT_DOUBLE_EQ(only(figure(Quantity::conflictsPerOperation, 2, 0), two).model, 2);
  const std::vector<Launch> one = {launch("a", 1, 50, 7, 3)};
  EXPECT_DOUBLE_EQ(only(figure(Quantity::conflictsPerLaunch, 7, 0), one).model, 7);
  EXPECT_DOUBLE_EQ(only(figure(Quantity::occupancy, 3, 0), one).model, 3);
}

TEST(Validation, BandsJudge) {
  const std::vector<Launch> two = {launch("a", 0, 0), launch("a", 100, 600)};
  EXPECT_TRUE(only(figure(Quantity::cyclesPerOperation, 4, 0.5), two).ok());
  EXPECT_FALSE(only(figure(Quantity::cyclesPerOperation, 4, 0.49), two).ok());
  EXPECT_FALSE(only(figure(Quantity::cyclesPerOperation, 13, 0.5), two).ok());
  EXPECT_TRUE(only(figure(Quantity::cyclesPerOperation, 99, 0, Origin::other), two).ok())
      << "a neighbouring device is shown, not judged";
  EXPECT_TRUE(only(figure(Quantity::conflictsPerLaunch, 0, 0), two).ok()) << "0 of 0";
  EXPECT_TRUE(std::isinf(only(figure(Quantity::cyclesPerOperation, 0, 0), two).ratio()));
}

TEST(Validation, WhatIsNotMeasuredIsNotOk) {
  const Check check = figure(Quantity::cyclesPerOperation, 4, 0.5);
  EXPECT_FALSE(only(check, {}).ok());
  EXPECT_FALSE(only(check, {launch("a", 64, 256)}).ok()) << "one launch is no difference";
  EXPECT_FALSE(only(check, {launch("a", 64, 256), launch("a", 192, 256)}).ok())
      << "the long one took no longer";
  EXPECT_FALSE(only(figure(Quantity::cyclesPerOperation, 4, 0.5, Origin::other), {}).ok());
}

TEST(Validation, LaunchesAndDispatchesBelongTogether) {
  const std::vector<Dispatch> dispatches = {{"k", 256, 24, 8, {{"SQ_LDS_BANK_CONFLICT", 3}}},
                                            {"k", 768, 24, 8, {}}};
  const auto launches = launchesOf("hello\nmicro chain 64\nmicro chain 192\n", dispatches);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].name, "chain");
  EXPECT_EQ(launches[1].operations, 192);
  EXPECT_EQ(launches[0].conflicts, 3);
  EXPECT_EQ(launches[1].cycles, 768);
  EXPECT_EQ(launches[1].occupancy, 8u);
  EXPECT_TRUE(launchesOf("micro chain 64\n", dispatches).empty());
}

TEST(Validation, TheListOfFigures) {
  for (const char *device : {"gfx90a", "gfx900"}) {
    std::set<std::string> depths, names;
    unsigned checks = 0;
    for (const Check &c : checksOf(device)) {
      EXPECT_FALSE(c.source.empty()) << c.what;
      EXPECT_GE(c.published, 0) << c.what;
      EXPECT_LE(c.tolerance, 0.6) << c.what;
      EXPECT_EQ(c.quantity == Quantity::bytesPerCycle, c.bytes > 0) << c.what;
      EXPECT_TRUE(names.insert(c.name + "/" + c.what).second) << c.what;
      if (c.name.rfind("divergence-", 0) == 0)
        depths.insert(c.name);
      checks += c.origin == Origin::check;
    }
    EXPECT_EQ(depths.size(), 7u) << "none to six deep";
    EXPECT_GE(checks, 35u) << "figures that played no part in building the model";
  }
}
