// Is a version of a kernel faster? A sequential sign test on pairs of launches.
//
// A pair is one launch of each of two versions, next to each other in time. It is a *win* of the
// challenger v over the incumbent o when v < 0.98 o, a *loss* when v > o, and nothing in between.
// The pairs are looked at only at the sizes of kLooks:
//
//     pairs        5    8   12   20   32  ...  256
//     adopt with   -    -   12   18   26       156  wins        else go on; after the last look the
//     reject with  5    7   10   15   22       142  losses      incumbent stays
//     stop at      -    -    1    4    8        85  wins or less: it is as good as equal
//
// What is bounded: **the probability that a challenger whose median gain is below 2 % is ever
// adopted is below 0.15 %** (kFalseAdoption), whatever the noise: nothing is assumed about how
// times are distributed, and pairs may depend on those before them. Let p(i) be the probability
// that pair i is a win, given all pairs before it; that the median of v/o is at least 0.98 says
// p(i) <= 1/2. Proof: draw U(i) uniformly for each pair, and let pair i be a win when U(i) < p(i),
// which gives the wins their true distribution. Each of these wins is a head of the fair coin [U(i)
// < 1/2]. So at every look there are at most as many wins as heads, and who has enough wins has
// enough heads: the test adopts at most as often as it would adopt a fair coin. That probability
// does not need a formula: falseAdoption() below adds up all ways of a fair coin, at compile time,
// and the static_assert holds the result against the bound. Rejections only make it smaller.
//
// Stopping early keeps the incumbent, so the bound holds as before. What it costs: a challenger that
// wins six pairs of ten is given up with a probability below 0.3 % (givenUp() below), and one that
// is equal is done after 12 pairs.
//
// A slow drift of the times (clocks, temperature) hits both launches of a pair alike. The caller lets a
// coin say which of the two goes first (o v, v o): so neither has the dear launches more often, whatever
// pattern these follow (steps of a simulation, levels of a search), and of two versions that take the
// same time neither wins a pair with more than 1/2. Turning every second pair around would follow a
// pattern of four itself. A challenger that is
// rejected wrongly costs no more than what is not gained; that bound is wide on purpose (5 % a
// look), because what is slower should go quickly.
//
// Would be unsafe: looking after every pair with these thresholds (the error adds up with each
// look); pairs that are chosen by their times.
#pragma once

#include <cstdint>
#include <iterator>

namespace meld::adapt {

struct Look {
  unsigned pairs;
  unsigned adopt;  ///< wins, at least
  unsigned reject; ///< losses, at least
  unsigned stop;   ///< wins, at most
};

inline constexpr unsigned kNever = ~0u;
inline constexpr Look kLooks[] = {{5, kNever, 5, 0},   {8, kNever, 7, 0},  {12, 12, 10, 1},
                                  {20, 18, 15, 4},     {32, 26, 22, 8},    {48, 37, 31, 14},
                                  {64, 47, 40, 20},    {96, 66, 57, 31},   {128, 84, 74, 42},
                                  {192, 121, 108, 63}, {256, 156, 142, 85}};
inline constexpr unsigned kFirstStop = 12; ///< pairs; fewer say nothing
inline constexpr unsigned kMostPairs = kLooks[std::size(kLooks) - 1].pairs;

/// Below this share of the incumbent's time a challenger wins its pair.
inline constexpr double kWinRatio = 0.98;

/// The probability that a fair coin is ever adopted.
constexpr double falseAdoption() {
  double heads[kMostPairs + 2] = {1}; // heads[h]: not adopted so far, and h heads
  double adopted = 0;
  unsigned pairs = 0;
  for (const Look &look : kLooks) {
    for (; pairs < look.pairs; ++pairs)
      for (unsigned h = pairs + 1;; --h) {
        heads[h] = (heads[h] + (h ? heads[h - 1] : 0)) / 2;
        if (h == 0)
          break;
      }
    if (look.adopt == kNever)
      continue;
    for (unsigned h = look.adopt; h <= pairs; ++h) {
      adopted += heads[h];
      heads[h] = 0;
    }
  }
  return adopted;
}
inline constexpr double kFalseAdoption = 0.0015;
static_assert(falseAdoption() < kFalseAdoption);

/// The probability that a challenger which wins each pair with `chance` is ever stopped.
constexpr double givenUp(double chance) {
  double wins[kMostPairs + 2] = {1}; // wins[w]: still open, with w wins
  double stopped = 0;
  unsigned pairs = 0;
  for (const Look &look : kLooks) {
    for (; pairs < look.pairs; ++pairs)
      for (unsigned w = pairs + 1;; --w) {
        wins[w] = wins[w] * (1 - chance) + (w ? wins[w - 1] * chance : 0);
        if (w == 0)
          break;
      }
    for (unsigned w = 0; look.pairs >= kFirstStop && w <= look.stop; ++w) {
      stopped += wins[w];
      wins[w] = 0;
    }
    for (unsigned w = look.adopt; look.adopt != kNever && w <= pairs; ++w)
      wins[w] = 0;
  }
  return stopped;
}
static_assert(givenUp(0.6) < 0.003);

/// Wins and losses of one challenger.
class SignTest {
public:
  SignTest() = default;
  /// As it was after these pairs, without a verdict.
  SignTest(unsigned pairs, unsigned wins, unsigned losses)
      : pairs_(pairs), wins_(wins), losses_(losses) {
    while (look_ + 1 < std::size(kLooks) && kLooks[look_].pairs <= pairs)
      ++look_;
  }

  enum class Verdict : uint8_t {
    open,
    adopt,
    reject,
    undecided /* stopped, or after the last look */
  };

  /// One more pair, in any unit of time.
  Verdict add(double incumbent, double challenger) {
    ++pairs_;
    wins_ += challenger < kWinRatio * incumbent;
    losses_ += challenger > incumbent;
    const Look &look = kLooks[look_];
    if (pairs_ != look.pairs)
      return Verdict::open;
    if (wins_ >= look.adopt)
      return Verdict::adopt;
    if (losses_ >= look.reject)
      return Verdict::reject;
    if (pairs_ >= kFirstStop && wins_ <= look.stop)
      return Verdict::undecided;
    return ++look_ == std::size(kLooks) ? Verdict::undecided : Verdict::open;
  }
  unsigned pairs() const { return pairs_; }
  unsigned wins() const { return wins_; }
  unsigned losses() const { return losses_; }

private:
  unsigned pairs_ = 0, wins_ = 0, losses_ = 0, look_ = 0;
};

} // namespace meld::adapt
