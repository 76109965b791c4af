// Who else in this process sets LLVM's error handlers.
//
// LLVM has one handler for fatal errors and one for failed allocations, in the shared library that
// every user of it in the process shares. There is no way to ask for the one that is set, so one of
// ours cannot be taken away again without losing what was there before. But whoever can set one has
// the function's name among its undefined symbols (ELF gABI, "Symbol Table"), and those can be
// read.
//
// Not seen: a call through dlsym(). Thread rule: any thread; takes the loader's lock.
#pragma once

#include <string>

namespace meld::jit {

/// The file name of an object of this process, other than this library and the compiler's own, that
/// calls install_fatal_error_handler() or its like; empty: none does.
std::string otherUserOfErrorHandlers();

} // namespace meld::jit
