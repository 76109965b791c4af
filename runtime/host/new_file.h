// Files that appear whole or not at all, and never through what somebody else has put there.
#pragma once

#include "runtime/host/descriptor.h"
#include "runtime/host/text.h" // errnoText(), for what goes wrong with files
#include "runtime/result.h"

#include <string>
#include <string_view>

namespace meld {

/// Temporary files carry this prefix.
inline constexpr std::string_view kTemporaryPrefix = ".tmp.";

/// Writes a temporary file in the folder and renames it: a reader sees all of it or nothing; a
/// symbolic link or a pipe of that name is replaced, not followed. `mode` is subject to the umask.
/// Errors: io.
Result<void> writeNewFile(const Descriptor &folder, const std::string &name, std::string_view text,
                          mode_t mode = 0600);

/// The same for a path, whose folders may be links. Where the path is a device or a pipe, the text
/// goes into it, as far as it goes without waiting. Errors: io, badInput (nothing to write to).
Result<void> writeWholePath(const std::string &path, std::string_view text, mode_t mode = 0666);

} // namespace meld
