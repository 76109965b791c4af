// What was verified in this process: counted by kernel, written to <folder>/<pid>.json.
//
// The file is written anew when a difference was found, at most ten times a second otherwise, and
// when the process ends; a rename makes each version appear whole. A forked child has no part in
// it.
//
//   {"pid": N, "kernels": [{"name": "k", "facts": "", "dispatches": 9, "equal": 7,
//     "different": 0, "notRepeatable": 1, "notVerified": {"reason": 1}}],
//    "differences": [{"kernel": "k", "facts": "", "dispatch": 3, "device": "", "what": "...", "bytes": 4,
//      "words": [{"address": "0x...", "allocation": "0x...", "size": 64, "offset": 16,
//                 "variable": "", "original": "0x...", "replacement": "0x..."}],
//      "captures": ["..."]}]}
//
// A specialised version is told apart from the kernel's others by its facts, and counted for itself.
//
// Thread rule: any thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace meld::softgpu::verify {

struct ReportedWord {
  uint64_t address = 0;                          ///< as the kernel sees it
  uint64_t allocation = 0, size = 0, offset = 0; ///< size 0: in no allocation
  std::string variable;                          ///< of the code object, empty: none
  uint32_t original = 0, replacement = 0;
};

/// What stands for an original.
struct Judged {
  std::string kernel;
  std::string facts; ///< of a specialised version
  auto operator<=>(const Judged &) const = default;
};

struct Difference {
  Judged judged;
  std::string device;
  uint64_t dispatch = 0; ///< of this kernel in this process, from 1
  std::string what;      ///< one line, without kernel and dispatch
  uint64_t bytes = 0;
  std::vector<ReportedWord> words;
  std::vector<std::string> captures; ///< files
  std::string text() const;          ///< some lines, for people
};

class Results {
public:
  void open(const std::string &folder);
  /// The number of this dispatch of the kernel.
  uint64_t dispatched(const Judged &judged);
  void equal(const Judged &judged);
  void notRepeatable(const Judged &judged);
  void notVerified(const Judged &judged, const std::string &why);
  void different(Difference difference);
  /// So far.
  uint64_t differences(const Judged &judged) const;
  void flush() noexcept;

private:
  struct Counts {
    uint64_t dispatches = 0, equal = 0, different = 0, notRepeatable = 0;
    std::map<std::string, uint64_t> notVerified;
  };
  Counts &counts(const Judged &judged);
  std::string json() const;
  void write(bool now);

  mutable std::mutex mutex_;
  std::string folder_;
  pid_t pid_ = 0; ///< of the process that opened it; does not change
  std::chrono::steady_clock::time_point written_{};
  std::map<Judged, Counts> kernels_;
  std::vector<Difference> differences_;
};

/// The process's; never destroyed.
Results &results();

} // namespace meld::softgpu::verify
