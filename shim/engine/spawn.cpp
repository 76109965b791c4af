#include "shim/engine/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr size_t kStack = 32 << 10;
constexpr int kNotStarted = 127;

struct Launch {
  const Program *program;
  pid_t parent;
  int error = 0; ///< of what failed; the child shares our memory until it is the program
};

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

void closeTheRest() noexcept {
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
    return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t most = std::min<rlim_t>(limit.rlim_cur, 1 << 20);
  for (rlim_t fd = 3; fd < most; ++fd)
    close(int(fd));
}

/// In the child, in the parent's memory, while the parent's thread waits: system calls alone.
int becomeProgram(void *argument) {
  auto &launch = *static_cast<Launch *>(argument);
  const Program &program = *launch.program;
  struct sigaction byDefault {};
  for (int number = 1; number < NSIG; ++number)
    sigaction(number, &byDefault, nullptr); // the child's own: signal handlers are not shared
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) // it has ended meanwhile
    _exit(kNotStarted);
  if (program.descriptor != 0)
    dup2(program.descriptor, 0);
  else
    fcntl(0, F_SETFD, 0);
  // Libraries write to 1 and 2 whatever these are.
  close(1);
  close(2);
  if (open("/dev/null", O_RDWR) == 1)
    dup2(1, 2);
  closeTheRest();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(program.path, program.arguments, program.environment);
  launch.error = errno;
  _exit(kNotStarted);
}

} // namespace

Result<pid_t> startProgram(const Program &program) {
  alignas(16) char stack[kStack];
  Launch launch{&program, getpid()};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // No signal number in the flags: nothing is sent at the child's end.
  const pid_t child = clone(becomeProgram, stack + kStack, CLONE_VM | CLONE_VFORK, &launch);
  const int error = child < 0 ? errno : launch.error;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0)
    return fail(ErrorCode::io, std::string("no process to be had: ") + std::strerror(error));
  if (error) {
    waitForProgram(child);
    return fail(ErrorCode::io,
                std::string(program.path) + " cannot be started: " + std::strerror(error));
  }
  return child;
}

ProgramEnd waitForProgram(pid_t child) noexcept {
  ProgramEnd end;
  rusage usage{};
  pid_t got;
  do
    got = wait4(child, &end.status, __WALL, &usage);
  while (got < 0 && errno == EINTR);
  end.known = got == child;
  end.seconds = double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return end;
}

} // namespace meld
