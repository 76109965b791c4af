#include "jit/relocatable_cache.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

namespace meld::jit {

void RelocatableCache::notifyObjectCompiled(const llvm::Module *module,
                                            llvm::MemoryBufferRef object) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (object.getBufferSize() > maxBytes_ || byKey_.count(module->getModuleIdentifier()))
    return;
  entries_.push_back({module->getModuleIdentifier(), object.getBuffer().str()});
  byKey_[entries_.back().key] = std::prev(entries_.end());
  bytes_ += object.getBufferSize();
  while (bytes_ > maxBytes_) {
    bytes_ -= entries_.front().bytes.size();
    byKey_.erase(entries_.front().key);
    entries_.pop_front();
  }
}

std::unique_ptr<llvm::MemoryBuffer> RelocatableCache::getObject(const llvm::Module *module) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = byKey_.find(module->getModuleIdentifier());
  if (it == byKey_.end())
    return nullptr;
  ++hits_;
  return llvm::MemoryBuffer::getMemBufferCopy(it->second->bytes);
}

size_t RelocatableCache::hits() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return hits_;
}

} // namespace meld::jit
