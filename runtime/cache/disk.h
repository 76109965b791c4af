// The disk cache: a folder of entries that any number of processes share.
//
//   <directory>/v2/<a>/<b>/<key in hex>     a, b: the key's first two hex digits
//   <directory>/v2/locks/<key in hex>       single flight (lock.h), and "cleaner"
//
// One layer of several, where there are more (layered.h): somebody else's folder, that is only read, or
// one on a file server, where each operation is paid for by everybody.
//
// No descriptor is kept from one call to the next: the application may close it and use its number.
// Thread-safe. Every error of the disk gives one warning through `warn` and turns the cache off for
// the process; an entry that does not check out is removed and counted as damaged, and is a miss.
// Modification time is the time of last use; an entry's use is recorded at most once a minute.
#pragma once

#include "runtime/cache/directory.h"
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
  std::string name = "cache"; ///< in warnings
  /// On a file server: an entry is opened by its path alone, no lock is taken, its use is not recorded.
  bool network = false;
  bool cleans = true; ///< cleanIfNeeded() does something
  Owners owners = {};
  /// May this file be used as the entry of that key? Asked for each that is read, before it is unpacked;
  /// what is refused is a miss, and stays. Empty: all may.
  std::function<Result<void>(ByteView file, const CacheKey &key)> admit = {};
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
  /// `file`, where it is given: the bytes that the entry was read from.
  std::optional<CacheEntry> load(const CacheKey &key, uint64_t maxCodeObject = kMaxCodeObject,
                                 Bytes *file = nullptr);
  /// True when the entry is on disk now.
  bool store(const CacheEntry &entry);
  /// The same for the bytes of an entry.
  bool storeFile(const CacheKey &key, ByteView file);
  /// Turns the entry's verdict from `untried` into `replaced`. False where there is none.
  bool markTried(const CacheKey &key);
  FileLock lock(const CacheKey &key, std::chrono::milliseconds wait,
                const std::atomic<bool> *stop = nullptr);

  // For `meld cache`; these return their error and leave the cache on.
  Result<std::vector<CacheFile>> list();
  Result<CacheEntryHeader> header(const std::string &name);
  /// The file of a sound entry that may be used.
  Result<Bytes> file(const std::string &name);
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
  struct ReadFile {
    OpenFile open;
    Bytes bytes;
  };
  Result<ReadFile> read(const CacheKey &key, uint64_t maxCodeObject);
  Result<Descriptor> root(bool create);
  Result<Descriptor> folderOf(const std::string &name, bool create);
  void turnOff(const std::string &why);
  /// Nothing is written where the setting says so, nor in a process that has confined itself
  /// (runtime/host/confinement.h). Asks the kernel.
  bool mayWrite() const noexcept;

  DiskCacheOptions options_;
  std::atomic<bool> off_{false};
  std::atomic<bool> refused_{false}; ///< by admit, and a warning told so
  std::atomic<uint64_t> damaged_{0}, stores_{0};
};

} // namespace meld
