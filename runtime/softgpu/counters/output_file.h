// A file the process writes as a whole when it ends: "%p" in its name is the process id, and a
// rename makes it appear at once, so that a reader never sees half of it.
//
// Thread rule: pure functions. Errors: one line on stderr, never an exception.
#pragma once

#include <string>

namespace meld::softgpu {

std::string expandPid(const std::string &name);

/// Writes `text` and a newline to `name` ("%p" expanded). `what` is for the message: "counters".
bool writeWholeFile(const std::string &name, const std::string &text, const char *what) noexcept;

} // namespace meld::softgpu
