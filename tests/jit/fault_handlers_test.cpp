// Stand-ins against the kernel itself: an application does things to its handlers of faults, once
// as it is and once with stand-ins put in place and taken away between any two of its steps. Which
// handlers run, on which stack, with which signals blocked, and how the process ends is the same.
#include "jit/fault_handlers.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace meld::jit;

namespace {

constexpr size_t stackBytes = 64 << 10;
char *alternateStack;
sigjmp_buf back;
int trace = -1;
int depth = 0;

void say(char what, int detail) {
  const char text[3] = {what, char('0' + detail % 64), ' '};
  (void)!write(trace, text, sizeof text);
}

/// What a handler can see of how it was called.
void sayHow(int kind) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const bool alternate = here - reinterpret_cast<uintptr_t>(alternateStack) < stackBytes;
  say('h', kind);
  say('s', alternate);
  say('b', sigismember(&blocked, SIGSEGV) | sigismember(&blocked, SIGUSR1) << 1);
}

struct sigaction displacedBy[16];

template <int Kind> void jumps(int, siginfo_t *, void *) {
  sayHow(Kind);
  siglongjmp(back, 1);
}

template <int Kind> void plain(int) {
  sayHow(Kind);
  siglongjmp(back, 1);
}

/// What libraries do that know nothing about the fault: on to the one before.
template <int Kind> void chains(int number, siginfo_t *info, void *context) {
  sayHow(Kind);
  if (++depth > 4)
    siglongjmp(back, 1);
  const struct sigaction &next = displacedBy[Kind];
  if (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (next.sa_flags & SA_SIGINFO)
    next.sa_sigaction(number, info, context); // as a jump, where the compiler likes that better
  else
    next.sa_handler(number);
}

struct sigaction kindOf(int kind) {
  struct sigaction a {};
  switch (kind) {
  case 0:
    a.sa_sigaction = jumps<0>;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    break;
  case 1:
    a.sa_sigaction = jumps<1>;
    a.sa_flags = SA_SIGINFO | SA_NODEFER;
    break;
  case 2:
    a.sa_handler = plain<2>;
    a.sa_flags = SA_RESTART;
    sigaddset(&a.sa_mask, SIGUSR1);
    break;
  case 3:
    a.sa_handler = plain<3>;
    a.sa_flags = SA_RESETHAND;
    break;
  case 4:
    a.sa_sigaction = chains<4>;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    break;
  case 5:
    a.sa_sigaction = chains<5>;
    a.sa_flags = SA_SIGINFO;
    sigaddset(&a.sa_mask, SIGUSR1);
    break;
  case 6:
    a.sa_handler = SIG_IGN;
    break;
  default:
    a.sa_handler = SIG_DFL;
  }
  return a;
}

bool notOurs(int, const siginfo_t *, void *) { return false; }

volatile int *volatile badAddress;

void fault() {
  depth = 0;
  if (!sigsetjmp(back, 1))
    *badAddress = 1;
}

void sent() {
  depth = 0;
  if (!sigsetjmp(back, 1))
    raise(SIGSEGV);
}

void run(unsigned seed, bool withStandIns) {
  badAddress =
      static_cast<int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  alternateStack = static_cast<char *>(
      mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = stackBytes;
  sigaltstack(&stack, nullptr);
  signal(SIGSEGV, SIG_DFL); // gtest's own
  struct sigaction kept[3] = {kindOf(0), kindOf(1), kindOf(2)};
  std::mt19937 random(seed);
  bool armed = false;
  for (int step = 0; step < 40; ++step) {
    const unsigned what = random() % 8, which = random() % 3, kind = random() % 24;
    if (random() % 2) {
      if (withStandIns && armed)
        disarmFaults();
      else if (withStandIns && !armFaults(notOurs))
        _exit(9);
      armed = !armed;
    }
    switch (what) {
    case 0:
    case 1: { // a handler of its own; a default or ignored one ends most runs, so it is rare
      const int chosen = kind < 22 ? int(kind % 6) : int(kind) - 16;
      const struct sigaction next = kindOf(chosen);
      sigaction(SIGSEGV, &next, &kept[which]);
      displacedBy[chosen] = kept[which];
      break;
    }
    case 2: // reads, without a change
      sigaction(SIGSEGV, nullptr, &kept[which]);
      break;
    case 3: // puts back what it had
      sigaction(SIGSEGV, &kept[which], nullptr);
      break;
    case 4: // the same in the old way, which loses flags and mask
      if (kept[which].sa_handler != SIG_IGN)
        signal(SIGSEGV, kept[which].sa_handler);
      break;
    case 5:
      say('S', 0);
      sent();
      break;
    default:
      say('F', 0);
      fault();
    }
  }
  if (withStandIns && armed)
    disarmFaults();
  say('F', 1);
  fault();
  _exit(0);
}

[[maybe_unused]] std::string outcome(unsigned seed, bool withStandIns) { // not with a sanitizer
  int ends[2];
  if (pipe(ends))
    return "no pipe";
  const pid_t child = fork();
  if (!child) {
    close(ends[0]);
    trace = ends[1];
    alarm(60);
    run(seed, withStandIns);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return text + (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                     : "exit " + std::to_string(WEXITSTATUS(status)));
}

#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
    !defined(__SANITIZE_THREAD__) // their own handlers stand between
TEST(FaultHandlers, AnyOrderOfStepsIsTheKernels) {
  int ended = 0, handled = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::string expected = outcome(seed, false);
    EXPECT_EQ(outcome(seed, true), expected) << "seed " << seed;
    ended += expected.find("signal 11") != std::string::npos;
    handled += expected.find('h') != std::string::npos;
  }
  EXPECT_GT(ended, 20) << "the steps are not what they were meant to be";
  EXPECT_GT(handled, 100);
}

int overflow(int n) {
  volatile char big[4096];
  big[0] = char(n);
  return n + big[0] > -1 ? overflow(n + 1) + big[0] : 0;
}

// A handler that asks for the interrupted stack cannot be called on one that is full: the kernel
// ends the process, and so do we.
TEST(FaultHandlers, AStackOverflowEndsLikeTheKernels) {
  for (bool withStandIns : {false, true})
    for (int kind : {0, 1}) {
      const pid_t child = fork();
      if (!child) {
        alarm(60);
        trace = open("/dev/null", O_WRONLY);
        static char stackRoom[stackBytes];
        alternateStack = stackRoom;
        stack_t stack{};
        stack.ss_sp = stackRoom;
        stack.ss_size = sizeof stackRoom;
        sigaltstack(&stack, nullptr);
        const struct sigaction action = kindOf(kind);
        sigaction(SIGSEGV, &action, nullptr);
        if (withStandIns && !armFaults(notOurs))
          _exit(9);
        if (!sigsetjmp(back, 1))
          overflow(1);
        _exit(7);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (kind == 0) {
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << withStandIns << status;
      } else {
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << withStandIns << status;
      }
    }
}
#endif

TEST(FaultHandlers, TheyHaveAnEndAndThenChangeNothing) {
  const pid_t child = fork();
  if (!child) {
    bool armedOnce = false;
    for (int i = 0; i < 1000; ++i) {
      // Another disposition each time: by its mask.
      struct sigaction action = kindOf(0), now{};
      for (int bit = 0; bit < 10; ++bit)
        if (i >> bit & 1)
          sigaddset(&action.sa_mask, SIGRTMIN + bit);
      sigaction(SIGBUS, &action, nullptr);
      const bool armed = armFaults(notOurs);
      armedOnce |= armed;
      if (armed)
        disarmFaults();
      sigaction(SIGBUS, nullptr, &now);
      if (now.sa_sigaction != action.sa_sigaction)
        _exit(1);
      if (!armed)
        _exit(armedOnce ? 7 : 2);
    }
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

} // namespace
