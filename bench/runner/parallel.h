// Runs that do not depend on each other, several at a time.
#pragma once

#include <cstddef>
#include <functional>

namespace meld::bench {

/// Calls `one(i)` for every i below `count`, on `jobs` threads (0: as many as there are cores), and
/// returns when all have ended. `one` is called from several threads at once and throws nothing.
void inParallel(size_t count, unsigned jobs, const std::function<void(size_t)> &one);

} // namespace meld::bench
