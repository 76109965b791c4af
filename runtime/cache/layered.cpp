#include "runtime/cache/layered.h"

#include <algorithm>
#include <map>

namespace meld {

DiskCacheOptions optionsOf(const PlannedLayer &layer, const CachePlan &plan) {
  DiskCacheOptions options;
  options.directory = layer.folder;
  options.maxSize = layer.maxSize;
  options.readonly = !layer.written;
  options.network = layer.network;
  options.cleans = layer.cleaned;
  if (layer.kind != LayerKind::user)
    options.name = std::string(layerName(layer.kind)) + " cache";
  if (layer.kind == LayerKind::site)
    options.owners.others = plan.siteOwners;
  if (layer.mustBeSigned) {
    options.owners.anybody = true;
    options.admit = [keys = plan.trusted](ByteView file, const CacheKey &key) {
      return keys->check(file, key);
    };
  }
  return options;
}

LayeredCache::LayeredCache(const CachePlan &plan, const Warn &warn) {
  for (const PlannedLayer &layer : plan.layers) {
    DiskCacheOptions options = optionsOf(layer, plan);
    options.warn = warn;
    layers_.push_back({layer, std::make_unique<DiskCache>(std::move(options))});
  }
}

bool LayeredCache::usable() const {
  return std::any_of(layers_.begin(), layers_.end(),
                     [](const Layer &layer) { return layer.disk->usable(); });
}

DiskCache *LayeredCache::layer(LayerKind kind) const {
  for (const Layer &layer : layers_)
    if (layer.plan.kind == kind)
      return layer.disk.get();
  return nullptr;
}

DiskCache *LayeredCache::firstWritten() const {
  for (const Layer &layer : layers_)
    if (layer.plan.written && layer.disk->usable())
      return layer.disk.get();
  return nullptr;
}

std::optional<CacheEntry> LayeredCache::load(const CacheKey &key, uint64_t maxCodeObject) {
  DiskCache *nearer = nullptr; // a node's layer before a file server's
  for (const Layer &layer : layers_) {
    const bool copy = nearer && layer.plan.network;
    Bytes file;
    if (auto entry = layer.disk->load(key, maxCodeObject, copy ? &file : nullptr)) {
      if (copy)
        nearer->storeFile(key, file);
      return entry;
    }
    if (layer.plan.kind == LayerKind::node && layer.plan.written && layer.disk->usable())
      nearer = layer.disk.get();
  }
  return std::nullopt;
}

bool LayeredCache::store(const CacheEntry &entry) {
  bool stored = false;
  for (const Layer &layer : layers_)
    if (layer.plan.written)
      stored |= layer.disk->store(entry);
  return stored;
}

bool LayeredCache::storeFile(const CacheKey &key, ByteView file) {
  for (const Layer &layer : layers_)
    if (layer.plan.written && layer.disk->storeFile(key, file))
      return true;
  return false;
}

void LayeredCache::markTried(const CacheKey &key) {
  bool marked = false;
  for (const Layer &layer : layers_)
    if (layer.plan.written)
      marked |= layer.disk->markTried(key);
  if (marked || !firstWritten())
    return;
  for (const Layer &layer : layers_) {
    if (layer.plan.written)
      continue;
    auto file = layer.disk->file(key.hex());
    auto tried = file ? withVerdict(std::move(*file), Verdict::replaced)
                      : Result<Bytes>(tl::unexpected(file.error()));
    if (tried) {
      storeFile(key, *tried);
      return;
    }
  }
}

FileLock LayeredCache::lock(const CacheKey &key, std::chrono::milliseconds wait,
                            const std::atomic<bool> *stop) {
  DiskCache *first = firstWritten();
  return first ? first->lock(key, wait, stop) : FileLock();
}

Result<CacheEntryHeader> LayeredCache::header(const std::string &name) {
  Result<CacheEntryHeader> found = fail(ErrorCode::notFound, "no entry " + name);
  for (const Layer &layer : layers_) {
    auto here = layer.disk->header(name);
    if (here)
      return here;
    if (here.error().code != ErrorCode::notFound)
      found = std::move(here);
  }
  return found;
}

Result<std::vector<CacheFile>> LayeredCache::list() {
  std::map<std::string, CacheFile> byName;
  Result<std::vector<CacheFile>> problem;
  bool any = false;
  for (const Layer &layer : layers_) {
    auto files = layer.disk->list();
    if (!files) {
      problem = std::move(files);
      continue;
    }
    any = true;
    for (CacheFile &file : *files)
      byName.try_emplace(file.name, std::move(file));
  }
  if (!any && !problem)
    return problem;
  std::vector<CacheFile> all;
  for (auto &[name, file] : byName)
    all.push_back(std::move(file));
  return all;
}

void LayeredCache::cleanIfNeeded() noexcept {
  for (const Layer &layer : layers_)
    layer.disk->cleanIfNeeded();
}

} // namespace meld
