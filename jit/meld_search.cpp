#include "jit/meld_search.h"

namespace meld::jit {

MeldSearch::MeldSearch(unsigned count, unsigned tries) : tries_(tries), bad_(count) {
  if (count < 2 || tries == 0)
    stop();
  else
    tryPrefix();
}

void MeldSearch::stop() {
  searching_ = false;
  leftOut_ = best_.value_or(LeftOut{{}, 0});
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
