// What MELD_PROFILE knows of a code object (runtime/profile/profile.h), and what it means for how the
// object is compiled.
//
//   MELD_PROFILE=FILE   read once, when the process starts
//   MELD_PROFILE=auto   <cache folder>/profiles/<hash>.meldprof, where `meld profile -o auto` put it
//
// Whatever is wrong with a profile is one line in the log, and then there is none.
// Thread rule: immutable once made, but for that line.
#pragma once

#include "runtime/codeobject/codeobject.h"
#include "runtime/engine/compiler.h"
#include "runtime/profile/profile.h"
#include "runtime/settings/settings.h"

#include <set>

namespace meld {

/// By which a profile finds an object again: its content, as far as it decides what is compiled.
std::string profiledHash(ByteView codeObject);

/// The version of a kernel in which what runs is counted.
VersionWanted countedVersion(const std::string &kernel);

/// The folder of `auto`; empty: there is no cache folder.
std::string profileFolder(const Settings &settings);

class KnownProfile {
public:
  explicit KnownProfile(const Settings &settings);

  bool asked() const { return !from_.empty(); }
  /// profile::objectText() of the object, or "".
  std::string of(ByteView codeObject) const;

private:
  std::string from_;   ///< the setting
  std::string folder_; ///< of `auto`
  profile::Profile profile_;
  bool readable_ = false;
};

/// The kernels that are worth a compile of their own, beside the original: those that ran, where most
/// of the object's code did not. Nothing: the object is compiled as a whole. Empty: none ran.
/// A kernel that the profile does not know may run.
std::optional<std::set<std::string>> hotMinority(const CodeObject &object,
                                                 const profile::Object &profile);

} // namespace meld
