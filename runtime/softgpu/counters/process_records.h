// What a process collects while it runs, for a file it writes when it ends. A forked child starts
// with none of its parent's, and writes nothing when it had nothing of its own to record.
//
// Thread rule: thread-safe.
#pragma once

#include "runtime/host/stderr.h"
#include "runtime/settings/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace meld::softgpu {

template <class Records> class ProcessRecords {
public:
  explicit ProcessRecords(std::string fileName) : fileName_(std::move(fileName)) {}

  /// Adds to the process's own records.
  template <class Change> void change(Change change) {
    std::lock_guard lock(mutex_);
    if (pid_ != getpid()) {
      records_ = {};
      pid_ = getpid();
    }
    change(records_);
  }
  template <class Read> auto read(Read read) const {
    std::lock_guard lock(mutex_);
    return read(records_);
  }
  /// Calls write(file name) unless another process collected what is here. `what` is for the
  /// message: "counters".
  template <class Write> void flush(const char *what, Write write) const noexcept {
    try {
      if (mine())
        write(fileName_);
    } catch (...) {
      char line[128];
      const int n =
          std::snprintf(line, sizeof(line), "meld: cannot write %s: out of memory\n", what);
      if (n > 0)
        writeToStderr({line, std::min<size_t>(size_t(n), sizeof(line) - 1)});
    }
  }

private:
  bool mine() const {
    std::lock_guard lock(mutex_);
    return pid_ == getpid();
  }
  const std::string fileName_;
  mutable std::mutex mutex_;
  Records records_;
  pid_t pid_ = 0; ///< whose records these are
};

/// The process's sink of this kind, for the file that a setting names; flushed at exit. Never
/// destroyed: other threads may still record while the process exits.
template <class Sink> Sink &processSink(std::string Settings::*file) {
  static Sink *sink = [file] {
    auto *s = new Sink(loadSettings().settings.*file);
    if (s->enabled())
      std::atexit([] { Sink::instance().flush(); });
    return s;
  }();
  return *sink;
}

} // namespace meld::softgpu
