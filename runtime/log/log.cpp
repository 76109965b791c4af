#include "runtime/log/log.h"
#include "runtime/host/output.h"
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/write.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

namespace meld::log {
namespace {

constexpr size_t kShownPath = 200;
constexpr size_t kLongest = 4000; ///< of a message; a pipe takes a line of this size in one piece

/// Writes whole lines with one write(2): lines of several processes do not mix, nothing is left in
/// a buffer when the process dies. Never waits for a reader (runtime/write.h). Where the file
/// cannot be written any more, stderr hears of it once.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// Without a file: stderr.
  LineSink(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

protected:
  void sink_it_(const spdlog::details::log_msg &message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const std::string_view text(line.data(), line.size());
    if (!file_)
      return writeToStderr(text);
    const int error = file_.isStillOurs() ? writeWithoutBlocking(file_.get(), text) : EBADF;
    if (!error || error == EAGAIN || said_)
      return;
    said_ = true;
    writeToStderr("libmeld: MELD_LOG_FILE=" + name_ + ": " +
                  (error == EBADF ? "closed by the application" : std::strerror(error)) + "\n");
  }
  void flush_() override {}

private:
  Descriptor file_;
  const std::string name_;
  bool said_ = false;
};

struct State {
  std::mutex lock;
  std::string file;
  std::shared_ptr<spdlog::logger> logger;
  std::set<std::string, std::less<>> warned;
};

std::atomic<int> gLevel{2};
std::atomic<bool> gSilent{false};

// Leaked: messages may come from other threads and from destructors while the process ends.
State &state() {
  static State *instance = new State;
  return *instance;
}

spdlog::level::level_enum toSpdlog(Level level) {
  switch (level) {
  case Level::error:
    return spdlog::level::err;
  case Level::warning:
    return spdlog::level::warn;
  case Level::info:
    return spdlog::level::info;
  case Level::debug:
    return spdlog::level::debug;
  case Level::trace:
    return spdlog::level::trace;
  case Level::off:
    break;
  }
  return spdlog::level::off;
}

std::shared_ptr<spdlog::logger> open(const std::string &name) {
  Result<Descriptor> file;
  if (!name.empty())
    file = openOutput(name, true);
  std::string problem = file ? "" : shown(file.error().message, kShownPath);
  auto sink =
      std::make_shared<LineSink>(file ? std::move(*file) : Descriptor(), shown(name, kShownPath));
  auto logger = std::make_shared<spdlog::logger>("meld", std::move(sink));
  logger->set_level(spdlog::level::trace);
  logger->set_pattern(name.empty() ? "libmeld[%P] %l: %v" : "%Y-%m-%d %H:%M:%S.%e [%P:%t] %l: %v");
  if (!problem.empty())
    logger->warn("MELD_LOG_FILE: {}; logging to stderr", problem);
  return logger;
}

/// One line that a terminal shows as it is.
std::string printable(std::string_view message) {
  std::string text(message.substr(0, kLongest));
  for (char &c : text)
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f)
      c = ' ';
  if (message.size() > kLongest)
    text += "... (" + std::to_string(message.size()) + " bytes)";
  return text;
}

} // namespace

void configure(int level, const std::string &file) noexcept {
  try {
    State &s = state();
    std::lock_guard guard(s.lock);
    s.file = file;
    s.logger.reset();
    gLevel = level;
    gSilent = false;
  } catch (...) {
    gSilent = true;
  }
}

bool enabled(Level level) noexcept {
  return !gSilent.load(std::memory_order_relaxed) &&
         static_cast<int>(level) <= gLevel.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view message) noexcept {
  if (!enabled(level) || level == Level::off)
    return;
  try {
    State &s = state();
    std::shared_ptr<spdlog::logger> logger;
    {
      std::lock_guard guard(s.lock);
      if (!s.logger)
        s.logger = open(s.file);
      logger = s.logger;
    }
    logger->log(toSpdlog(level), spdlog::string_view_t(printable(message)));
  } catch (...) {
    // A log that cannot be written is no reason to disturb the application.
  }
}

void warnOnce(std::string_view key, std::string_view message, std::string_view detail) noexcept {
  if (!enabled(Level::warning))
    return;
  try {
    State &s = state();
    {
      std::lock_guard guard(s.lock);
      if (!s.warned.emplace(key).second)
        return;
    }
    if (detail.empty())
      warning(message);
    else
      warning(std::string(message).append(detail));
  } catch (...) {
  }
}

void silenceAfterFork() noexcept { gSilent = true; }

} // namespace meld::log
