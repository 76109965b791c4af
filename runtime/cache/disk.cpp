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
Result<Bytes> readEntryFile(const OpenFile &file, const CacheKey *key, uint64_t maxCodeObject) {
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
    options_.warn(options_.name + " off for this process: " + why);
}

bool DiskCache::mayWrite() const noexcept { return !options_.readonly && !confinedSince(); }

Result<Descriptor> DiskCache::root(bool create) {
  create = create && !options_.readonly;
  auto base = openCacheDirectory(options_.directory, create, options_.owners);
  if (!base)
    return base;
  return openSubdirectory(*base, kVersionFolder, create, options_.owners);
}

Result<Descriptor> DiskCache::folderOf(const std::string &name, bool create) {
  auto base = MELD_TRY(root(create));
  auto first = openSubdirectory(base, name.substr(0, 1), create, options_.owners);
  if (!first)
    return first;
  return openSubdirectory(*first, name.substr(1, 1), create, options_.owners);
}

/// An entry's file; not yet what admit says of it.
Result<DiskCache::ReadFile> DiskCache::read(const CacheKey &key, uint64_t maxCodeObject) {
  const std::string name = key.hex();
  ReadFile file;
  if (options_.network) {
    file.open = MELD_TRY(openFileByPath(options_.directory + "/" + kVersionFolder + "/" + name[0] +
                                            "/" + name[1] + "/" + name,
                                        kMaxEntryFile, options_.owners));
  } else {
    const auto folder = folderOf(name, false);
    if (!folder) {
      // Not an entry's fault: a folder that must not be used ends it, as an error of the disk does.
      const Error &error = folder.error();
      return fail(error.code == ErrorCode::notFound ? error.code : ErrorCode::io, error.message);
    }
    file.open = MELD_TRY(openFileAt(*folder, name, kMaxEntryFile, options_.owners));
  }
  file.bytes = MELD_TRY(readEntryFile(file.open, &key, maxCodeObject));
  return file;
}

std::optional<CacheEntry> DiskCache::load(const CacheKey &key, uint64_t maxCodeObject,
                                          Bytes *bytes) {
  if (!usable())
    return std::nullopt;
  const std::string name = key.hex();
  auto file = read(key, maxCodeObject);
  if (file && options_.admit)
    if (const auto admitted = options_.admit(file->bytes, key); !admitted) {
      if (!refused_.exchange(true) && options_.warn)
        options_.warn(options_.name + ": entry " + name +
                      " is not used: " + admitted.error().message + " (further ones are not told)");
      return std::nullopt;
    }
  Result<CacheEntry> entry =
      file ? readEntry(file->bytes, &key) : Result<CacheEntry>(tl::unexpected(file.error()));
  if (!entry) {
    switch (entry.error().code) {
    case ErrorCode::notFound:
      break;
    case ErrorCode::io:
      turnOff(entry.error().message);
      break;
    default: {
      ++damaged_;
      const auto folder =
          mayWrite() ? folderOf(name, false) : Result<Descriptor>(fail(ErrorCode::unsupported, ""));
      if (options_.warn)
        options_.warn("damaged " + options_.name + " entry " + name + ": " + entry.error().message +
                      (folder ? "; removed" : ""));
      if (folder)
        ::unlinkat(folder->get(), name.c_str(), 0);
    }
    }
    return std::nullopt;
  }
  const int64_t now = std::time(nullptr), used = file->open.modified;
  // Also when the time lies in the future: the clock may have been set back.
  if (!options_.readonly && !options_.network && (now - used > kUseResolution || used > now) &&
      mayWrite())
    ::futimens(file->open.descriptor.get(), nullptr);
  if (bytes)
    *bytes = std::move(file->bytes);
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
  return storeFile(entry.key, *bytes);
}

bool DiskCache::storeFile(const CacheKey &key, ByteView file) {
  if (!usable() || !mayWrite())
    return false;
  const std::string name = key.hex();
  auto folder = folderOf(name, true);
  if (!folder) {
    turnOff(folder.error().message);
    return false;
  }
  if (auto ok = writeFileAt(*folder, name, file); !ok) {
    turnOff(ok.error().message);
    return false;
  }
  ++stores_;
  return true;
}

bool DiskCache::markTried(const CacheKey &key) {
  if (!usable() || !mayWrite())
    return false;
  auto file = read(key, kMaxCodeObject);
  auto changed = file ? withVerdict(std::move(file->bytes), Verdict::replaced)
                      : Result<Bytes>(tl::unexpected(file.error()));
  if (!changed) // gone or damaged meanwhile: the next load sees to it
    return false;
  const auto folder = folderOf(key.hex(), false);
  if (!folder)
    return false;
  if (auto ok = writeFileAt(*folder, key.hex(), *changed); !ok)
    turnOff(ok.error().message);
  return true;
}

FileLock DiskCache::lock(const CacheKey &key, std::chrono::milliseconds wait,
                         const std::atomic<bool> *stop) {
  if (!usable() || !mayWrite() || options_.network)
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
    auto level = openSubdirectory(*base, first, false, options_.owners);
    auto seconds = level ? namesIn(*level) : std::vector<std::string>{};
    if (!seconds)
      continue;
    for (const std::string &second : *seconds) {
      if (!isHexDigit(second))
        continue;
      auto folder = openSubdirectory(*level, second, false, options_.owners);
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

Result<Bytes> DiskCache::file(const std::string &name) {
  auto key = MELD_TRY(CacheKey::fromHex(name));
  auto file = MELD_TRY(read(key, kMaxCodeObject));
  auto entry = readEntry(file.bytes, &key); // the code object must unpack, too
  if (!entry)
    return tl::unexpected(entry.error());
  if (options_.admit)
    MELD_TRY(options_.admit(file.bytes, key));
  return std::move(file.bytes);
}

Result<CacheEntryHeader> DiskCache::header(const std::string &name) {
  return readEntryHeader(MELD_TRY(file(name)));
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
    FileLock cleaner;
    if (!options_.network) { // there two of them find the same files gone
      auto locks = MELD_TRY(openSubdirectory(*base, kLocksFolder, true));
      removeOldLocks(locks);
      cleaner = FileLock::acquire(std::move(locks), "cleaner", std::chrono::milliseconds(0));
      if (!cleaner.held())
        return gone;
    }
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
    if (!usable() || !options_.cleans || !options_.maxSize || !stores_ || !mayWrite())
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
