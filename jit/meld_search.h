// Which meldings of a kernel to leave out when its machine code got worse with all of them.
//
//   all: worse      first half: better      first 3/4: worse   ...   number 5 is to blame
//   all but number 5: better -> kept
//
// Binary search for the first melding that turns better into worse, then everything without it, and
// so on while tries are left; the best that was seen is the answer. Takes for granted that what is
// better stays so until the one to blame, which need not hold: then the answer is not the best
// possible, but still one whose machine code was judged better.
//
// Where the kernel is changed in other ways, too (scalarization), the first try is one without any
// melding. From then on "better" means better than that: the gain of the others must not pay for a
// melding that costs. Terminates: tries are counted. Deterministic: depends on verdicts alone.
#pragma once

#include "passes/melder/meld_choice.h"

#include <limits>
#include <optional>

namespace meld::jit {

class MeldSearch {
public:
  using LeftOut = passes::MeldChoice::LeftOut;

  /// After a try with all meldings, `count` of them, which is worse than the original. `others`:
  /// there were other changes, too.
  MeldSearch(unsigned count, unsigned tries, bool others = false);
  /// After a try with all meldings and other changes that is better, with `cycles`; but is it for
  /// the meldings?
  static MeldSearch doubting(unsigned count, unsigned tries, double cycles);

  /// What to leave out in the next compile: the next try, or the answer when the search is over.
  const LeftOut &leftOut() const { return leftOut_; }
  /// The result of such a try: how many meldings came up, and what became of the kernel.
  void judged(unsigned count, bool better, double cycles);

  bool searching() const { return searching_; }
  void stop();
  /// Over, and something better than the original was found.
  bool found() const { return !searching_ && best_.has_value(); }

private:
  void begin();
  void tryPrefix();

  unsigned tries_;
  unsigned good_ = 0, bad_ = 0; ///< lengths of beginnings, without those to blame
  LeftOut blamed_, leftOut_;
  std::optional<LeftOut> best_;
  double bestCycles_ = 0;
  double toBeat_ = std::numeric_limits<double>::infinity(); ///< cycles without any melding
  bool none_ = false;                                       ///< the try is the one without any
  bool whole_ = false; ///< the try is everything but those to blame
  bool searching_ = true;
};

} // namespace meld::jit
