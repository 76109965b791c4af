// Stops the compiles of this process for good: asked for when the process ends while one is still
// running, since LLVM's global objects must not be destroyed under it.
//
// A request takes effect between two passes and between two steps of a compile; code generation
// that is under way finishes first. Thread rule: any thread, any time.
#pragma once

namespace meld::jit {

void cancelCompiles() noexcept;
bool compilesCancelled() noexcept;

} // namespace meld::jit
