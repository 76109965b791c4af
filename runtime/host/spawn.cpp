#include "runtime/host/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Code that runs on a stack which no sanitizer has heard of. It calls nothing of the C library: what the
// application, a tool or a sanitizer has put in the place of close() or sigaction() would do its book-keeping
// in memory that is the application's.
#define MELD_ALONE __attribute__((no_sanitize("address", "thread", "undefined")))

namespace meld {
namespace {

constexpr size_t kStack = 64 << 10;
constexpr int kNotStarted = 127;
constexpr long kMaskBytes = 8; ///< of the kernel's signal masks

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/// The guardian shares the errno of the thread that made it, so it leaves it alone.
MELD_ALONE long systemCall(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                           long e = 0) noexcept {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
}

/// As clone(2) of the C library, or minus an errno: run(argument) on a stack that ends at `stack`.
MELD_ALONE long startOn(void *stack, long flags, int (*run)(void *), void *argument) noexcept {
  void **top = static_cast<void **>(stack);
  *--top = argument;
  *--top = reinterpret_cast<void *>(run);
  long result;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n\t"
               "test %%rax, %%rax\n\t"
               "jnz 1f\n\t"
               "xor %%ebp, %%ebp\n\t" // the end of the stack, for whoever unwinds it
               "pop %%rax\n\t"
               "pop %%rdi\n\t"
               "call *%%rax\n\t"
               "mov %%eax, %%edi\n\t"
               "mov %[exit], %%eax\n\t"
               "syscall\n\t"
               "hlt\n"
               "1:"
               : "=a"(result)
               : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0), "r"(r10),
                 "r"(r8), [exit] "i"(SYS_exit_group)
               : "rcx", "r11", "memory", "cc");
  return result;
}

MELD_ALONE bool isSet(const int &flag) noexcept { return __atomic_load_n(&flag, __ATOMIC_SEQ_CST); }

MELD_ALONE void wake(int &flag) noexcept {
  __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
  systemCall(SYS_futex, long(&flag), FUTEX_WAKE, 1);
}

/// Until it is set, or for a tenth of a second.
MELD_ALONE void wait(int &flag) noexcept {
  const timespec tenth{0, 100000000};
  if (!isSet(flag))
    systemCall(SYS_futex, long(&flag), FUTEX_WAIT, 0, long(&tenth));
}

MELD_ALONE void closeTheRest() noexcept {
  if (systemCall(SYS_close_range, 3, ~0u, 0) == 0)
    return;
  rlimit limit{};
  systemCall(SYS_getrlimit, RLIMIT_NOFILE, long(&limit));
  const rlim_t most = limit.rlim_cur < (1 << 20) ? limit.rlim_cur : 1 << 20;
  for (rlim_t fd = 3; fd < most; ++fd)
    systemCall(SYS_close, long(fd));
}

/// As the kernel's sigaction.
MELD_ALONE void actByDefault(int signal) noexcept {
  const unsigned long action[4] = {};
  systemCall(SYS_rt_sigaction, signal, long(action), 0, kMaskBytes);
}

} // namespace

/// Lies in front of the two stacks.
struct RunningProgram::Shared {
  Program program;
  pid_t application, guardian = 0, child = -1;
  int error = 0;                              ///< of what failed; set before `started`
  int started = 0, finished = 0, mayReap = 0; ///< flags (isSet, wake, wait)
  int status = 0;                             ///< both set by the guardian at its end
  rusage usage{};

  static constexpr size_t bytes = 3 * kStack;
  void *guardianStack() { return reinterpret_cast<char *>(this) + 2 * kStack; }
  void *childStack() { return reinterpret_cast<char *>(this) + 3 * kStack; }
};

/// The child, in the application's memory, until it is the program.
MELD_ALONE int RunningProgram::become(void *argument) {
  auto &shared = *static_cast<Shared *>(argument);
  const Program &program = shared.program;
  for (int number = 1; number < NSIG; ++number)
    actByDefault(number); // the child's own: signal handlers are not shared
  systemCall(SYS_setsid);
  systemCall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (systemCall(SYS_getppid) != shared.guardian) // it has ended meanwhile
    systemCall(SYS_exit_group, kNotStarted);
  if (program.descriptor != 0)
    systemCall(SYS_dup2, program.descriptor, 0);
  else
    systemCall(SYS_fcntl, 0, F_SETFD, 0);
  // Libraries write to 1 and 2 whatever these are.
  systemCall(SYS_close, 1);
  systemCall(SYS_close, 2);
  if (systemCall(SYS_open, long("/dev/null"), O_RDWR) == 1)
    systemCall(SYS_dup2, 1, 2);
  closeTheRest();
  const unsigned long none = 0;
  systemCall(SYS_rt_sigprocmask, SIG_SETMASK, long(&none), 0, kMaskBytes);
  shared.error = -int(systemCall(SYS_execve, long(program.path), long(program.arguments),
                                 long(program.environment)));
  systemCall(SYS_exit_group, kNotStarted);
  return 0;
}

MELD_ALONE int RunningProgram::guard(void *argument) {
  auto &shared = *static_cast<Shared *>(argument);
  systemCall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (systemCall(SYS_getppid) != shared.application)
    systemCall(SYS_exit_group, kNotStarted);
  shared.guardian = pid_t(systemCall(SYS_getpid));
  actByDefault(SIGCHLD); // ignored, it would take the child's end from us
  const long made = startOn(shared.childStack(), CLONE_VM | CLONE_VFORK | SIGCHLD, become, &shared);
  shared.child = pid_t(made < 0 ? -1 : made);
  if (made < 0)
    shared.error = -int(made);
  const bool good = !shared.error;
  const long child = shared.child;
  if (!good && child > 0)
    systemCall(SYS_wait4, child);
  wake(shared.started);
  if (good) {
    siginfo_t info;
    while (systemCall(SYS_waitid, P_PID, child, long(&info), WEXITED | WNOWAIT) == -EINTR)
      ;
    wake(shared.finished);
    while (!isSet(shared.mayReap))
      wait(shared.mayReap);
    while (systemCall(SYS_wait4, child, long(&shared.status), 0, long(&shared.usage)) == -EINTR)
      ;
  }
  systemCall(SYS_exit_group, good ? 0 : kNotStarted);
  return 0;
}

bool RunningProgram::guardianLives() const noexcept {
  siginfo_t info{};
  return waitid(P_PID, id_t(guardian_), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
         info.si_pid == 0;
}

Result<std::unique_ptr<RunningProgram>> RunningProgram::start(const Program &program) {
  std::unique_ptr<RunningProgram> running(new RunningProgram);
  void *room =
      mmap(nullptr, Shared::bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return fail(ErrorCode::io, std::string("no memory: ") + std::strerror(errno));
  Shared &shared = *(running->shared_ = new (room) Shared{program, getpid()});
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // No signal number in the flags: nothing is sent at the guardian's end.
  const long made =
      startOn(shared.guardianStack(), CLONE_VM | CLONE_FILES | CLONE_FS, guard, &shared);
  const int error = -int(made);
  running->guardian_ = pid_t(made < 0 ? -1 : made);
  if (running->guardian_ > 0)
    while (!isSet(shared.started) && running->guardianLives())
      wait(shared.started);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (running->guardian_ < 0)
    return fail(ErrorCode::io, std::string("no process to be had: ") + std::strerror(error));
  if (shared.error)
    return fail(ErrorCode::io,
                shared.child < 0
                    ? std::string("no process to be had: ") + std::strerror(shared.error)
                    : std::string(program.path) +
                          " cannot be started: " + std::strerror(shared.error));
  if (!isSet(shared.started))
    return fail(ErrorCode::io, std::string(program.path) + " cannot be started");
  return running;
}

void RunningProgram::kill() noexcept {
  if (shared_ && isSet(shared_->started) && !shared_->error && guardianLives())
    ::kill(shared_->child, SIGKILL);
}

ProgramEnd RunningProgram::end(const std::function<void()> &forgotten) {
  ProgramEnd end;
  while (!isSet(shared_->finished) && guardianLives())
    wait(shared_->finished);
  forgotten();
  wake(shared_->mayReap);
  int status = 0;
  while (wait4(guardian_, &status, __WALL, nullptr) < 0 && errno == EINTR)
    ;
  const rusage &usage = shared_->usage;
  end.known = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.status = shared_->status;
  end.seconds = double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  guardian_ = -1;
  return end;
}

RunningProgram::~RunningProgram() {
  if (guardian_ > 0) {
    kill();
    end([] {});
  }
  if (shared_)
    munmap(shared_, Shared::bytes);
}

} // namespace meld
