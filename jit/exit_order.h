// Has something done before any exit handler of the compiler's runs.
//
// LLVM, clang and comgr make global objects when they first need them, so the handlers that destroy
// those are registered during a compile, or while the application uses comgr. Handlers run in
// reverse order: one of ours that stops a compile at exit, registered when the compiler is loaded,
// would run after those, with the objects gone under the compile. There is no moment to register it
// again that comes behind all of them. So what the compiler's libraries register goes through us,
// and the handler that runs in the end calls ours first (runtime/host/exit_handlers.h). The shim
// has the same done as soon as the application's comgr is loaded (runtime/engine/comgr_turns.h);
// here it is done for libraries that have come since, and for this one.
//
// Thread rule: any thread.
#pragma once

namespace meld::jit {

/// `stop` must do nothing when it is called again. Handlers that were registered before this call
/// are not covered: std::atexit(stop) is.
void runBeforeExitHandlers(void (*stop)());

} // namespace meld::jit
