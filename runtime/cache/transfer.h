// Entries from a folder to a remote store and back: `meld cache push` and `meld cache pull`.
//
// A store cannot be listed, so push keeps a list there, under the key "manifest": the keys that were
// pushed, one a line. pull goes by it. What processes put there by themselves is not in it.
//
// Both can be broken off and started again: push leaves out what the store has, pull what the folder
// has. Two that push at the same time: the last list that is written may lack what the other one has
// pushed meanwhile; pushing again mends that.
//
// Only code goes, no measurements. With trusted keys only what they have signed. A wrong entry is told
// and left out, the others go on; a store that cannot be reached ends it, with what was done until then.
//
// Thread rule: any thread, one transfer at a time per store.
#pragma once

#include "runtime/cache/disk.h"
#include "runtime/cache/remote/remote.h"
#include "runtime/cache/signature.h"

namespace meld {

inline constexpr std::string_view kManifest = "manifest";

struct TransferWish {
  const TrustedKeys *trusted = nullptr; ///< null: signatures are not asked for
  bool dryRun = false;
  /// Before each entry: how many are done, of how many. May be empty.
  std::function<void(size_t done, size_t all)> progress = {};
};

struct Transferred {
  size_t moved = 0;
  size_t there = 0; ///< already
  size_t other = 0; ///< measurements
  uint64_t bytes = 0;
  std::vector<std::string> problems; ///< "KEY: why it was left out"
  /// The store could not be asked any more: not all was tried. Holds the error.
  std::optional<Error> broken;
};

/// Errors: of the folder, and the store's where nothing could be done at all.
Result<Transferred> pushEntries(DiskCache &from, RemoteStore &to, const TransferWish &wish);
Result<Transferred> pullEntries(RemoteStore &from, DiskCache &to, const TransferWish &wish);

} // namespace meld
