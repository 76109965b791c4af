#include "shim/adapt/measured_entry.h"

#include <ctime>

namespace meld::adapt {

LayeredCache *usableDisk(Engine &engine) noexcept {
  LayeredCache *disk = engine.disk();
  return disk && disk->usable() ? disk : nullptr;
}

std::optional<std::string> loadMeasured(LayeredCache &disk, const CacheKey &key) {
  auto entry = disk.load(key);
  if (!entry || entry->verdict != Verdict::measured)
    return std::nullopt;
  return std::move(entry->metadata);
}

void storeMeasured(LayeredCache &disk, const CacheKey &key, std::string what, std::string json) {
  CacheEntry entry;
  entry.key = key;
  entry.verdict = Verdict::measured;
  entry.created = static_cast<uint64_t>(std::time(nullptr));
  entry.tool = "libmeld";
  entry.reason = std::move(what);
  entry.metadata = std::move(json);
  disk.store(entry);
}

} // namespace meld::adapt
