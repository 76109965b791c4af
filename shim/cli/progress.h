// How far a long piece of work is, on stderr, where that is a terminal: one line that is written over.
#pragma once

#include <chrono>
#include <string>

namespace meld::cli {

/// Thread rule: one thread at a time.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress(); ///< takes the line away
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// "compiling [#####.....] 12/30  kernel"; at most ten times a second.
  void show(size_t done, size_t all, const std::string &now = "");

private:
  const std::string what_;
  const bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

/// The line itself, of at most `width` characters.
std::string progressLine(const std::string &what, size_t done, size_t all, const std::string &now,
                         size_t width);

} // namespace meld::cli
