// What the callers of a device function pass to it, as far as a short look back can tell.
//
//   kernel(.., i32 %n):  call @helper(%p, 7)       call @helper(%q, %n + 1)
//   helper(ptr %a, i32 %m)      %m: uniform in each call, so a branch on it does not diverge
//
// A wave enters a function with the threads that run the call together, so an argument is uniform
// when each caller's value is, whatever decides over the calls. Looked at are operations whose
// results are as uniform as their operands, back to constants and kernel arguments; anything else
// counts as divergent. Bounded, so linear in the calls.
//
// Right only as long as nothing else calls the function: for leaving branches alone, not as a
// proof.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "passes/analysis/width.h"
#include <vector>

namespace meld::passes {

/// One width for each argument; empty when nothing is known: a kernel, no calls, or uses that are
/// not calls.
std::vector<Width> argumentsAtCalls(const llvm::Function &function);

} // namespace meld::passes
