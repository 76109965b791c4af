// Entries of the disk cache that hold what was measured (Verdict::measured): JSON, no code.
//
// Thread rule: any thread; the disk is asked.
#pragma once

#include "runtime/engine/engine.h"

namespace meld::adapt {

/// Null where nothing can be kept.
LayeredCache *usableDisk(Engine &engine) noexcept;

/// Nothing where there is no such entry.
std::optional<std::string> loadMeasured(LayeredCache &disk, const CacheKey &key);
/// `what`: one line for people.
void storeMeasured(LayeredCache &disk, const CacheKey &key, std::string what, std::string json);

} // namespace meld::adapt
