// Where compiled code is kept, and whether that place is a good one.
#include "shim/cli/doctor/checks.h"

#include "runtime/cache/disk.h"
#include "runtime/host/human_size.h"

#include <sys/statvfs.h>

namespace meld::doctor {
namespace {

struct FileSystem {
  uint32_t type;
  const char *name;
};
// linux/magic.h; the others from their own sources.
constexpr FileSystem kNetwork[] = {
    {0x6969, "NFS"},        {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"},    {0x517B, "SMB"},
    {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"},
    {0x5346414F, "AFS"},    {0x6B414653, "AFS"},  {0x01021997, "9P"},     {0x73757245, "Coda"},
    {0x7461636F, "OCFS2"},  {0x01161970, "GFS2"}, {0xAAD7AAEA, "PanFS"},  {0x20030528, "OrangeFS"},
    {0x65735546, "FUSE"},
};

/// The folder itself, or the nearest above it that is there.
std::string nearestThere(std::string path) {
  struct statvfs info;
  while (::statvfs(path.c_str(), &info) && path.size() > 1)
    path = folderOf(path);
  return path;
}

} // namespace

std::string networkFileSystem(uint64_t type) {
  for (const FileSystem &system : kNetwork)
    if (system.type == type)
      return system.name;
  return {};
}

Findings checkCache(const Surroundings &around, const std::string &directory, bool readonly,
                    uint64_t maxSize) {
  if (directory.empty())
    return {{Health::problem, "cache",
             "no folder: MELD_CACHE_DIR, XDG_CACHE_HOME and HOME give no absolute path",
             "set MELD_CACHE_DIR to an absolute path, or MELD_CACHE=0"}};
  Findings out;
  DiskCacheOptions options;
  options.directory = directory;
  DiskCache disk(options);
  auto opened = openCacheDirectory(directory, false);
  if (!opened && opened.error().code != ErrorCode::notFound)
    return {{Health::problem, "cache", opened.error().message,
             "set MELD_CACHE_DIR to a folder of this user that nobody else may write to"}};
  if (auto totals = disk.totals(); !totals)
    return {{Health::problem, "cache", totals.error().message, ""}};
  else if (totals->damaged)
    out.push_back({Health::problem, "cache",
                   directory + ": " + std::to_string(totals->damaged) + " of " +
                       std::to_string(totals->entries + totals->damaged) + " entries are damaged",
                   "meld cache verify removes them"});
  else
    out.push_back({Health::ok, "cache",
                   directory + ": " + std::to_string(totals->entries) + " entries, " +
                       humanSize(totals->bytes) + (readonly ? ", read only" : ""),
                   ""});

  const std::string place = nearestThere(directory);
  if (const auto type = around.fileSystem(place))
    if (const std::string name = networkFileSystem(*type); !name.empty()) {
      const bool local = name == "FUSE"; // may be anything
      out.push_back({Health::warn, "cache file system",
                     directory + " is on " + name +
                         (local ? ", which may be a network's" : ", a network's file system") +
                         ": every process of a job reads and writes there",
                     "set MELD_CACHE_DIR to a folder of the node ($TMPDIR, /dev/shm)"});
    }
  struct statvfs info;
  if (!readonly && !::statvfs(place.c_str(), &info)) {
    const uint64_t free = uint64_t(info.f_bavail) * info.f_frsize;
    constexpr uint64_t kLittle = uint64_t(64) << 20;
    if (free < kLittle)
      out.push_back({Health::warn, "cache room",
                     humanSize(free) + " are free for " + directory + ", whose limit is " +
                         (maxSize ? humanSize(maxSize) : "none"),
                     "make room, or set MELD_CACHE_DIR to another folder"});
  }
  return out;
}

} // namespace meld::doctor
