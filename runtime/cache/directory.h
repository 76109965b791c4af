// Folders and files of the cache, reached only through descriptors: no path is walked twice, no
// symbolic link is followed, nothing is mapped.
#pragma once

#include "runtime/codeobject/bytes.h"
#include "runtime/host/descriptor.h"
#include "runtime/host/new_file.h"

#include <sys/stat.h>
#include <sys/types.h>

namespace meld {

/// Whose folders and files may be believed: ours, and those of the users named. Never those that group
/// or others can write.
struct Owners {
  bool anybody = false; ///< whoever owns or writes them: something else protects what they hold
  std::vector<uid_t> others = {}; ///< besides this process's user
  bool accept(const struct stat &info) const;
};

/// Opens the cache folder. Refused (badInput): a relative path, a symbolic link, something that is
/// not a folder, a folder of another user, a folder that group or others can write. With `create`
/// missing folders are made, 0700. Errors: notFound (only without `create`), io.
Result<Descriptor> openCacheDirectory(const std::string &path, bool create,
                                      const Owners &owners = {});

/// A folder below one that was opened so; the same rules. One that is made can be read by whoever can
/// read its parent (and the umask lets). errno-style: notFound or io.
Result<Descriptor> openSubdirectory(const Descriptor &parent, const std::string &name, bool create,
                                    const Owners &owners = {});

/// A regular file of ours that was opened for reading: what a reader may trust before it takes
/// memory for it.
struct OpenFile {
  Descriptor descriptor;
  uint64_t size = 0;    ///< bytes
  int64_t modified = 0; ///< seconds since 1970
};

/// Errors: notFound, io, badInput (symbolic link, not a regular file, not ours, larger than
/// `limit`, or with holes: what was written in one go has none, and a hole costs nobody anything
/// but us).
Result<OpenFile> openFileAt(const Descriptor &directory, const std::string &name, uint64_t limit,
                            const Owners &owners = {});

/// The same by a path, in as few operations as there can be, for folders of a file server: links of
/// folders are followed, the file's own owner and mode have to do, and holes are not looked for.
Result<OpenFile> openFileByPath(const std::string &path, uint64_t limit, const Owners &owners);

/// `size` bytes from `offset` on. Errors: io, badInput (it ends before).
Result<Bytes> readPart(const OpenFile &file, uint64_t offset, uint64_t size);

/// Temporary file and rename (runtime/host/new_file.h). Whoever can read the folder can read the file, as
/// far as the umask lets.
Result<void> writeFileAt(const Descriptor &directory, const std::string &name, ByteView bytes);

/// Names in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> namesIn(const Descriptor &directory);

} // namespace meld
