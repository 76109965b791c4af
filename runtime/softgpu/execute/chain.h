// Instructions that go on to the ones behind them, without the interpreter's loop.
//
// A host predicts where a handler goes on much better from the handler than from the loop, which goes
// everywhere. So the handlers of plain arithmetic, and of what does nothing, end in the call of the next
// one, where that has the flag `chains` and the loop allows it (Wave::chained: only runWave() does):
//
//     loop -> v_add -> v_mul -> s_add -> s_nop -> loop (a load is next) -> load -> loop -> ...
//
// Such instructions always go on behind themselves.
//
// Counting. How many a chain had, the loop knows from what comes back: they lie behind each other. It
// takes them all for scalar arithmetic; those of another category count themselves in Wave::passed, vector
// arithmetic its lanes, too, and countPassed() puts that right when the loop ends. Where the loop executes
// one instruction at a time it counts them by category, and nobody looks at Wave::passed.
//
// What would be unsafe: the flag on an instruction that may jump, wait or raise a fault (what comes back is
// no count then), on one that accesses memory (a fault of the host's is where Wave::next says, which only
// the loop sets), and on a handler that does not count itself.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <bit>

namespace meld::softgpu {

/// Whether the compiler makes jumps of calls at the end of a function (the CMake lists ask for it), without
/// which a chain, of up to CodeCache's longest run, would need a long stack.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define MELD_SANITIZED
#endif
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&    \
    !defined(MELD_SANITIZED)
inline constexpr bool kTailCalls = true;
#else
inline constexpr bool kTailCalls = false;
#endif
#undef MELD_SANITIZED

/// The last thing that a handler of an instruction with the flag does.
inline const ExecInst *chain(const ExecInst *i, Wave &w) {
  const ExecInst *next = following(i);
  if constexpr (!kTailCalls)
    return next;
  return next->flags & w.chained ? next->run(next, w) : next;
}

/// A handler of vector arithmetic as one of an instruction with the flag.
template <Handler H> [[gnu::flatten]] const ExecInst *chainedValu(const ExecInst *i, Wave &w) {
  ++w.passed[unsigned(isa::Category::valu)];
  w.passedLanes += unsigned(std::popcount(w.exec())); // before it changes EXEC
  H(i, w);
  return chain(i, w);
}

} // namespace meld::softgpu
