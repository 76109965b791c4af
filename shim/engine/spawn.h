// Starts a program that the application does not notice.
//
// Not fork(): the application's fork handlers would run, and its memory would be copied. Not
// posix_spawn(): its child sends SIGCHLD and is found by the application's waitpid(-1). The child
// here sends no signal and is found by those who ask for such children only (clone(2), __WCLONE).
// It has a session of its own (no Ctrl-C, no hang-up), default dispositions, no signal blocked, no
// descriptor but one and /dev/null, and ends with the thread that started it.
//
// Thread rule: any thread; its signals are blocked meanwhile.
#pragma once

#include "runtime/result.h"

#include <sys/types.h>

namespace meld {

struct Program {
  const char *path;
  char *const *arguments;   ///< as for execve()
  char *const *environment; ///< as for execve()
  int descriptor;           ///< becomes the program's standard input
};

/// The child's number. It must be waited for, by waitForProgram() on the same thread.
/// Errors: io, with the system's reason.
Result<pid_t> startProgram(const Program &program);

struct ProgramEnd {
  bool known = false; ///< false: somebody else has waited for it
  int status = 0;     ///< as of waitpid()
  double seconds = 0; ///< of processor time
};

/// Waits for its end.
ProgramEnd waitForProgram(pid_t child) noexcept;

} // namespace meld
