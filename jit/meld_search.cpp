#include "jit/meld_search.h"

namespace meld::jit {

MeldSearch::MeldSearch(unsigned count, unsigned tries, bool others)
    : tries_(tries), bad_(count), others_(others && count) {
  if (count < 2 || tries == 0)
    finish();
  else
    tryPrefix();
}

void MeldSearch::stop() {
  searching_ = false;
  leftOut_ = best_.value_or(LeftOut{{}, 0});
}

void MeldSearch::finish() {
  if (best_ || !others_)
    return stop();
  last_ = true;
  leftOut_ = LeftOut{{}, 0};
}

void MeldSearch::tryPrefix() {
  whole_ = false;
  leftOut_ = blamed_;
  leftOut_.from = good_ + (bad_ - good_) / 2;
}

void MeldSearch::judged(unsigned count, bool better, double cycles) {
  if (!searching_)
    return;
  if (better && (!best_ || cycles < bestCycles_)) {
    best_ = leftOut_;
    bestCycles_ = cycles;
  }
  if (last_)
    return stop();
  if (--tries_ == 0 || (whole_ && better))
    return finish();
  if (whole_) { // one more to blame behind the last
    bad_ = count;
    if (good_ + 1 >= bad_)
      return finish();
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
