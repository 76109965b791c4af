// Relocatables in memory, by a hash of all that determines them.
//
// Saves code generation when the profit gate asks for the same module again (a kernel excluded that
// had not changed anything) and when a process loads one code object twice. Bounded; the oldest
// entry goes first. Thread rule: any thread.
#pragma once

#include "llvm/Support/MemoryBuffer.h"

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace meld::jit {

class RelocatableCache {
public:
  explicit RelocatableCache(size_t maxBytes) : maxBytes_(maxBytes) {}
  void keep(const std::string &key, llvm::MemoryBufferRef relocatable);
  std::unique_ptr<llvm::MemoryBuffer> find(const std::string &key); ///< a copy, or null

private:
  struct Entry {
    std::string key, bytes;
  };
  std::mutex mutex_;
  std::list<Entry> entries_; // oldest first
  std::map<std::string, std::list<Entry>::iterator> byKey_;
  size_t bytes_ = 0, maxBytes_;
};

} // namespace meld::jit
