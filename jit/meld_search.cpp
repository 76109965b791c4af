#include "jit/meld_search.h"

namespace meld::jit {

static MeldSearch::LeftOut everything() { return {{}, 0}; }

MeldSearch::MeldSearch(unsigned count, unsigned tries, bool others) : tries_(tries), bad_(count) {
  none_ = others && count && tries;
  none_ ? void(leftOut_ = everything()) : begin();
}

MeldSearch MeldSearch::doubting(unsigned count, unsigned tries, double cycles) {
  MeldSearch search(count, tries, /*others=*/true);
  search.best_ = LeftOut();
  search.bestCycles_ = cycles;
  return search;
}

void MeldSearch::stop() {
  searching_ = false;
  leftOut_ = best_.value_or(everything());
}

void MeldSearch::begin() { bad_ < 2 || tries_ == 0 ? stop() : tryPrefix(); }

void MeldSearch::tryPrefix() {
  whole_ = false;
  leftOut_ = blamed_;
  leftOut_.from = good_ + (bad_ - good_) / 2;
}

void MeldSearch::judged(unsigned count, bool better, double cycles) {
  if (!searching_)
    return;
  better &= cycles < toBeat_;
  // Meldings that gain nothing beside the other changes are not made.
  const bool best = better && (!best_ || cycles < bestCycles_ || (none_ && cycles == bestCycles_));
  const bool doubted = best_.has_value();
  if (best) {
    best_ = leftOut_;
    bestCycles_ = cycles;
  }
  if (none_) { // not one of the tries
    none_ = false;
    if (doubted && !best)
      return stop();
    if (better)
      toBeat_ = cycles;
    return begin();
  }
  if (--tries_ == 0 || (whole_ && better))
    return stop();
  if (whole_) { // one more to blame behind the last
    bad_ = count;
    if (good_ + 1 >= bad_)
      return stop();
    return tryPrefix();
  }
  (better ? good_ : bad_) = leftOut_.from;
  if (bad_ - good_ > 1)
    return tryPrefix();
  blamed_.numbers.insert(good_);
  ++good_;
  leftOut_ = blamed_;
  whole_ = true;
}

} // namespace meld::jit
