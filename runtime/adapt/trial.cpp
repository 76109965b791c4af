#include "runtime/adapt/trial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace meld::adapt {

namespace {

constexpr double kHeavy = 1.5;         ///< so much slower is out soon
constexpr unsigned kHeavyPairs = 4;    ///< among the first so many pairs
constexpr unsigned kBlindPairs = 2;    ///< under way before the first times are back
constexpr unsigned kEarlyPairs = 4;    ///< and until it is known that the challenger is not heavy
constexpr unsigned kDemotions = 3;     ///< so often adopted in vain: not tried any more
constexpr unsigned kControlLosses = 3; ///< ahead of the wins: the winner is in doubt
constexpr unsigned kOffInARow = 3;
constexpr double kLongest = 16;            ///< times the usual: beyond it the time went wrong
constexpr double kLeastBand = 0.05;        ///< a change of a time is more than this, as a logarithm
constexpr double kDeviationOfMad = 1.4826; ///< of a normal distribution, in median deviations

} // namespace

void Trial::reset(unsigned versions, double leastGain) {
  *this = Trial();
  versions_ = static_cast<uint8_t>(std::clamp(versions, 1u, kMaxVersions));
  leastGain_ = leastGain;
}

void Trial::begin(unsigned versions, double leastGain) noexcept {
  reset(versions, leastGain);
  open(1);
}

void Trial::resume(unsigned versions, unsigned winner, double leastGain) noexcept {
  reset(versions, leastGain);
  incumbent_ = static_cast<uint8_t>(winner < versions_ ? winner : 0);
  phase_ = incumbent_ ? Phase::won : Phase::kept;
  challenger_ = incumbent_;
  nextControl_ = controlEvery_ = 16;
}

void Trial::addVersion(const PastDuel &past) noexcept {
  if (versions_ == kMaxVersions)
    return;
  const unsigned added = versions_++;
  past_[added] = past;
  if (past.lost) {
    lostBefore_ = static_cast<uint8_t>(lostBefore_ | 1u << added);
    return;
  }
  untried_ = static_cast<uint8_t>(untried_ | 1u << added);
  if (phase_ == Phase::open && challenger_)
    return;
  phase_ = Phase::open;
  challenge(added);
}

void Trial::addWinner(double ratio) noexcept {
  if (versions_ == kMaxVersions)
    return;
  incumbent_ = static_cast<uint8_t>(versions_++);
  ratio_ = ratio;
  // Who challenges the original at the moment has to beat this one.
  if (phase_ == Phase::open && challenger_)
    return challenge(challenger_);
  phase_ = Phase::won;
  challenger_ = incumbent_;
  nextControl_ = launches_ + 16;
  controlEvery_ = 16;
}

/// All versions challenge again, `first` before the others.
void Trial::open(unsigned first) {
  phase_ = Phase::open;
  incumbent_ = tooSmall_ = 0;
  ratio_ = 1;
  untried_ = lostBefore_ = 0;
  past_ = {};
  for (unsigned v = 1; v < versions_; ++v)
    if (demotions_[v] < kDemotions)
      untried_ = static_cast<uint8_t>(untried_ | 1u << v);
  if (first >= versions_ || !(untried_ >> first & 1))
    first = static_cast<unsigned>(std::countr_zero(untried_));
  challenge(first);
}

/// The duel of the incumbent and `next`; the decision, when there is no next.
void Trial::challenge(unsigned next) {
  test_ = SignTest();
  ratioCount_ = heavy_ = carried_ = paired_ = 0;
  challengerTime_ = middle_ = 0;
  half_ = kWatched;
  for (Pair &pair : pairs_)
    pair.state = PairState::free;
  if (next >= versions_) {
    challenger_ = 0;
    decide();
    return;
  }
  baseline_ = incumbent_;
  challenger_ = static_cast<uint8_t>(next);
  untried_ = static_cast<uint8_t>(untried_ & ~(1u << next));
  if (const PastDuel past = std::exchange(past_[next], PastDuel()); past.pairs && !incumbent_) {
    test_ = SignTest(past.pairs, past.wins, past.losses);
    carried_ = past.pairs;
    ratios_[ratioCount_++] = static_cast<float>(std::log(past.ratio));
    middle_ = middleNow();
  }
}

PastDuel Trial::pastDuel(unsigned version) const {
  if (version == 0 || version >= versions_ || version == incumbent_)
    return {};
  PastDuel past = incumbent_ ? PastDuel() : past_[version];
  if (phase_ == Phase::open && version == challenger_) {
    if (incumbent_)
      return {};
    past.pairs = static_cast<uint16_t>(test_.pairs());
    past.wins = static_cast<uint16_t>(test_.wins());
    past.losses = static_cast<uint16_t>(test_.losses());
    past.ratio = test_.pairs() ? middleRatio() : 1;
  } else {
    past.lost = !(untried_ >> version & 1);
  }
  return past;
}

void Trial::closeDuel(SignTest::Verdict verdict, Budget &budget) {
  budget.lost += std::max(0.0, duelLoss(test_.pairs() + pairsUnderWay()));
  if (verdict == SignTest::Verdict::adopt || !incumbent_)
    evidence_ = evidenceNow();
  if (verdict == SignTest::Verdict::adopt) {
    ratio_ *= middleRatio();
    incumbent_ = challenger_;
  }
  const unsigned next = static_cast<unsigned>(std::countr_zero(untried_));
  const SignTest last = test_;
  challenge(next); // a byte without a bit set: 8, and there is no such version
  if (next >= versions_)
    test_ = last;
}

void Trial::decide() {
  ++decisions_;
  const double gain = typical_[0] - typical_[incumbent_];
  // Beside the winner of an earlier run the original may not have run at all.
  if (incumbent_ && typical_[0] > 0 && gain < leastGain_) {
    tooSmall_ = incumbent_;
    incumbent_ = 0;
    ratio_ = 1;
  }
  if (reconsidered_) {
    const bool same = incumbent_ == wonBefore_;
    idle_ = static_cast<uint8_t>(same ? std::min(idle_ + 1, 4) : 0);
    if (!same && wonBefore_)
      ++demotions_[wonBefore_];
    reconsidered_ = false;
  }
  phase_ = incumbent_ ? Phase::won : Phase::kept;
  baseline_ = 0;
  challenger_ = incumbent_;
  decidedAt_ = std::max<uint64_t>(launches_, 1);
  const double share = 1 / std::max(ratio_, 1e-3) - 1; // what the original takes longer
  controlEvery_ = static_cast<unsigned>(std::clamp(share / Budget::kShare, 16.0, 256.0));
  nextControl_ = launches_ + controlEvery_;
  controlLosses_ = offSame_ = 0;
  referenceCount_ = 0;
}

/// What was decided may not hold any more.
void Trial::reconsider() {
  if (launches_ < decidedAt_ + (uint64_t{16} << idle_))
    return; // too soon after false alarms: what is still so then will be seen
  reconsidered_ = true;
  ++changes_;
  wonBefore_ = incumbent_;
  typical_ = {};
  heard_ = {};
  open(incumbent_ ? incumbent_ : 1);
}

unsigned Trial::pairsUnderWay() const {
  return static_cast<unsigned>(std::count_if(
      pairs_.begin(), pairs_.end(), [](const Pair &p) { return p.state != PairState::free; }));
}

Trial::Launch Trial::pairHalf(unsigned index, unsigned second) {
  const Pair &pair = pairs_[index];
  Launch launch;
  launch.version = second ? pair.second : pair.first;
  launch.timed = true;
  launch.pair = static_cast<uint8_t>(index);
  launch.second = static_cast<uint8_t>(second);
  launch.serial = pair.serial;
  return launch;
}

bool Trial::mayStart(const Budget &budget) const {
  const unsigned underWay = pairsUnderWay();
  const double incumbent = typical_[incumbent_];
  if (phase_ == Phase::won) {
    if (underWay || launches_ < nextControl_)
      return false;
    return controlLosses_ || budget.allows(typical_[0] - incumbent, incumbent);
  }
  const unsigned known = test_.pairs();
  if (underWay >= (known == 0 ? kBlindPairs : known < kHeavyPairs ? kEarlyPairs : kPairs))
    return false;
  // Of a challenger that has not run nothing is known: it may take 1.5 times as long.
  if (known == 0)
    return budget.allows((kHeavy - 1) * incumbent * (underWay + 1), incumbent);
  return budget.allows(duelLoss(known + underWay + 1), incumbent);
}

/// Fair, and independent of what the launches will have to do. splitmix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014), stirred with the times that were measured.
bool Trial::throwCoin() {
  uint64_t x = coins_ += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) & 1;
}

bool Trial::startPair(Launch &launch) {
  const auto free = std::find_if(pairs_.begin(), pairs_.end(),
                                 [](const Pair &p) { return p.state == PairState::free; });
  if (free == pairs_.end())
    return false;
  const bool turned = throwCoin();
  *free = Pair();
  free->state = PairState::half;
  free->serial = ++serial_;
  free->first = turned ? challenger_ : baseline_;
  free->second = turned ? baseline_ : challenger_;
  half_ = static_cast<uint8_t>(free - pairs_.begin());
  launch = pairHalf(half_, 0);
  return true;
}

Trial::Launch Trial::next(Budget &budget, unsigned timers) noexcept {
  ++launches_;
  budget.own += typical_[incumbent_];
  if (phase_ == Phase::won)
    budget.saved += std::max(0.0, typical_[0] - typical_[incumbent_]);
  Launch launch;
  launch.version = incumbent_;
  if (timers == 0)
    return launch;
  if (half_ != kWatched) {
    const unsigned index = half_;
    half_ = kWatched;
    if (pairs_[index].state == PairState::broken) {
      pairs_[index].state = PairState::free;
    } else {
      pairs_[index].state = PairState::launched;
      return pairHalf(index, 1);
    }
  }
  // What is slower as far as anybody can see, and may not cost more, has had its chance.
  if (phase_ == Phase::open && test_.pairs() >= kFirstStop && !pairsUnderWay() &&
      !budget.allows(duelLoss(test_.pairs() + 1), typical_[incumbent_]))
    closeDuel(SignTest::Verdict::undecided, budget);
  // Nothing is risked before it is known how long a launch takes.
  if (phase_ == Phase::open && challenger_ && typical_[incumbent_] == 0) {
    launch.timed = true;
    launch.pair = kWatched;
    launch.serial = decisions_;
    return launch;
  }
  const bool pairs = phase_ == Phase::won || (phase_ == Phase::open && challenger_);
  if (pairs && timers >= 2 && mayStart(budget) && startPair(launch))
    return launch;
  const bool learning = phase_ == Phase::won || referenceCount_ < kReference;
  const unsigned every = learning ? kWatchOften : kWatchKept;
  if (phase_ != Phase::open && versions_ > 1 && launches_ % every == 0) {
    launch.timed = true;
    launch.pair = kWatched;
    launch.serial = decisions_;
  }
  return launch;
}

void Trial::learn(unsigned version, double nanoseconds) {
  double &typical = typical_[version];
  // Outliers are slow: the first three times give their least, and later ones count for at most
  // twice the usual.
  if (heard_[version] < 3) {
    typical = heard_[version]++ ? std::min(typical, nanoseconds) : nanoseconds;
    return;
  }
  typical += (std::min(nanoseconds, 2 * typical) - typical) / 8;
}

void Trial::finished(const Launch &launch, double nanoseconds, Budget &budget) noexcept {
  if (!launch.timed)
    return;
  if (!(nanoseconds > 0)) // a device that has no clock, or one that was set back
    return discarded(launch);
  if (launch.pair == kWatched) {
    if (launch.serial != decisions_ || launch.version != incumbent_)
      return;
    if (phase_ == Phase::open)
      learn(incumbent_, nanoseconds);
    else
      watched(nanoseconds);
    return;
  }
  Pair &pair = pairs_[launch.pair % kPairs];
  if (pair.state == PairState::free || pair.state == PairState::broken ||
      pair.serial != launch.serial)
    return discarded(launch);
  coins_ ^= std::bit_cast<uint64_t>(nanoseconds);
  learn(launch.version, nanoseconds);
  pair.time[launch.second & 1] = nanoseconds;
  pair.known = static_cast<uint8_t>(pair.known | 1u << (launch.second & 1));
  if (pair.known != 3)
    return;
  const Pair complete = pair;
  pair.state = PairState::free;
  evaluate(complete, budget);
}

void Trial::discarded(const Launch &launch) noexcept {
  if (!launch.timed || launch.pair == kWatched)
    return;
  Pair &pair = pairs_[launch.pair % kPairs];
  if (pair.serial != launch.serial || pair.state == PairState::free)
    return;
  // The other half comes too late to matter: its serial is not this place's any more.
  pair.state = pair.state == PairState::launched ? PairState::free : PairState::broken;
}

void Trial::evaluate(const Pair &pair, Budget &budget) {
  const bool turned = pair.first != baseline_;
  const double o = pair.time[turned], v = pair.time[!turned];
  if (phase_ == Phase::won)
    return control(o, v, budget);
  if (phase_ != Phase::open)
    return;
  ratios_[ratioCount_++ % kRatios] = static_cast<float>(std::log(v / o));
  middle_ = middleNow();
  ++paired_;
  challengerTime_ += std::min(v, kLongest * typical_[challenger_]);
  SignTest::Verdict verdict = test_.add(o, v);
  heavy_ += test_.pairs() <= kHeavyPairs && v > kHeavy * o;
  if (heavy_ >= 2)
    verdict = SignTest::Verdict::reject;
  if (verdict != SignTest::Verdict::open)
    closeDuel(verdict, budget);
}

/// A control pair: the winner against the original.
void Trial::control(double original, double winner, Budget &budget) {
  budget.lost += std::max(0.0, original - winner);
  // A loss alone may be noise: more pairs follow at once, until losses and wins are level again or
  // the losses are three ahead.
  if (winner > original)
    ++controlLosses_;
  else if (controlLosses_)
    --controlLosses_;
  nextControl_ = launches_ + (controlLosses_ ? 0 : controlEvery_);
  if (controlLosses_ < kControlLosses)
    return;
  controlLosses_ = 0;
  nextControl_ = launches_ + controlEvery_;
  reconsider();
}

double Trial::middleRatio() const { return std::exp(middle_); }

/// Hodges and Lehmann's estimate ("Estimates of Location Based on Rank Tests", Annals of Mathematical
/// Statistics 34, 1963): the median of the averages of all pairs of ratios. As robust as a median is
/// enough; where one launch has twice the work of the one before, the ratios have two heaps, one for
/// each order in a pair, and a median would be in one of them.
double Trial::middleNow() const {
  const unsigned count = std::min(ratioCount_, kRatios);
  std::array<float, kRatios *(kRatios + 1) / 2> averages;
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = i; j < count; ++j)
      averages[n++] = (ratios_[i] + ratios_[j]) / 2;
  if (n == 0)
    return 0;
  std::nth_element(averages.begin(), averages.begin() + n / 2, averages.begin() + n);
  return averages[n / 2];
}

/// What so many pairs of this duel lose in this run: of the time that the challenger takes, its share.
/// Differences of single times are too noisy to be added up.
double Trial::duelLoss(unsigned pairs) const {
  const double ratio = middleRatio(), here = pairs - std::min(pairs, carried_);
  if (!paired_)
    return (ratio - 1) * typical_[incumbent_] * here;
  return (1 - 1 / ratio) * challengerTime_ / paired_ * here;
}

void Trial::watched(double nanoseconds) {
  learn(incumbent_, nanoseconds);
  const double now = std::log(nanoseconds);
  if (referenceCount_ < kReference) {
    reference_[referenceCount_++] = static_cast<float>(now);
    if (referenceCount_ < kReference)
      return;
    referenceMid_ = median(reference_.data(), kReference);
    std::array<float, kReference> away;
    for (unsigned i = 0; i < kReference; ++i)
      away[i] = static_cast<float>(std::abs(reference_[i] - referenceMid_));
    referenceBand_ = std::max(kLeastBand, 3 * kDeviationOfMad * median(away.data(), kReference));
    referenceBand_ *= 1 + 0.5 * idle_;
    return;
  }
  const double off = now - referenceMid_;
  const int8_t side = off > referenceBand_ ? 1 : off < -referenceBand_ ? -1 : 0;
  const unsigned row = side == offSide_ ? std::min(offSame_ + 1u, kOffInARow) : 1;
  offSame_ = static_cast<uint8_t>(side == 0 ? 0 : row);
  offSide_ = side;
  if (offSame_ >= kOffInARow)
    reconsider();
}

Trial::Evidence Trial::evidenceNow() const {
  const unsigned count = std::min(ratioCount_, kRatios);
  return {test_.pairs(), test_.wins(), test_.losses(),
          std::exp(quantile(ratios_.data(), count, count / 4)),
          std::exp(quantile(ratios_.data(), count, count * 3 / 4))};
}

double Trial::median(const float *from, unsigned count) const {
  return quantile(from, count, count / 2);
}

/// What stands at `place` in ascending order; 0 of nothing.
double Trial::quantile(const float *from, unsigned count, unsigned place) const {
  std::array<float, kRatios> sorted;
  count = std::min(count, kRatios);
  if (count == 0)
    return 0;
  std::copy_n(from, count, sorted.begin());
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.begin() + count);
  return sorted[place];
}

} // namespace meld::adapt
