// The entries of ROCr's API table that libmeld replaces.
#pragma once

#include "shim/hsa.h"

namespace meld {

struct Process;

/// Checks versions and sizes, saves the previous pointers (another tool's or ROCr's) and puts ours
/// in. False, with one warning in the log, when the table does not have the entries: nothing was
/// changed then.
bool installHooks(HsaApiTable *table, Process *process) noexcept;

/// Puts the previous pointers back where ours still are; an entry that another tool patched after
/// us stays.
void removeHooks() noexcept;

} // namespace meld
