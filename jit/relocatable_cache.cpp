#include "jit/relocatable_cache.h"

namespace meld::jit {

void RelocatableCache::keep(const std::string &key, llvm::MemoryBufferRef relocatable) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (relocatable.getBufferSize() > maxBytes_ || byKey_.count(key))
    return;
  entries_.push_back({key, relocatable.getBuffer().str()});
  byKey_[key] = std::prev(entries_.end());
  bytes_ += relocatable.getBufferSize();
  while (bytes_ > maxBytes_) {
    bytes_ -= entries_.front().bytes.size();
    byKey_.erase(entries_.front().key);
    entries_.pop_front();
  }
}

std::unique_ptr<llvm::MemoryBuffer> RelocatableCache::find(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = byKey_.find(key);
  return it == byKey_.end() ? nullptr : llvm::MemoryBuffer::getMemBufferCopy(it->second->bytes);
}

} // namespace meld::jit
