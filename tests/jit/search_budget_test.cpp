// What searches for bad meldings may cost. The expected numbers are counted by hand from what the
// head of search_budget.h promises.
#include "jit/search_budget.h"

#include <gtest/gtest.h>
#include <limits>

using meld::jit::SearchBudget;

namespace {

unsigned tries(SearchBudget &budget, const char *kernel, uint64_t instructions, double gain) {
  unsigned count = 0;
  while (count < 1000 && budget.pay(kernel, instructions, gain))
    ++count;
  return count;
}

TEST(SearchBudget, IsTheKernelsSizeAndItsGain) {
  SearchBudget budget(1000000);
  EXPECT_EQ(tries(budget, "small", 500, 0), 8u);
  EXPECT_EQ(tries(budget, "large", 15000, 0), 0u);
  EXPECT_EQ(tries(budget, "large and good", 15000, 7), 2u);
  EXPECT_EQ(budget.spentOn("small"), 4000u);
  EXPECT_EQ(budget.spentOn("large"), 0u);
  EXPECT_EQ(budget.spent(), 4000u + 2 * 15000u);
}

TEST(SearchBudget, GainsCountUpToTenPercentAndLossesAsNone) {
  EXPECT_EQ(SearchBudget::allowance(0), 4000u);
  EXPECT_EQ(SearchBudget::allowance(-50), 4000u);
  EXPECT_EQ(SearchBudget::allowance(0.5), 6000u);
  EXPECT_EQ(SearchBudget::allowance(10), 44000u);
  EXPECT_EQ(SearchBudget::allowance(90), 44000u);
  EXPECT_EQ(SearchBudget::allowance(std::numeric_limits<double>::quiet_NaN()), 4000u);
}

// All kernels together: the object once more.
TEST(SearchBudget, HasAnEndForTheObject) {
  SearchBudget budget(10000);
  EXPECT_EQ(tries(budget, "a", 1000, 0), 4u);
  EXPECT_EQ(tries(budget, "b", 1000, 0), 4u);
  EXPECT_EQ(tries(budget, "c", 1000, 0), 2u);
  EXPECT_EQ(tries(budget, "d", 1, 0), 0u);
  EXPECT_EQ(budget.spent(), 10000u);
  SearchBudget small(10);
  EXPECT_EQ(tries(small, "a", 1000, 10), 8u) << "the least that every object has";
}

// A try that was not paid for leaves the rest to smaller kernels.
TEST(SearchBudget, WhatIsRefusedCostsNothing) {
  SearchBudget budget(9000);
  EXPECT_FALSE(budget.pay("a", 9001, 10));
  EXPECT_TRUE(budget.pay("b", 9000, 10));
  EXPECT_FALSE(budget.pay("b", 1, 10));
}

// Or a search of a kernel without instructions would not end.
TEST(SearchBudget, NothingIsFree) {
  SearchBudget budget(0);
  EXPECT_EQ(tries(budget, "empty", 0, 0), 1000u);
  EXPECT_EQ(budget.spentOn("empty"), 1000u);
}

} // namespace
