#include "jit/cancel.h"

#include <atomic>

namespace meld::jit {

static std::atomic<bool> cancelled{false};

void cancelCompiles() noexcept { cancelled.store(true, std::memory_order_relaxed); }
bool compilesCancelled() noexcept { return cancelled.load(std::memory_order_relaxed); }

} // namespace meld::jit
