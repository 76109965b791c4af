// The choice of pairs against all choices there are.
#include "passes/melder/pair_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using meld::passes::PairChoice;

namespace {

struct Example {
  struct Select {
    int cost;
    int producer; ///< -1: none
    bool always;
    std::vector<unsigned> readers;
  };
  std::vector<int> gains;
  std::vector<Select> selects;

  int value(const std::vector<bool> &kept) const {
    int sum = 0;
    for (size_t p = 0; p < gains.size(); ++p)
      sum += kept[p] ? gains[p] : 0;
    for (const Select &select : selects) {
      bool needed = select.always;
      for (unsigned reader : select.readers)
        needed |= kept[reader];
      if (needed && (select.producer < 0 || !kept[size_t(select.producer)]))
        sum -= select.cost;
    }
    return sum;
  }

  std::vector<bool> chosen() const {
    PairChoice choice;
    for (int gain : gains)
      choice.addPair(gain);
    for (const Select &select : selects) {
      auto index = select.producer < 0
                       ? choice.addSelect(select.cost)
                       : choice.addSelectUnless(unsigned(select.producer), select.cost);
      for (unsigned reader : select.readers)
        choice.reads(reader, index);
      if (select.always)
        choice.alwaysReads(index);
    }
    auto kept = choice.solve();
    kept.resize(gains.size());
    return kept;
  }
};

TEST(PairChoice, AChainThatLosesIsGivenUpAsAWhole) {
  // Each link saves one instruction and needs one select of its own; the first needs two.
  Example e{{4, 4, 4},
            {{4, -1, false, {0}},
             {4, -1, false, {0}},
             {4, 0, false, {1}},
             {4, -1, false, {1}},
             {4, 1, false, {2}},
             {4, -1, false, {2}}}};
  EXPECT_EQ(e.chosen(), std::vector<bool>({false, false, false}));
}

TEST(PairChoice, AChainThatPaysTogetherIsKept) {
  // The value at the end is stored by both sides, so its select is needed without the pair.
  Example e{{4, 4}, {{4, -1, false, {0}}, {4, 0, false, {1}}, {4, 1, true, {}}}};
  EXPECT_EQ(e.chosen(), std::vector<bool>({true, true}));
}

TEST(PairChoice, ASharedSelectIsPaidOnce) {
  Example apart{{3, 3}, {{4, -1, false, {0}}, {4, -1, false, {1}}}};
  EXPECT_EQ(apart.chosen(), std::vector<bool>({false, false}));
  Example shared{{3, 3}, {{4, -1, false, {0, 1}}}};
  EXPECT_EQ(shared.chosen(), std::vector<bool>({true, true}));
}

TEST(PairChoice, OfEqualChoicesMostIsKept) {
  // One select in front of the pair, or one behind it.
  Example e{{0}, {{4, -1, false, {0}}, {4, 0, true, {}}}};
  EXPECT_EQ(e.chosen(), std::vector<bool>({true}));
}

TEST(PairChoice, FixedPairsStay) {
  PairChoice choice;
  auto fixed = choice.addFixedPair();
  choice.reads(fixed, choice.addSelect(100));
  EXPECT_TRUE(choice.solve()[fixed]);
}

TEST(PairChoice, NoChoiceIsBetter) {
  std::mt19937 random(7);
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  for (int round = 0; round < 400; ++round) {
    Example e;
    const unsigned n = 1 + below(9);
    for (unsigned p = 0; p < n; ++p)
      e.gains.push_back(int(below(24)) - 4);
    for (unsigned s = 0, count = below(2 * n + 1); s < count; ++s) {
      Example::Select select{int(below(4)) * 4, int(below(n + 1)) - 1, below(6) == 0, {}};
      for (unsigned p = unsigned(select.producer + 1); p < n; ++p)
        if (below(3) == 0)
          select.readers.push_back(p);
      e.selects.push_back(select);
    }
    int best = e.value(std::vector<bool>(n));
    for (unsigned bits = 0; bits < 1u << n; ++bits) {
      std::vector<bool> kept(n);
      for (unsigned p = 0; p < n; ++p)
        kept[p] = bits >> p & 1;
      best = std::max(best, e.value(kept));
    }
    EXPECT_EQ(e.value(e.chosen()), best) << "round " << round;
  }
}

} // namespace
