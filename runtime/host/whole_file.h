// A file that a person or the loader names, all of it.
#pragma once

#include "runtime/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld {

/// The regular file or pipe; a pipe until its other end is closed. Errors: io, badInput (of another
/// kind: a folder, a device). Any thread.
Result<std::vector<uint8_t>> readWholeFile(const std::string &path);

} // namespace meld
