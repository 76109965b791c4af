// Disassembly of the kernels in a file, with source lines where they are known.
#pragma once

#include "runtime/result.h"

#include <string>

namespace meld::softgpu {

/// Kernels whose name contains `kernel`, for `target` (any, when empty). Errors name the file.
Result<std::string> disassembly(const std::string &file, const std::string &kernel,
                                const std::string &target);

} // namespace meld::softgpu
