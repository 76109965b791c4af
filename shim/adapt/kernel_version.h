// A version of a kernel as launches see it, and a launch as the choice between versions sees it.
//
// Thread rule: none of its own.
#pragma once

#include "runtime/adapt/candidates.h"
#include "runtime/adapt/guard.h"
#include "runtime/adapt/trial.h"
#include "runtime/gate/version_gate.h"

#include <cstddef>
#include <cstdint>

namespace meld::adapt {

/// One version of a kernel.
struct KernelVersion {
  uint64_t object = 0; ///< kernel object: the address of its descriptor on the device
  LaunchSizes sizes;
  /// 0: the original. From kFirstSpecialised on: specialised, each kind once in a kernel. What else
  /// it is, the maker knows.
  uint8_t kind = 0;
  Guard guard = {}; ///< of a specialised version

  bool specialised() const;
};
inline constexpr uint8_t kFirstSpecialised = 64;
inline constexpr unsigned kMostSpecialised = 32; ///< kinds of a kernel, also of those that are gone
inline bool KernelVersion::specialised() const { return kind >= kFirstSpecialised; }
/// A set of specialised versions: a bit for each, by its kind.
using Guards = uint32_t;
constexpr Guards guardOf(uint8_t kind) {
  return kind < kFirstSpecialised ? 0 : Guards{1} << (kind - kFirstSpecialised) % kMostSpecialised;
}

/// What is known of a launch class from before.
struct KnownClass {
  uint32_t launchClass = 0;
  uint8_t winner = 0; ///< a KernelVersion::kind
  Guards guards = 0;  ///< those that hold in these launches
  bool open = false;  ///< there is a winner, and other versions are still to be tried
  double ratio = 1;   ///< winner / original
};
/// How far a version's duel with the original had come in a launch class, in launches for which no
/// guard holds.
struct KnownDuel {
  uint32_t launchClass = 0;
  uint8_t version = 0; ///< a KernelVersion::kind
  PastDuel past;
};
inline constexpr unsigned kClasses = 16; ///< of a kernel; in further ones the original runs
/// A kernel that is launched less often than this has no use for versions: a trial alone takes
/// three times as many launches.
inline constexpr unsigned kLaunchesBefore = Candidates::kLaunchesBefore;

/// What of a dispatch packet the choice depends on, and what it changes.
struct Dispatch {
  uint64_t object = 0;
  LaunchShape shape;
  uint32_t privateSegment = 0, groupSegment = 0;
  /// The argument block, and how much of it may be read; where looksAtArguments(), and where it is
  /// in the host's memory.
  const void *arguments = nullptr;
  size_t readable = 0;
};

/// Of a specialised version, also of one that is gone.
struct SpecialisedUse {
  uint64_t held = 0, failed = 0; ///< launches for which its guard did and did not hold
  uint64_t lastUsed = 0;         ///< the larger the later
};

} // namespace meld::adapt
