// ORC's cache seam, in memory: relocatables by the module identifier that ComgrCompiler gives.
//
// Saves code generation when the profit gate asks for the same module again (a kernel excluded that
// had not changed anything) and when a process loads one code object twice. Bounded; the oldest
// entry goes first. Thread rule: any thread.
#pragma once

#include "llvm/ExecutionEngine/ObjectCache.h"

#include <list>
#include <map>
#include <mutex>
#include <string>

namespace meld::jit {

class RelocatableCache : public llvm::ObjectCache {
public:
  explicit RelocatableCache(size_t maxBytes) : maxBytes_(maxBytes) {}
  void notifyObjectCompiled(const llvm::Module *module, llvm::MemoryBufferRef object) override;
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module *module) override;
  size_t hits() const;

private:
  struct Entry {
    std::string key, bytes;
  };
  mutable std::mutex mutex_;
  std::list<Entry> entries_; // oldest first
  std::map<std::string, std::list<Entry>::iterator> byKey_;
  size_t bytes_ = 0, maxBytes_, hits_ = 0;
};

} // namespace meld::jit
