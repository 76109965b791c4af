#include "runtime/engine/memory.h"

namespace meld {
namespace {

uint64_t bytesOf(const Decision &decision) {
  uint64_t bytes = sizeof(Decision) + decision.reason.size() + decision.isa.size();
  for (const std::string &kernel : decision.kernels)
    bytes += sizeof(kernel) + kernel.size();
  return bytes + (decision.replacement ? decision.replacement->size() : 0);
}

} // namespace

Decision *DecisionMemory::find(const CacheKey &key) {
  const auto known = byKey_.find(key);
  if (known == byKey_.end())
    return nullptr;
  byUse_.splice(byUse_.begin(), byUse_, known->second);
  return &known->second->decision;
}

void DecisionMemory::insert(const CacheKey &key, Decision decision) {
  if (const auto known = byKey_.find(key); known != byKey_.end())
    erase(known->second);
  const uint64_t bytes = bytesOf(decision);
  if (bytes > maxBytes_ || !maxEntries_)
    return;
  byUse_.push_front({key, std::move(decision), bytes});
  try {
    byKey_.emplace(key, byUse_.begin());
  } catch (...) {
    byUse_.pop_front();
    throw;
  }
  bytes_ += bytes;
  while (byUse_.size() > maxEntries_ || bytes_ > maxBytes_)
    erase(std::prev(byUse_.end()));
}

void DecisionMemory::erase(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  byKey_.erase(entry->key);
  byUse_.erase(entry);
}

} // namespace meld
