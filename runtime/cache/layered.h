// The cache as a process sees it: the folders of a plan (layers.h), one behind the other.
//
//   load    the first layer that has the entry. What a file server had goes into the node layer, so that
//           the node's other processes ask there.
//   store   every layer that is written
//   lock    single flight of the processes that share the first layer that is written; none on file
//           servers
//
// Verdicts of a run on an entry of a layer that is not written (ROCr has loaded it, or refused it) are
// kept in the first one that is, which is read before.
//
// Thread-safe. A layer that fails is off for the process, with one warning; the others go on.
#pragma once

#include "runtime/cache/disk.h"
#include "runtime/cache/layers.h"

namespace meld {

struct Layer {
  PlannedLayer plan;
  std::unique_ptr<DiskCache> disk;
};

class LayeredCache {
public:
  using Warn = std::function<void(const std::string &)>;
  LayeredCache(const CachePlan &plan, const Warn &warn);

  bool usable() const;
  const std::vector<Layer> &layers() const { return layers_; }
  /// Null: there is none of this kind.
  DiskCache *layer(LayerKind kind) const;

  /// As DiskCache has them.
  std::optional<CacheEntry> load(const CacheKey &key, uint64_t maxCodeObject = kMaxCodeObject);
  bool store(const CacheEntry &entry);
  void markTried(const CacheKey &key);
  FileLock lock(const CacheKey &key, std::chrono::milliseconds wait,
                const std::atomic<bool> *stop = nullptr);
  /// Of the first layer that has a sound one.
  Result<CacheEntryHeader> header(const std::string &name);
  /// Of all layers, each key once, in the order of the keys. Errors: that of the last layer, when none
  /// could be listed.
  Result<std::vector<CacheFile>> list();
  void cleanIfNeeded() noexcept;

  /// The bytes of an entry that has come from elsewhere, into the first layer that is written.
  bool storeFile(const CacheKey &key, ByteView file);

private:
  DiskCache *firstWritten() const;

  std::vector<Layer> layers_;
};

/// The options with which a layer's folder is opened, and the check of its signatures.
DiskCacheOptions optionsOf(const PlannedLayer &layer, const CachePlan &plan);

} // namespace meld
