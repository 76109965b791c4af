#include "shim/objects.h"

namespace meld {

void Objects::addReader(hsa_code_object_reader_t reader,
                        std::shared_ptr<const ReaderSource> source) {
  std::lock_guard guard(lock_);
  readers_[reader.handle] = std::move(source);
}

std::shared_ptr<const ReaderSource> Objects::findReader(hsa_code_object_reader_t reader) const {
  std::lock_guard guard(lock_);
  auto it = readers_.find(reader.handle);
  return it == readers_.end() ? nullptr : it->second;
}

void Objects::dropReader(hsa_code_object_reader_t reader) {
  std::shared_ptr<const ReaderSource> last; // freed outside the lock
  std::lock_guard guard(lock_);
  if (auto it = readers_.find(reader.handle); it != readers_.end()) {
    last = std::move(it->second);
    readers_.erase(it);
  }
}

void Objects::addReplacement(hsa_executable_t executable, LoadedReplacement replacement) {
  std::lock_guard guard(lock_);
  executables_[executable.handle].push_back(std::move(replacement));
}

void Objects::dropReplacement(hsa_executable_t executable, hsa_code_object_reader_t reader) {
  std::lock_guard guard(lock_);
  if (auto it = executables_.find(executable.handle); it != executables_.end())
    std::erase_if(it->second, [&](const LoadedReplacement &replacement) {
      return replacement.reader.handle == reader.handle;
    });
}

std::set<std::string> Objects::replacedKernels(hsa_executable_t executable) const {
  std::set<std::string> names;
  std::lock_guard guard(lock_);
  if (auto it = executables_.find(executable.handle); it != executables_.end())
    for (const LoadedReplacement &replacement : it->second)
      names.insert(replacement.kernels.begin(), replacement.kernels.end());
  return names;
}

std::vector<LoadedReplacement> Objects::takeExecutable(hsa_executable_t executable) {
  std::lock_guard guard(lock_);
  auto it = executables_.find(executable.handle);
  if (it == executables_.end())
    return {};
  std::vector<LoadedReplacement> replacements = std::move(it->second);
  executables_.erase(it);
  return replacements;
}

} // namespace meld
