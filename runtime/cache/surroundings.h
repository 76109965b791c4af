// Where a process runs, as far as the cache asks: under a batch system or not, and on what kind of
// file system a folder lies.
//
// The default folder of a cache lies in the user's home. In a job of ten thousand processes that home
// is one file server, and all of them ask it for the same files in the same second. So the layers of
// the cache (layers.h) differ there.
//
// Both questions go through a seam: tests answer them. Thread rule: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace meld {

/// A variable of the environment; null where it is unset.
using Variable = std::function<const char *(const char *name)>;

/// The batch system or launcher that has started this process, by the variables that it sets: "SLURM",
/// "PBS", "LSF", "Flux", "PMI". Empty: none.
std::string batchSystem(const Variable &variable);

enum class FileSystemClass : uint8_t {
  local,   ///< a disk of this machine, or one that nobody here has heard of
  memory,  ///< tmpfs, ramfs: what is written takes the machine's memory
  network, ///< other machines see it, too, and a file server answers
};

/// By the magic number of statfs(2).
FileSystemClass classOfFileSystem(uint64_t magic) noexcept;
/// Its name for people ("NFS", "Lustre"); empty where it has none here.
const char *nameOfFileSystem(uint64_t magic) noexcept;

struct FileSystem {
  FileSystemClass kind = FileSystemClass::local;
  std::string name;       ///< nameOfFileSystem()
  uint64_t freeBytes = 0; ///< for users
};
/// Of the folder, or of the nearest one above it that is there. One call of statfs for each that is not.
FileSystem fileSystemOf(const std::string &folder);

} // namespace meld
