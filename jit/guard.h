// Keeps the compiler's worst failures inside the compile.
//
// LLVM ends the process on a fatal error ("Cannot select ..."), on a failed allocation, and by its
// own bugs (a fault, abort(), a stack overflow). None of that may reach the application, so a
// compile runs as
//
//   caller --> runGuarded(f) --> own thread, large stack --> f()
//                fatal error, bad_alloc --> C++ exception, caught here
//                fault on that thread   --> the same, else a jump back to the start
//
// Why exceptions: LLVM and comgr unwind (they carry unwind tables, comgr also clean-ups), so
// comgr's process-wide lock is released and the HIP runtime can still use comgr. Where unwinding
// itself fails, the thread jumps back. After a fault (not after a fatal error) the guard stays
// closed for the process: LLVM's state is then unknown.
//
// Signal handlers are installed only while a guarded call runs (fault_handlers.h); a signal on any
// other thread is the application's as before, and one that is sent to the process (kill(2)) is given
// back: the application may have it blocked everywhere and wait for it. The application's
// std::terminate() handler is not called for a call. Where somebody else in the process may have set
// LLVM's handler of fatal errors, which cannot be saved, there is no guarded call at all
// (llvm_handlers.h).
//
// Unsafe: a fault inside the C library's allocator, whose heap the compiler has broken. The exception
// needs memory, so the thread waits for the lock that it holds: the call does not come back, nor does
// a fork() of the application, nor an exit() whose destructors free what a compile has allocated, which
// take that lock.
//
// Thread rule: any thread; guarded calls run one after the other. Not re-entrant.
#pragma once

#include "llvm/Support/Error.h"

#include <chrono>
#include <functional>

namespace meld::jit {

/// Runs `f` to its end on a thread of its own. Fails when it did not come back by itself.
llvm::Error runGuarded(const std::function<llvm::Error()> &f);

/// For a process that ends while a guarded call runs that nothing else can stop (LLVM has inputs on
/// which code generation does not end): the call's thread is stopped for good where it is, so that
/// LLVM's global objects are not destroyed under it. It stops only while it executes the compiler's
/// own code; inside the C library it might hold a lock that the rest of the exit needs.
/// True when no guarded call runs any more. Any thread; takes at most `budget`.
bool freezeGuarded(std::chrono::milliseconds budget) noexcept;

/// Inside a guarded call: turns a fatal error within `f` into an error right here, so that callers
/// with state to unwind see an ordinary failure. Outside of one it just calls `f`.
llvm::Error catchFatal(const char *what, const std::function<llvm::Error()> &f);

} // namespace meld::jit
