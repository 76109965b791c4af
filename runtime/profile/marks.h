// From executions of markers to counts of blocks, branches and loops (jit/profile/marks.h puts the
// markers in and says where they stand).
//
// Thread rule: pure functions.
#pragma once

#include "runtime/profile/profile.h"

#include <map>
#include <optional>

namespace meld::profile {

/// By the marker's number; summed over its copies in the machine code.
using MarkCounts = std::map<unsigned, Count>;

/// The number of a marker, from its disassembly: "s_nop 0x10" -> 16. The compiler's own s_nop, which
/// are smaller, and everything else are none.
std::optional<unsigned> markOf(std::string_view disassembly);

/// The functions of a kernel: those with branches, and the kernel itself. `marks` is JSON as the
/// compile's metadata has it. None at all where anything does not fit: the kernel's own first block did
/// not run once for each of its waves, executions without lanes, no such JSON.
std::vector<Function> functionsOf(std::string_view marks, const MarkCounts &counts,
                                  const std::string &kernel, uint64_t waves);

} // namespace meld::profile
