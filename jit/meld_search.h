// Which meldings of a kernel to leave out when its machine code got worse with all of them.
//
//   all: worse      first half: better      first 3/4: worse   ...   number 5 is to blame
//   all but number 5: better -> kept
//
// Binary search for the first melding that turns better into worse, then everything without it, and
// so on while tries are left; the best that was seen is the answer. Takes for granted that what is
// better stays so until the one to blame, which need not hold: then the answer is not the best
// possible, but still one whose machine code was judged better. Where none was, but the kernel is
// changed in other ways, too (scalarization), a last try does without any melding. Terminates:
// tries are counted. Deterministic: depends on verdicts alone.
#pragma once

#include "passes/transform/meld_choice.h"

#include <optional>

namespace meld::jit {

class MeldSearch {
public:
  using LeftOut = passes::MeldChoice::LeftOut;

  /// After a try with all meldings, `count` of them, which is worse than the original. `others`:
  /// there were other changes, too.
  MeldSearch(unsigned count, unsigned tries, bool others = false);

  /// What to leave out in the next compile: the next try, or the answer when the search is over.
  const LeftOut &leftOut() const { return leftOut_; }
  /// The result of such a try: how many meldings came up, and what became of the kernel.
  void judged(unsigned count, bool better, double cycles);

  bool searching() const { return searching_; }
  void stop(); ///< no further try
  /// Over, and something better than the original was found.
  bool found() const { return !searching_ && best_.has_value(); }

private:
  void tryPrefix();
  void finish(); ///< with the last try, if there is one to be made

  unsigned tries_;
  unsigned good_ = 0, bad_ = 0; ///< lengths of beginnings, without those to blame
  LeftOut blamed_, leftOut_;
  std::optional<LeftOut> best_;
  double bestCycles_ = 0;
  bool whole_ = false; ///< the try is everything but those to blame
  bool others_;
  bool last_ = false; ///< the try without any melding
  bool searching_ = true;
};

} // namespace meld::jit
