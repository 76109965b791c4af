// Folders that killed compiles leave behind.
//
// comgr works in folders comgr-XXXXXX of the machine's folder for temporary files, and removes them
// at the end of an action. A process that is killed, or that ends while it compiles, leaves one:
//
//   comgr-1a2b3c/input/meld-unit0.bc     our name for the input (jit/comgr.cpp), by which the
//               /output/...  /include/   folder is known to be ours
//
// What goes belongs to this user, holds an input of our name, is built as above and holds nothing
// else, and nothing in it has changed for an hour. A compile that is still at work on an older one
// fails, and the original code runs.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace meld {

/// The names of our inputs begin so.
inline constexpr std::string_view kCompilerInput = "meld-unit";

/// Where LLVM puts temporary files: $TMPDIR, $TMP, $TEMP, $TEMPDIR, /tmp.
std::string temporaryFolder();

/// Removes at most 100 such folders, of the first 10000 names in `parent`; no symbolic link is
/// followed. Returns how many went. Errors are silent: the next process tries again.
unsigned removeOldCompilerFolders(const std::string &parent, time_t now) noexcept;

} // namespace meld
