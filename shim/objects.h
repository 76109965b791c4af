// What libmeld remembers about the application's HSA objects: readers over code objects with
// bitcode, and the bytes that were loaded instead. Thread-safe; no HSA call is made under the lock.
#pragma once

#include "runtime/codeobject/bytes.h"
#include "shim/hsa.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace meld {

/// The bytes behind a reader: the application's own memory (valid until the reader is destroyed, as
/// HSA demands) or a copy of a file.
struct ReaderSource {
  ByteView view;
  Bytes owned;
};

/// A replacement that was loaded. ROCr keeps pointers into the bytes (and hands them to debuggers)
/// until the executable is gone, so bytes and reader live as long.
struct LoadedReplacement {
  std::shared_ptr<const Bytes> bytes;
  hsa_code_object_reader_t reader{};
  std::vector<std::string> kernels;
};

class Objects {
public:
  void addReader(hsa_code_object_reader_t reader, std::shared_ptr<const ReaderSource> source);
  std::shared_ptr<const ReaderSource> findReader(hsa_code_object_reader_t reader) const;
  void dropReader(hsa_code_object_reader_t reader);

  /// To be called before ROCr loads it: this takes memory, and what ROCr has must not be let go.
  void addReplacement(hsa_executable_t executable, LoadedReplacement replacement);
  /// ROCr did not load it.
  void dropReplacement(hsa_executable_t executable, hsa_code_object_reader_t reader);
  std::set<std::string> replacedKernels(hsa_executable_t executable) const;
  /// Forgets the executable; the caller destroys it, then lets go of what is returned.
  std::vector<LoadedReplacement> takeExecutable(hsa_executable_t executable);

private:
  mutable std::mutex lock_;
  std::map<uint64_t, std::shared_ptr<const ReaderSource>> readers_;
  std::map<uint64_t, std::vector<LoadedReplacement>> executables_;
};

} // namespace meld
