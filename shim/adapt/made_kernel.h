// A kernel of an original, what has been made of it, and what was found out about that.
//
// Thread rule: none of its own.
#pragma once

#include "jit/variant/recipes.h"
#include "runtime/adapt/verdicts.h"
#include "runtime/cache/key.h"
#include "runtime/codeobject/metadata.h"
#include "runtime/settings/settings.h"
#include "shim/adapt/kernel_table.h"
#include "shim/adapt/load_version.h"

#include <map>
#include <set>

namespace meld::adapt {

/// For the report and the line at exit.
struct MeasuredKernel {
  std::string name;
  KernelVerdict verdict;
  Budget budget; ///< nanoseconds
};

/// A version that was asked for because launches had something in common. Its kind is its place.
struct SpecialisedVersion {
  SpecialisedVerdict verdict;
  LoadedVersion loaded; ///< without an executable: it is not loaded
  bool isLoaded() const { return loaded.executable.handle != 0; }
};
constexpr uint8_t kindOfSpecialised(size_t place) {
  return static_cast<uint8_t>(kFirstSpecialised + place);
}

struct MadeKernel {
  std::string name;
  KernelVersion version; ///< the original
  size_t argumentBytes = 0;
  std::vector<KnownClass> known;
  KernelVerdict verdict;                            ///< from before
  std::array<bool, std::size(jit::recipes)> done{}; ///< made, or found to give nothing
  std::vector<std::string> made;
  std::map<std::string, std::string> refused;
  std::vector<LoadedVersion> loaded; ///< of `made`
  /// Of `made`: those that the host cannot be given, so that packets have to be looked at for them.
  std::set<std::string> packetsOnly;
  std::vector<SpecialisedVersion> specialised;
  bool failed = false;  ///< a recipe, or what was asked for, for a reason that may pass
  bool open = false;    ///< recipes are still to be made
  bool nothing = false; ///< no recipe gives a version, as earlier runs have found out
  bool stopped = false; ///< recipes are left out as long as a place is kept for specialised ones

  bool tried() const;
  /// Another run may find a version that was not made in this one.
  bool isOpen() const { return failed || open; }
  /// Loaded beside the original.
  size_t versions() const;
  size_t specialisedVersions() const;
};

/// An executable's code object, and what has been made of its kernels.
struct MadeOriginal {
  LoadedKernel in; ///< executable and agent
  unsigned objects = 0;
  Bytes bytes;
  CacheKey verdictKey;
  bool known = false; ///< there is an entry of verdicts, if perhaps an empty one
  bool gone = false;  ///< guarded by VersionMaker::loading_
  /// The vector does not change once the executable is frozen; a kernel's content is the maker's
  /// thread's, under VersionMaker::loading_.
  std::vector<MadeKernel> kernels;
};

/// What its launches may have in common; null where nothing is to be specialised
/// (MELD_SPECIALIZE, MELD_KERNEL_INCLUDE, MELD_KERNEL_EXCLUDE).
std::unique_ptr<Candidates> candidatesFor(const KernelMetadata &kernel, const KernelVerdict &before,
                                          const Settings &settings);

/// What was found out about the kernel in this process and before.
MeasuredKernel verdictOf(const MadeKernel &kernel);

} // namespace meld::adapt
