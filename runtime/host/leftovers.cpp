#include "runtime/host/leftovers.h"

#include "runtime/host/descriptor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace meld {
namespace {

constexpr std::string_view kPrefix = "comgr-";
constexpr size_t kDigits = 6; // LLVM replaces each % of "comgr-%%%%%%" by one
constexpr time_t kOld = 60 * 60;
constexpr size_t kMostNames = 10000, kMostFolders = 100, kMostFiles = 1000;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

bool isComgrName(std::string_view name) {
  return name.size() == kPrefix.size() + kDigits && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == name.npos;
}

std::vector<std::string> namesIn(int folder, size_t most) {
  std::vector<std::string> names;
  const int fd = ::openat(folder, ".", kFolderFlags);
  std::unique_ptr<DIR, decltype([](DIR *open) { ::closedir(open); })> stream(
      fd < 0 ? nullptr : ::fdopendir(fd));
  if (!stream) {
    if (fd >= 0)
      ::close(fd);
    return names;
  }
  while (dirent *entry = ::readdir(stream.get())) {
    if (names.size() == most)
      break;
    if (std::strcmp(entry->d_name, ".") && std::strcmp(entry->d_name, ".."))
      names.emplace_back(entry->d_name);
  }
  return names;
}

/// One folder of comgr's, looked at as a whole before anything goes.
class Leftover {
public:
  Leftover(int parent, const std::string &name, time_t now)
      : parent_(parent), name_(name), before_(now - kOld),
        folder_(::openat(parent, name.c_str(), kFolderFlags)) {}

  /// Ours, old, and nothing in it that comgr does not make.
  bool mayGo() {
    bool ours = false;
    if (!folder_ || !isOldAndOurs(folder_.get(), S_IFDIR))
      return false;
    for (const std::string &part : namesIn(folder_.get(), kMostFiles)) {
      if (part != "input" && part != "output" && part != "include")
        return false;
      Descriptor inside(::openat(folder_.get(), part.c_str(), kFolderFlags));
      if (!inside || !isOldAndOurs(inside.get(), S_IFDIR))
        return false;
      for (const std::string &file : namesIn(inside.get(), kMostFiles)) {
        struct stat info;
        if (::fstatat(inside.get(), file.c_str(), &info, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || info.st_mtime > before_)
          return false;
        ours |= part == "input" && file.starts_with(kCompilerInput);
      }
      parts_.emplace_back(part, std::move(inside));
    }
    return ours;
  }

  bool remove() {
    for (auto &[part, inside] : parts_) {
      for (const std::string &file : namesIn(inside.get(), kMostFiles))
        ::unlinkat(inside.get(), file.c_str(), 0);
      ::unlinkat(folder_.get(), part.c_str(), AT_REMOVEDIR);
    }
    return ::unlinkat(parent_, name_.c_str(), AT_REMOVEDIR) == 0;
  }

private:
  bool isOldAndOurs(int fd, mode_t type) const {
    struct stat info;
    return !::fstat(fd, &info) && (info.st_mode & S_IFMT) == type && info.st_uid == ::geteuid() &&
           info.st_mtime <= before_;
  }

  int parent_;
  const std::string &name_;
  time_t before_;
  Descriptor folder_;
  std::vector<std::pair<std::string, Descriptor>> parts_;
};

} // namespace

std::string temporaryFolder() {
  for (const char *name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char *value = ::secure_getenv(name))
      return value;
  return "/tmp";
}

unsigned removeOldCompilerFolders(const std::string &parent, time_t now) noexcept {
  unsigned gone = 0;
  try {
    Descriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
    if (!folder)
      return 0;
    for (const std::string &name : namesIn(folder.get(), kMostNames)) {
      if (!isComgrName(name) || gone == kMostFolders)
        continue;
      Leftover leftover(folder.get(), name, now);
      gone += leftover.mayGo() && leftover.remove();
    }
  } catch (...) {
  }
  return gone;
}

} // namespace meld
