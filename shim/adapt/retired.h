// Versions whose originals are gone. They are unloaded when no launch of theirs can be under way,
// and nobody waits for that: whoever unloads the next executable looks at what has become free.
//
//   destroy A: its versions retire, stream 1 still runs one        retired: {A}
//   destroy B: nothing of B's is under way; A's launch is over     retired: {}, both unloaded
//
// Thread rule: any thread. No lock is held while ROCr unloads.
#pragma once

#include "shim/adapt/load_version.h"
#include "shim/adapt/queue_hooks.h"

namespace meld::adapt {

class RetiredVersions {
public:
  /// Before their original is destroyed, and after its kernels have left the table. Without memory
  /// they stay the caller's.
  void add(std::vector<LoadedVersion> &versions);
  /// Behind the destruction: what is not under way any more.
  std::vector<LoadedVersion> takeOver();
  /// ROCr is gone, and with it what it has loaded.
  void forget() noexcept;

private:
  struct Group {
    std::vector<LoadedVersion> versions;
    std::vector<UnderWay> launches;
  };
  std::mutex lock_;
  std::vector<Group> groups_;
};

/// The process's, never destroyed.
RetiredVersions &retiredVersions() noexcept;

} // namespace meld::adapt
