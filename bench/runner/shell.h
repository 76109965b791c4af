// Shell commands whose output is read. Any thread.
#pragma once

#include <string>

namespace meld::bench {

/// One word to the shell, whatever is in it.
std::string quoted(const std::string &text);
/// Standard output of a shell command; its errors go where ours go. Empty when it cannot be run.
std::string outputOf(const std::string &command);

} // namespace meld::bench
