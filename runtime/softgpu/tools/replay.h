// Runs a captured dispatch again, alone, and compares the memory it leaves with what was recorded.
#pragma once

#include "runtime/result.h"

#include <string>

namespace meld::softgpu {

struct ReplayOptions {
  std::string file;
  unsigned threads = 1;
  bool timing = false;
  std::string checks;    ///< as MELD_GPU_CHECKED
  std::string trace;     ///< file for a trace; "-": standard error
  std::string translate; ///< as MELD_GPU_TRANSLATE; empty: off
};

struct ReplayReport {
  std::string text;         ///< for people
  bool same = false;        ///< result code and every byte of memory as recorded
  uint64_t differences = 0; ///< bytes
};

/// Errors: those of Capture::read; unsupported when the memory cannot be put where it was. The
/// profile goes where MELD_GPU_PROFILE says. Thread rule: one replay at a time.
Result<ReplayReport> replay(const ReplayOptions &options);

} // namespace meld::softgpu
