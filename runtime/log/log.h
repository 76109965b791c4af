// The log: stderr, or the file MELD_LOG_FILE names. Never stdout.
//
// Nothing is opened before the first message that passes the level. Thread-safe; never throws,
// never waits for a reader; when the file cannot be opened, or is none for output
// (runtime/host/output.h), the log goes to stderr and says so once. A message is one line: control
// characters become blanks, what is longer than 4000 bytes is cut. What counts as stderr:
// runtime/host/stderr.h. After a fork the child stays silent until configure() is called again: the
// parent's lock may be held by a thread that the child does not have.
#pragma once

#include <string>
#include <string_view>

namespace meld::log {

enum class Level : int { off = 0, error = 1, warning = 2, info = 3, debug = 4, trace = 5 };

/// `level` as MELD_LOG_LEVEL, `file` empty for stderr. May be called again; closes what was open.
void configure(int level, const std::string &file) noexcept;

bool enabled(Level level) noexcept;
void write(Level level, std::string_view message) noexcept;

inline void warning(std::string_view message) noexcept { write(Level::warning, message); }
inline void info(std::string_view message) noexcept { write(Level::info, message); }
inline void debug(std::string_view message) noexcept { write(Level::debug, message); }

/// At most once per process for each `key`. `detail` follows `message`: who has just caught
/// std::bad_alloc puts no strings together.
void warnOnce(std::string_view key, std::string_view message,
              std::string_view detail = {}) noexcept;

/// To be called in the child of a fork.
void silenceAfterFork() noexcept;

} // namespace meld::log
