#include "runtime/log/log.h"
#include "runtime/write.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <set>
#include <unistd.h>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

namespace meld::log {
namespace {

/// Writes whole lines with one write(2): lines of several processes do not mix, nothing is left in
/// a buffer when the process dies.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  DescriptorSink(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  ~DescriptorSink() override {
    if (owned_)
      ::close(descriptor_);
  }

protected:
  void sink_it_(const spdlog::details::log_msg &message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    writeAll(descriptor_, {line.data(), line.size()});
  }
  void flush_() override {}

private:
  int descriptor_;
  bool owned_;
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

std::shared_ptr<spdlog::logger> open(const std::string &file) {
  int descriptor = STDERR_FILENO;
  int problem = 0;
  if (!file.empty()) {
    descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (descriptor < 0) {
      problem = errno;
      descriptor = STDERR_FILENO;
    }
  }
  auto sink = std::make_shared<DescriptorSink>(descriptor, descriptor != STDERR_FILENO);
  auto logger = std::make_shared<spdlog::logger>("meld", std::move(sink));
  logger->set_level(spdlog::level::trace);
  logger->set_pattern(file.empty() ? "libmeld[%P] %l: %v" : "%Y-%m-%d %H:%M:%S.%e [%P:%t] %l: %v");
  if (problem)
    logger->warn("MELD_LOG_FILE={}: {}; logging to stderr", file, std::strerror(problem));
  return logger;
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
    logger->log(toSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
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
