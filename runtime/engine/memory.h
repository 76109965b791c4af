// What this process has decided already, by key: bounded, the least recently used goes first.
//
// A program that loads ever new code objects (run-time compilation does) would otherwise hold a
// decision for each for as long as it runs. What is forgotten is found on disk. A replacement that
// ROCr has loaded lives on with its executable. Thread rule: the caller's lock. O(log n).
#pragma once

#include "runtime/cache/key.h"
#include "runtime/engine/decision.h"

#include <list>
#include <map>

namespace meld {

class DecisionMemory {
public:
  /// At most that many decisions, and that many bytes in their replacements and texts.
  DecisionMemory(size_t maxEntries, uint64_t maxBytes)
      : maxEntries_(maxEntries), maxBytes_(maxBytes) {}

  /// Null when it is not known (any more). Valid until the next call.
  Decision *find(const CacheKey &key);
  /// Replaces what was there. A decision that alone is too large is not kept.
  void insert(const CacheKey &key, Decision decision);
  size_t size() const { return byUse_.size(); }
  uint64_t bytes() const { return bytes_; }

private:
  struct Entry {
    CacheKey key;
    Decision decision;
    uint64_t bytes;
  };
  void erase(std::list<Entry>::iterator entry);

  const size_t maxEntries_;
  const uint64_t maxBytes_;
  uint64_t bytes_ = 0;
  std::list<Entry> byUse_; ///< the latest first
  std::map<CacheKey, std::list<Entry>::iterator> byKey_;
};

} // namespace meld
