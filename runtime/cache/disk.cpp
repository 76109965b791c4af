#include "runtime/cache/disk.h"

#include "runtime/host/confinement.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr const char *kVersionFolder = "v2";
constexpr const char *kLocksFolder = "locks";
constexpr const char *kHex = "0123456789abcdef";
constexpr int64_t kUseResolution = 60;
constexpr int64_t kStaleTemporary = 3600;

bool isHexDigit(const std::string &name) {
  return name.size() == 1 && std::string_view(kHex).find(name[0]) != std::string_view::npos;
}

/// What killed holders left. They are not opened: closing one would let go of a lock of ours.
void removeOldLocks(const Descriptor &locks) {
  auto names = namesIn(locks);
  if (!names)
    return;
  const int64_t now = std::time(nullptr);
  for (const std::string &name : *names) {
    struct stat info;
    if (!::fstatat(locks.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) &&
        now - info.st_mtime > kStaleTemporary)
      ::unlinkat(locks.get(), name.c_str(), 0);
  }
}

/// The whole file, when its head is that of an entry.
Result<Bytes> readEntryFile(const Descriptor &folder, const std::string &name, const CacheKey *key,
                            uint64_t maxCodeObject) {
  auto file = MELD_TRY(openFileAt(folder, name, kMaxEntryFile));
  auto head = readPart(file, 0, std::min<uint64_t>(file.size, kEntryHead));
  if (!head)
    return head;
  MELD_TRY(checkEntryHead(*head, file.size, key, maxCodeObject));
  return readPart(file, 0, file.size);
}

} // namespace

DiskCache::DiskCache(DiskCacheOptions options) : options_(std::move(options)) {
  if (options_.directory.empty())
    turnOff(
        "no folder for the cache: MELD_CACHE_DIR, XDG_CACHE_HOME and HOME give no absolute path");
}

std::string DiskCache::chooseDirectory(const std::string &configured, const char *xdgCacheHome,
                                       const char *home) {
  if (!configured.empty())
    return configured;
  // XDG: a relative path in these variables is invalid and must be ignored.
  if (xdgCacheHome && xdgCacheHome[0] == '/')
    return std::string(xdgCacheHome) + "/libmeld";
  if (home && home[0] == '/')
    return std::string(home) + "/.cache/libmeld";
  return {};
}

void DiskCache::turnOff(const std::string &why) {
  if (!off_.exchange(true) && options_.warn)
    options_.warn("cache off for this process: " + why);
}

bool DiskCache::mayWrite() const noexcept { return !options_.readonly && !confinedSince(); }

Result<Descriptor> DiskCache::root(bool create) {
  create = create && !options_.readonly;
  auto base = openCacheDirectory(options_.directory, create);
  if (!base)
    return base;
  return openSubdirectory(*base, kVersionFolder, create);
}

Result<Descriptor> DiskCache::folderOf(const std::string &name, bool create) {
  auto base = MELD_TRY(root(create));
  auto first = openSubdirectory(base, name.substr(0, 1), create);
  if (!first)
    return first;
  return openSubdirectory(*first, name.substr(1, 1), create);
}

std::optional<CacheEntry> DiskCache::load(const CacheKey &key, uint64_t maxCodeObject) {
  if (!usable())
    return std::nullopt;
  std::string name = key.hex();
  auto folder = folderOf(name, false);
  if (!folder) {
    if (folder.error().code != ErrorCode::notFound)
      turnOff(folder.error().message);
    return std::nullopt;
  }
  auto file = readEntryFile(*folder, name, &key, maxCodeObject);
  Result<CacheEntry> entry =
      file ? readEntry(*file, &key) : Result<CacheEntry>(tl::unexpected(file.error()));
  if (!entry) {
    switch (entry.error().code) {
    case ErrorCode::notFound:
      break;
    case ErrorCode::io:
      turnOff(entry.error().message);
      break;
    default: {
      ++damaged_;
      const bool remove = mayWrite();
      if (options_.warn)
        options_.warn("damaged cache entry " + name + ": " + entry.error().message +
                      (remove ? "; removed" : ""));
      if (remove)
        ::unlinkat(folder->get(), name.c_str(), 0);
    }
    }
    return std::nullopt;
  }
  if (!options_.readonly) {
    struct stat info;
    int64_t now = std::time(nullptr);
    // Also when the time lies in the future: the clock may have been set back.
    if (!::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) &&
        (now - info.st_mtime > kUseResolution || info.st_mtime > now) && mayWrite())
      ::utimensat(folder->get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  return std::move(*entry);
}

bool DiskCache::store(const CacheEntry &entry) {
  if (!usable() || !mayWrite())
    return false;
  auto bytes = writeEntry(entry);
  if (!bytes) {
    if (options_.warn)
      options_.warn("not cached: " + bytes.error().message);
    return false;
  }
  std::string name = entry.key.hex();
  auto folder = folderOf(name, true);
  if (!folder) {
    turnOff(folder.error().message);
    return false;
  }
  if (auto ok = writeFileAt(*folder, name, *bytes); !ok) {
    turnOff(ok.error().message);
    return false;
  }
  ++stores_;
  return true;
}

void DiskCache::markTried(const CacheKey &key) {
  if (!usable() || !mayWrite())
    return;
  const std::string name = key.hex();
  auto folder = folderOf(name, false);
  auto file = folder ? readEntryFile(*folder, name, &key, kMaxCodeObject)
                     : Result<Bytes>(tl::unexpected(folder.error()));
  auto changed = file ? withVerdict(std::move(*file), Verdict::replaced) : std::move(file);
  if (!changed) // gone or damaged meanwhile: the next load sees to it
    return;
  if (auto ok = writeFileAt(*folder, name, *changed); !ok)
    turnOff(ok.error().message);
}

FileLock DiskCache::lock(const CacheKey &key, std::chrono::milliseconds wait,
                         const std::atomic<bool> *stop) {
  if (!usable() || !mayWrite())
    return {};
  auto base = root(true);
  if (!base) {
    turnOff(base.error().message);
    return {};
  }
  auto folder = openSubdirectory(*base, kLocksFolder, true);
  if (!folder)
    return {};
  return FileLock::acquire(std::move(*folder), key.hex(), wait, stop);
}

Result<std::vector<CacheFile>> DiskCache::list() {
  std::vector<CacheFile> files;
  auto base = root(false);
  if (!base) {
    if (base.error().code == ErrorCode::notFound)
      return files;
    return tl::unexpected(base.error());
  }
  auto firsts = MELD_TRY(namesIn(*base));
  for (const std::string &first : firsts) {
    if (!isHexDigit(first))
      continue;
    auto level = openSubdirectory(*base, first, false);
    auto seconds = level ? namesIn(*level) : std::vector<std::string>{};
    if (!seconds)
      continue;
    for (const std::string &second : *seconds) {
      if (!isHexDigit(second))
        continue;
      auto folder = openSubdirectory(*level, second, false);
      auto names = folder ? namesIn(*folder) : std::vector<std::string>{};
      if (!names)
        continue;
      for (const std::string &name : *names) {
        struct stat info;
        if (::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW))
          continue; // removed meanwhile
        CacheFile file;
        file.name = name;
        file.size = info.st_size;
        file.used = info.st_mtime;
        file.temporary = name.rfind(kTemporaryPrefix, 0) == 0;
        if (!file.temporary && !CacheKey::fromHex(name))
          continue; // not ours: neither counted nor touched
        if (file.temporary)
          file.name = first + second + "/" + name;
        files.push_back(std::move(file));
      }
    }
  }
  return files;
}

Result<CacheEntryHeader> DiskCache::header(const std::string &name) {
  auto key = MELD_TRY(CacheKey::fromHex(name));
  auto folder = MELD_TRY(folderOf(name, false));
  auto file = MELD_TRY(readEntryFile(folder, name, &key, kMaxCodeObject));
  auto entry = readEntry(file, &key); // the code object must unpack, too
  if (!entry)
    return tl::unexpected(entry.error());
  return readEntryHeader(file);
}

Result<CacheTotals> DiskCache::totals() {
  auto files = MELD_TRY(list());
  CacheTotals totals;
  for (const CacheFile &file : files) {
    totals.bytes += file.size;
    if (file.temporary)
      continue;
    ++totals.entries;
    auto entry = header(file.name);
    if (!entry)
      ++totals.damaged;
    else if (entry->verdict == Verdict::measured)
      ++totals.measured;
    else if (entry->verdict != Verdict::unchanged)
      ++totals.replaced;
    else
      ++totals.unchanged;
  }
  return totals;
}

Result<void> DiskCache::remove(const std::string &name) {
  // Temporary files are listed as "ab/.tmp...": folder digits, then the name.
  std::string file = name;
  if (size_t slash = name.find('/'); slash == 2 && name.rfind('/') == slash)
    file = name.substr(3);
  else if (auto key = CacheKey::fromHex(name); !key)
    return tl::unexpected(key.error());
  auto folder = MELD_TRY(folderOf(name, false));
  if (::unlinkat(folder.get(), file.c_str(), 0) && errno != ENOENT)
    return fail(ErrorCode::io, errnoText("removing " + name, errno));
  return {};
}

Result<std::vector<CacheFile>> DiskCache::prune(uint64_t limit, bool dryRun) {
  std::vector<CacheFile> gone;
  auto base = root(false);
  if (!base) {
    if (base.error().code == ErrorCode::notFound)
      return gone;
    return tl::unexpected(base.error());
  }
  if (!dryRun) {
    auto locks = MELD_TRY(openSubdirectory(*base, kLocksFolder, true));
    removeOldLocks(locks);
    FileLock cleaner = FileLock::acquire(std::move(locks), "cleaner", std::chrono::milliseconds(0));
    if (!cleaner.held())
      return gone;
    auto result = prune(limit, true);
    if (!result)
      return result;
    for (const CacheFile &file : *result)
      if (auto ok = remove(file.name); ok)
        gone.push_back(file);
    return gone;
  }
  auto files = MELD_TRY(list());
  int64_t now = std::time(nullptr);
  uint64_t total = 0;
  for (CacheFile &file : files) {
    total += file.size;
    file.used = std::min(file.used, now); // a clock set back must not make entries immortal
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const CacheFile &a, const CacheFile &b) { return a.used < b.used; });
  for (const CacheFile &file : files) {
    bool stale = file.temporary && now - file.used > kStaleTemporary;
    if (!stale && (file.temporary || total <= limit))
      continue;
    total -= file.size;
    gone.push_back(file);
  }
  return gone;
}

Result<std::vector<std::pair<CacheFile, std::string>>> DiskCache::verify(bool dryRun) {
  auto files = MELD_TRY(list());
  std::vector<std::pair<CacheFile, std::string>> bad;
  for (const CacheFile &file : files) {
    if (file.temporary)
      continue;
    auto entry = header(file.name);
    if (entry || entry.error().code == ErrorCode::notFound)
      continue;
    bad.emplace_back(file, entry.error().message);
    if (!dryRun)
      MELD_TRY(remove(file.name));
  }
  return bad;
}

void DiskCache::cleanIfNeeded() noexcept {
  try {
    if (!usable() || !options_.maxSize || !stores_ || !mayWrite())
      return;
    auto files = list();
    if (!files)
      return;
    uint64_t total = 0;
    for (const CacheFile &file : *files)
      total += file.size;
    if (total > options_.maxSize)
      (void)prune(options_.maxSize / 10 * 9);
  } catch (...) {
  }
}

} // namespace meld
