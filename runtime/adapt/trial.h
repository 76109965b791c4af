// Which version of a kernel runs in one launch class, decided by the launches' own times.
//
//                 begin          a winner                three of its times in a row
//                   |         +------------> won -----+  far off, or control pairs lost
//                   v         |               ^       |  three times: decided anew
//     open: duel(incumbent, challenger) ------+       |
//       ^           |  pairs o v or v o, by a coin    |
//       |           +------------> kept               |
//       |      nobody won           |  times changed  |
//       +---------------------------+-----------------+
//
// Version 0 is the original, which begins as the incumbent. Every other version challenges the
// incumbent in a sequential sign test (sign_test.h) and becomes the incumbent when it wins: a
// version that is only equal never does, and the order of the versions is the order of hope. What
// is launched outside of pairs is the incumbent.
//
// Example, two versions, times 100 and 70: the first launch tells how long one takes, launches 2 to
// 25 are o v o v v o o v ...; at 12 pairs with 12 wins v is adopted. From then on v runs; every 4th
// launch of it is timed, and now and then a pair controls it against the original.
//
// What a trial may cost (Budget): the time lost to launches of something slower than the incumbent
// stays below 1 % of the kernel's own time plus 10 ms, and plus 3 launches where those are less; a
// pair that would go beyond that waits until there was more own time, and after 12 pairs the
// challenger is given up: it is slower as far as anybody can see. What is lost is a share of the time
// that the challenger took, which is that of long launches where launches differ; the share is the
// middle of the pairs' ratios. That a challenger is really slower may not be waited for: among
// launches that differ it takes hundreds of them. A challenger that takes more than 1.5 times as long
// in two of its first four pairs is out at once; until the first times are back, two pairs may be on
// their way, if that much could be lost at 1.5 times the incumbent's time. It is a forecast: a
// challenger that takes ten times as long loses nine launches with its first one, and so does each
// that is under way by then. What it has lost counts then, and the next waits until the kernel's own
// time has made up for it.
//
// After the decision: the data may change. The winner's times are watched by themselves (16 of them
// make the reference, and three in a row that leave it by more than 5 % and 3 standard deviations
// are a change), and so is the original where it was kept. A control pair runs every `gain / 1 %`
// launches, between 16 and 256, so that it costs at most the same 1 %: the original may have become
// faster while the winner has not changed. A control that is lost is repeated at once until its
// losses are three ahead of its wins (a change), or level with them. A version that was adopted and
// lost again three times is not tried any more. Each change that turned out to be none doubles the
// time until the next one may be seen. Not seen: a variant that was rejected becomes faster while
// the original, which runs, does not change.
//
// Terminates: a duel ends after at most 256 pairs, and there are at most 7. Cost: no allocation,
// no system call; some 1,100 bytes; next() is some ten instructions after the decision.
//
// Would be unsafe: a pair of which only one launch is timed by the caller's choice of which times
// it reports. Times that do not come (discarded()) take the whole pair with them.
//
// Thread rule: none of its own; the caller lets in one thread at a time.
#pragma once

#include "runtime/adapt/sign_test.h"

#include <array>
#include <cstdint>

namespace meld::adapt {

inline constexpr unsigned kMaxVersions = 8; ///< the original and 7 variants

/// What trials of one kernel may cost, in nanoseconds. One for all its launch classes.
struct Budget {
  double own = 0;   ///< the kernel's time until now, as far as it is known
  double lost = 0;  ///< to launches of something slower than the incumbent, closed duels
  double saved = 0; ///< by winners, against the original's usual time
  static constexpr double kShare = 0.01, kAllowance = 10e6, kLaunches = 3;
  /// May `loss` more be risked? `launch`: the time of one launch of the incumbent.
  bool allows(double loss, double launch) const {
    const double allowance = kLaunches * launch < kAllowance ? kLaunches * launch : kAllowance;
    return loss <= 0 || lost + loss <= kShare * own + allowance;
  }
};

/// What became of a version's duel with the original, to go on with it in another run. Its pairs
/// are as good then: each compares two launches of one run.
struct PastDuel {
  uint16_t pairs = 0, wins = 0, losses = 0;
  bool lost = false; ///< it has not won, and need not challenge the original again
  double ratio = 1;  ///< middle of the last pairs' challenger / incumbent
  bool isNothing() const { return !pairs && !lost; }
};

class Trial {
public:
  enum class Phase : uint8_t { open, won, kept };

  /// One launch: what runs, and what to hand back when its time is known.
  struct Launch {
    uint8_t version = 0;
    bool timed = false;
    uint8_t pair = 0;   ///< place among the pairs, or kWatched
    uint8_t second = 0; ///< half of the pair
    uint16_t serial = 0;
  };

  /// `versions`: with the original. `leastGain`: in nanoseconds a launch; a winner that gains less
  /// is not worth looking at each packet, and the original is kept. Forgets all.
  void begin(unsigned versions, double leastGain = 1500) noexcept;
  /// Another version has been made: it challenges who is the incumbent by then.
  void addVersion(const PastDuel &past = PastDuel()) noexcept;
  /// Another version has been made, which has beaten the original in an earlier run by `ratio`,
  /// though not all versions have been tried: it is the incumbent, and the others go on to challenge
  /// it.
  void addWinner(double ratio) noexcept;
  /// As begin(), with a verdict from before: it is watched and controlled as one of this process.
  void resume(unsigned versions, unsigned winner, double leastGain = 1500) noexcept;

  /// The next launch. `timers`: how many launches the caller can time at the moment; a launch that
  /// cannot be timed is passed 0 and takes no part in a pair.
  Launch next(Budget &budget, unsigned timers) noexcept;
  /// The time of a launch that was to be timed, in any order.
  void finished(const Launch &launch, double nanoseconds, Budget &budget) noexcept;
  /// There will be none.
  void discarded(const Launch &launch) noexcept;

  Phase phase() const { return phase_; }
  /// What runs outside of pairs.
  unsigned incumbent() const { return incumbent_; }
  /// The version that is faster, but by less than `leastGain`: 0 when there is none.
  unsigned tooSmall() const { return tooSmall_; }
  unsigned decisions() const { return decisions_; }
  unsigned demotions(unsigned version) const { return demotions_[version]; }
  /// A version's usual time in nanoseconds, outliers left out; 0: not known.
  double typical(unsigned version) const { return typical_[version]; }
  /// How it was decided: the duel that the incumbent has won; where the original was never beaten,
  /// the last one.
  struct Evidence {
    unsigned pairs = 0, wins = 0, losses = 0;
    double low = 1, high = 1; ///< quartiles of the last pairs' challenger / incumbent
  };
  const Evidence &evidence() const { return evidence_; }
  /// How often times have changed so much that it was decided anew.
  unsigned changes() const { return changes_; }
  /// The middle of winner / original in its last pairs; 1 without a winner.
  double ratio() const { return ratio_; }
  /// Of a version, while the trial is open. Where a version has beaten the original it is only told
  /// who has lost.
  PastDuel pastDuel(unsigned version) const;
  /// Pairs, wins and losses of the duel under way or of the last one.
  const SignTest &test() const { return test_; }
  unsigned pairsUnderWay() const;
  uint64_t launches() const { return launches_; }

private:
  static constexpr unsigned kPairs = 16, kRatios = 32, kReference = 16;
  static constexpr uint8_t kWatched = 255;
  static constexpr unsigned kWatchOften = 4, kWatchKept = 8; ///< every so many launches are timed

  enum class PairState : uint8_t { free, half, launched, broken };
  struct Pair {
    PairState state = PairState::free;
    uint8_t first = 0, second = 0; ///< versions
    uint8_t known = 0;             ///< bit per half
    uint16_t serial = 0;
    std::array<double, 2> time{};
  };

  void reset(unsigned versions, double leastGain);
  void challenge(unsigned first);
  void open(unsigned first);
  void closeDuel(SignTest::Verdict verdict, Budget &budget);
  void decide();
  void reconsider();
  Launch pairHalf(unsigned index, unsigned second);
  bool mayStart(const Budget &budget) const;
  bool throwCoin();
  bool startPair(Launch &launch);
  void evaluate(const Pair &pair, Budget &budget);
  void control(double original, double winner, Budget &budget);
  void watched(double nanoseconds);
  void learn(unsigned version, double nanoseconds);
  double middleRatio() const;
  double middleNow() const;
  Evidence evidenceNow() const;
  double duelLoss(unsigned pairs) const;
  double quantile(const float *from, unsigned count, unsigned place) const;
  double median(const float *from, unsigned count) const;

  Phase phase_ = Phase::open;
  uint8_t versions_ = 1, incumbent_ = 0, challenger_ = 0, tooSmall_ = 0;
  uint8_t baseline_ = 0;    ///< of the pairs: the incumbent, or the original in controls
  uint8_t untried_ = 0;     ///< bit per version
  uint8_t half_ = kWatched; ///< the pair that waits for its second launch
  uint8_t heavy_ = 0;       ///< early pairs with a challenger 1.5 times as slow
  uint8_t controlLosses_ = 0, offSame_ = 0;
  int8_t offSide_ = 0;
  uint8_t idle_ = 0;          ///< changes in a row that were none
  uint8_t wonBefore_ = 0;     ///< the winner that is decided anew
  bool reconsidered_ = false; ///< the duels under way decide something anew
  uint16_t serial_ = 0;
  uint16_t decisions_ = 0, changes_ = 0;
  Evidence evidence_;
  std::array<uint8_t, kMaxVersions> demotions_{};
  std::array<double, kMaxVersions> typical_{}; ///< of each version: a smoothed time, 0: unknown
  std::array<uint8_t, kMaxVersions> heard_{};  ///< of each version: its first times, up to 3
  std::array<Pair, kPairs> pairs_{};
  std::array<float, kRatios> ratios_{}; ///< log(v / o), of the duel's last pairs
  std::array<float, kReference> reference_{};
  std::array<PastDuel, kMaxVersions> past_{}; ///< of each version: in earlier runs
  uint8_t lostBefore_ = 0;                    ///< bit per version
  unsigned carried_ = 0;      ///< pairs of the duel under way that an earlier run has paid for
  unsigned paired_ = 0;       ///< and those of this run
  double challengerTime_ = 0; ///< what the challenger took in these
  double middle_ = 0;         ///< of ratios_
  uint64_t coins_ = 0;        ///< state of their generator
  unsigned ratioCount_ = 0, referenceCount_ = 0;
  double referenceMid_ = 0, referenceBand_ = 0;
  double ratio_ = 1, leastGain_ = 0;
  uint64_t launches_ = 0, decidedAt_ = 0, nextControl_ = 0;
  unsigned controlEvery_ = 0;
  SignTest test_;
};

} // namespace meld::adapt
