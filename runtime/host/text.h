// Other people's text in our messages.
#pragma once

#include <string>
#include <string_view>

namespace meld {

/// `text` for a message: control characters and bytes outside ASCII as \xNN, and cut after `limit`
/// characters, with the length it had.
std::string shown(std::string_view text, size_t limit = 60);

} // namespace meld
