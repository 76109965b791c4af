// What the launches of a kernel have in common, and when a version specialised for it is asked for.
//
//   launch   n      order  group        asked for
//   1        1000   4      256          (MELD_SPECIALIZE_AFTER=3; the first 8 launches are waited for)
//   2        1001   4      256
//   ...
//   8        1007   4      256          order = 4, group = 256: the same in the last three (and the
//                                       grid, and that pointers are not null)
//   9...     ...    4      256          the version's: not looked at any more
//   20       1019   2      256          not the version's: looked at again
//   25       1024   2      256          order = 2, group = 256: the same in the last six
//
// Only launches that no specialised version takes are added. Each byte of the arguments by value is
// compared with the launch before: what differs from launch to launch is never among the facts.
// Of pointers only that they are null, or not, is a fact. Where a kernel is called for a few
// purposes in turns (turns.h), the launches for each of them are compared with one another, too,
// and for what is the same in those it is asked first. A question is asked once; each doubles the
// number of launches that have to be the same for the next one, kMostAsked are asked in all, and
// where kPatience launches have brought none, nothing is hoped for any more.
//
// Cost: add() is a few comparisons for eight bytes of arguments, and some more for those that have
// changed; no allocation. Memory: 24 bytes for each byte of arguments, at most 24 KB.
//
// Thread rule: none of its own; the caller lets in one thread at a time. The constructor and
// facts() allocate.
#pragma once

#include "runtime/adapt/same_bytes.h"
#include "runtime/adapt/turns.h"

#include <vector>

namespace meld::adapt {

class Candidates {
public:
  static constexpr unsigned kMostAsked = 8, kPatience = 1024, kMostSame = 64;
  /// Launches before the first question: what is launched less often has no use for versions.
  static constexpr unsigned kLaunchesBefore = 8;
  /// Purposes that are told apart, and launches in which only these are asked for.
  static constexpr unsigned kPurposes = 3, kTurnsFirst = 64;

  using Range = ArgumentRange;

  /// `after`: so many launches have to be the same, 1 to kMostSame. `asked`: what has been asked for
  /// in earlier runs. Ranges that lie behind kMostArgumentBytes are left out.
  Candidates(std::vector<Range> ranges, unsigned after, const std::vector<Facts> &asked);

  /// One more launch. True: a version for facts() is wanted; none of what follows is to be added
  /// until it is known what became of it.
  bool add(const LaunchShape &launch, const Arguments &arguments) noexcept;
  /// What was the same in the launches before add() was true. Sorted.
  Facts facts() const;
  /// Nothing will be asked for any more.
  bool hopeless() const { return hopeless_; }
  /// For how many purposes in turns the last launches were, 1 to kPurposes.
  unsigned purposes() const;
  /// So many of a launch's first bytes it looks at.
  size_t argumentBytes() const { return all_.bytes(); }

private:
  struct Purpose {
    uint64_t key = 0;
    uint32_t lookAt = 0, lastUsed = 0;
    SameBytes launches;
  };
  Purpose &purposeOf(uint64_t key) noexcept;
  bool asksFor(const SameBytes &launches) noexcept;

  std::vector<Range> ranges_;
  SameBytes all_;
  Turns turns_;
  std::array<Purpose, kPurposes> purposes_;
  unsigned same_, lookAt_, since_ = 0, askedCount_ = 0, askedHere_ = 0;
  std::array<uint64_t, 4 * kMostAsked> asked_{}; ///< digests
  const SameBytes *asking_ = nullptr;            ///< whose facts() are as they were asked for
  bool hopeless_ = false;
};

} // namespace meld::adapt
