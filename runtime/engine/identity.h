// Which build of a library is this? For cache keys: two builds that may produce different code
// differ here.
#pragma once

#include "runtime/result.h"

#include <string>
#include <vector>

namespace meld {

/// The GNU build id of an ELF file ("build-id:<hex>"), read with a few bounded reads, without
/// loading it. Files without one are identified by size and modification time. Errors: notFound,
/// io.
Result<std::string> fileIdentity(const std::string &path);

/// Sonames in DT_NEEDED of an ELF file; empty when it cannot be read.
std::vector<std::string> neededLibraries(const std::string &path);

/// Where the dynamic linker has, or would find, a library: loaded objects first, then the given
/// folders, LD_LIBRARY_PATH, /etc/ld.so.cache (ldconfig(8)) and the usual folders. Empty when
/// nowhere. Does not load anything.
std::string findLibrary(const std::string &soname, const std::vector<std::string> &folders);

/// The file that holds this address; absolute. Empty when unknown.
std::string fileOfAddress(const void *address);

std::string folderOf(const std::string &path);

} // namespace meld
