// Prints a profile (counters/profile.h) as an annotated listing, with source lines where a code
// object with .debug_line is at hand.
#pragma once

#include "runtime/result.h"

#include <string>
#include <vector>

namespace meld::softgpu {

struct ProfileTableOptions {
  std::string file;                 ///< the JSON
  std::vector<std::string> objects; ///< files to look for the kernels in; empty: the program itself
  std::string kernel;               ///< only kernels whose (demangled) name contains this
  bool byLine = false;              ///< sums per source line instead of instructions
};

/// The text, or why there is none. Missing objects and lines are notes in the text, not errors.
Result<std::string> profileTable(const ProfileTableOptions &options);

} // namespace meld::softgpu
