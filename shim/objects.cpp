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

void Objects::addReplacement(hsa_executable_t executable, LoadedReplacement replacement,
                             const std::vector<std::string> &kernels) {
  std::lock_guard guard(lock_);
  ExecutableRecord &record = executables_[executable.handle];
  record.replacements.push_back(std::move(replacement));
  record.replacedKernels.insert(kernels.begin(), kernels.end());
}

std::set<std::string> Objects::replacedKernels(hsa_executable_t executable) const {
  std::lock_guard guard(lock_);
  auto it = executables_.find(executable.handle);
  return it == executables_.end() ? std::set<std::string>() : it->second.replacedKernels;
}

ExecutableRecord Objects::takeExecutable(hsa_executable_t executable) {
  std::lock_guard guard(lock_);
  auto it = executables_.find(executable.handle);
  if (it == executables_.end())
    return {};
  ExecutableRecord record = std::move(it->second);
  executables_.erase(it);
  return record;
}

} // namespace meld
