// The disk cache: a folder of entries that any number of processes share.
//
//   <directory>/v2/<a>/<b>/<key in hex>     a, b: the key's first two hex digits
//   <directory>/v2/locks/<key in hex>       single flight (lock.h), and "cleaner"
//
// No descriptor is kept from one call to the next: the application may close it and use its number.
// Thread-safe. Every error of the disk gives one warning through `warn` and turns the cache off for
// the process; an entry that does not check out is removed and counted as damaged, and is a miss.
// Modification time is the time of last use; an entry's use is recorded at most once a minute.
#pragma once

#include "runtime/cache/entry.h"
#include "runtime/cache/lock.h"

#include <atomic>
#include <functional>
#include <optional>

namespace meld {

struct DiskCacheOptions {
  std::string directory;
  uint64_t maxSize = uint64_t(2) << 30; ///< bytes; 0: no limit
  bool readonly = false;
  std::function<void(const std::string &)> warn;
};

struct CacheFile {
  std::string name;  ///< the key in hex, or the name of something that should not be there
  uint64_t size = 0; ///< bytes in the file
  int64_t used = 0;  ///< last use, seconds since 1970
  bool temporary = false;
};

struct CacheTotals {
  uint64_t entries = 0, replaced = 0, unchanged = 0, measured = 0, damaged = 0, bytes = 0;
};

class DiskCache {
public:
  explicit DiskCache(DiskCacheOptions options);

  /// MELD_CACHE_DIR, or $XDG_CACHE_HOME/libmeld, or $HOME/.cache/libmeld; empty when none of them
  /// is an absolute path.
  static std::string chooseDirectory(const std::string &configured, const char *xdgCacheHome,
                                     const char *home);

  bool usable() const { return !off_.load(); }
  const std::string &directory() const { return options_.directory; }
  uint64_t damagedEntries() const { return damaged_.load(); }
  uint64_t stores() const { return stores_.load(); }

  /// An entry whose code object is larger than `maxCodeObject` bytes is taken for damaged, without
  /// being read.
  std::optional<CacheEntry> load(const CacheKey &key, uint64_t maxCodeObject = kMaxCodeObject);
  /// True when the entry is on disk now.
  bool store(const CacheEntry &entry);
  /// Turns the entry's verdict from `untried` into `replaced`; nothing where there is none.
  void markTried(const CacheKey &key);
  FileLock lock(const CacheKey &key, std::chrono::milliseconds wait,
                const std::atomic<bool> *stop = nullptr);

  // For `meld cache`; these return their error and leave the cache on.
  Result<std::vector<CacheFile>> list();
  Result<CacheEntryHeader> header(const std::string &name);
  Result<CacheTotals> totals();
  Result<void> remove(const std::string &name);
  /// Removes the least recently used entries until at most `limit` bytes are left, temporary files
  /// older than an hour, and locks of that age that killed processes left. Returns what went (or
  /// would go, with `dryRun`). One cleaner at a time: empty when another one is at work.
  Result<std::vector<CacheFile>> prune(uint64_t limit, bool dryRun = false);
  /// Removes entries that do not check out; returns them.
  Result<std::vector<std::pair<CacheFile, std::string>>> verify(bool dryRun = false);
  /// prune() to 90 % of the limit when the cache is larger than the limit and this process wrote
  /// something. Errors are silent: the next process tries again.
  void cleanIfNeeded() noexcept;

private:
  Result<Descriptor> root(bool create);
  Result<Descriptor> folderOf(const std::string &name, bool create);
  void turnOff(const std::string &why);
  /// Nothing is written where the setting says so, nor in a process that has confined itself
  /// (runtime/host/confinement.h). Asks the kernel.
  bool mayWrite() const noexcept;

  DiskCacheOptions options_;
  std::atomic<bool> off_{false};
  std::atomic<uint64_t> damaged_{0}, stores_{0};
};

} // namespace meld
