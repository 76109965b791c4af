// Starts a program that the application does not notice.
//
// Not fork(): the application's fork handlers would run, and its memory would be copied. Not
// posix_spawn(): its child sends SIGCHLD and is found by the application's waitpid(-1). A child
// made by clone() without a signal is found by those alone who ask for such children (clone(2),
// __WALL), but only until it calls execve(). So the program has another parent:
//
//   application --clone, no signal--> guardian --clone, SIGCHLD--> the program
//                                        |  shares the application's memory and descriptors, runs
//                                        |  system calls alone, with all signals blocked
//                                        `- waits for the program, leaves its end to be read
//
// The guardian ends with the thread that made it, and the program with the guardian. The program
// has a session of its own (no Ctrl-C, no hang-up), default dispositions, no signal blocked, and no
// descriptor but one and /dev/null.
//
// Thread rule: start() and end() on one thread, kill() on any, while nobody calls end().
#pragma once

#include "runtime/result.h"

#include <functional>
#include <memory>
#include <sys/types.h>

namespace meld {

struct Program {
  const char *path;
  char *const *arguments;   ///< as for execve()
  char *const *environment; ///< as for execve()
  int descriptor;           ///< becomes the program's standard input
};

struct ProgramEnd {
  bool known = false; ///< false: the guardian was killed, and the program with it
  int status = 0;     ///< as of waitpid()
  double seconds = 0; ///< of processor time
};

class RunningProgram {
public:
  /// Errors: io, with the system's reason.
  static Result<std::unique_ptr<RunningProgram>> start(const Program &program);
  ~RunningProgram(); ///< kills it, unless end() was called
  RunningProgram(const RunningProgram &) = delete;
  RunningProgram &operator=(const RunningProgram &) = delete;

  void kill() noexcept;
  /// Waits for its end. `forgotten` is called when it has ended and its number may be used again
  /// afterwards: nobody may call kill() any more.
  ProgramEnd end(const std::function<void()> &forgotten);

private:
  struct Shared;
  RunningProgram() = default;
  bool guardianLives() const noexcept;

  static int guard(void *shared);
  static int become(void *shared);

  Shared *shared_ = nullptr;
  pid_t guardian_ = -1;
};

} // namespace meld
