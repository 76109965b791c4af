// Has something done before the exit handlers that chosen libraries register.
//
// A library makes global objects when it first needs them and registers what destroys them, so
// handlers that others have registered before run after those. There is no moment to register one
// again that comes behind all of them. So what the libraries register goes through us, and the
// handler that runs in the end calls ours first:
//
//   library --> __cxa_atexit(f), by its entry in the global offset table
//       --> registers "stop(), then f()" in the place of f
//
// How that is done: offset_table.h. x86-64 Linux. Thread rule: any thread that holds no lock; waits
// for the loader's.
#pragma once

#include "runtime/host/offset_table.h"

namespace meld {

/// `stop` must do nothing when it is called again; one for all calls. The libraries must not be
/// unloaded before the process ends. What they have registered before this call is not covered:
/// std::atexit(stop) is.
void runBeforeExitHandlersOf(Wanted libraries, void (*stop)()) noexcept;

} // namespace meld
