// Other people's text in our messages: the user's, the system's for an errno, and C++ names.
#pragma once

#include <string>
#include <string_view>

namespace meld {

/// `text` for a message: control characters and bytes outside ASCII as \xNN, and cut after `limit`
/// characters, with the length it had.
std::string shown(std::string_view text, size_t limit = 60);

/// "what: No such file or directory".
std::string errnoText(const std::string &what, int error);

/// A C++ name for people; `name` itself when it is not mangled.
std::string demangled(const std::string &name);

} // namespace meld
