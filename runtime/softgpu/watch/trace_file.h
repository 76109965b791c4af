// The file that MELD_TRACE writes to: whole lines, from any thread.
//
// Lines are gathered and written in parts. Where the file cannot be written any more (a full disk,
// the limit of `ulimit -f`, a reader that is gone) stderr hears of it once and the trace ends
// there; the application goes on. A pipe that nobody reads loses what does not fit. What a forked
// child inherits of its parent's lines is the parent's to write.
#pragma once

#include "runtime/host/descriptor.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace meld::softgpu {

class TraceFile {
public:
  /// The file, emptied; the one that is open already when another device of this process has it.
  /// "-" is standard error. nullptr: it cannot be written.
  static std::shared_ptr<TraceFile> open(const std::string &name);
  ~TraceFile() { flush(); }
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;

  void add(std::string_view line) noexcept; ///< with its newline
  void flush() noexcept;

private:
  TraceFile(Descriptor file, std::string name);
  void flushLocked() noexcept;

  const Descriptor file_; ///< none: standard error
  const std::string name_;
  const pid_t pid_; ///< whose lines these are
  std::mutex mutex_;
  std::string gathered_;
  bool ended_ = false;
};

} // namespace meld::softgpu
