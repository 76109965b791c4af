// The application's allocations, for the messages of `meld verify`: the driver knows only the
// blocks that ROCr cuts them from.
#pragma once

#include "shim/hsa.h"

namespace meld {

/// Listens to the table's allocation entries from now on and tells the software GPU. Does nothing
/// where the table has none, or where there is no software GPU.
void watchAllocations(HsaApiTable &table) noexcept;
/// Puts the previous entries back where ours still are.
void stopWatchingAllocations() noexcept;

} // namespace meld
