// A detached thread with a stack of our choice, every signal blocked and the default floating-point state.
#pragma once

#include <cstddef>
#include <functional>

namespace meld {

/// False when the system has no thread for us; `body` was not called then. `body` must not throw.
bool runDetached(std::function<void()> body, size_t stackBytes) noexcept;

} // namespace meld
