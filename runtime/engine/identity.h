// Which build of a library is this? For cache keys: two builds that may produce different code
// differ here.
#pragma once

#include "runtime/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace meld {

/// The GNU build id of an ELF file ("build-id:<hex>"), read with a few bounded reads, without
/// loading it. Files without one are identified by size and modification time. Errors: notFound,
/// io.
Result<std::string> fileIdentity(const std::string &path);

/// What the dynamic linker reads in an ELF64 file of x86-64.
struct DynamicSection {
  std::vector<std::string> needed; ///< DT_NEEDED
  std::string soname;              ///< DT_SONAME
  std::string rpath, runpath;      ///< DT_RPATH, DT_RUNPATH: folders with colons between
  std::string interpreter;         ///< PT_INTERP; empty in libraries and static programs
  bool dynamic = false;            ///< there is such a section
};

/// With a few bounded reads. Errors: notFound, io, unsupported (no such ELF file).
Result<DynamicSection> dynamicSection(const std::string &path);

/// An ELF file has a section of that name; from its headers alone. False where it cannot be read.
bool hasSection(const std::string &path, std::string_view name);

/// Sonames in DT_NEEDED of an ELF file; empty when it cannot be read.
std::vector<std::string> neededLibraries(const std::string &path);

/// Where the dynamic linker has, or would find, a library: loaded objects first, then the given
/// folders, LD_LIBRARY_PATH, /etc/ld.so.cache (ldconfig(8)) and the usual folders. Empty when
/// nowhere. Does not load anything.
std::string findLibrary(const std::string &soname, const std::vector<std::string> &folders);

std::string folderOf(const std::string &path);
std::string fileNameOf(const std::string &path); ///< behind the last slash

} // namespace meld
