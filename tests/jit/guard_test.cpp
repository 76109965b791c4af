#include "jit/guard.h"

#include "jit/error.h"
#include "jit/fault_handlers.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <malloc.h>
#include <mutex>
#include <new>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace meld::jit;

namespace {

volatile int *volatile badAddress = reinterpret_cast<volatile int *>(8);

TEST(Guard, passesResultsThrough) {
  EXPECT_FALSE(bool(runGuarded([] { return Error::success(); })));
  EXPECT_EQ(toString(runGuarded([] { return inputError("x is wrong"); })), "x is wrong");
}

TEST(Guard, fatalErrorBecomesAnErrorAndLaterCallsWork) {
  for (int i = 0; i < 3; ++i) {
    auto text = toString(runGuarded([]() -> Error { report_fatal_error("cannot go on"); }));
    EXPECT_EQ(text, "LLVM fatal error: cannot go on");
  }
  EXPECT_FALSE(bool(runGuarded([] { return Error::success(); })));
}

TEST(Guard, catchFatalKeepsTheRestRunning) {
  bool after = false;
  auto e = runGuarded([&] {
    auto inner = catchFatal("step", []() -> Error { report_fatal_error("no"); });
    after = true;
    return inner;
  });
  EXPECT_EQ(toString(std::move(e)), "step: LLVM fatal error: no");
  EXPECT_TRUE(after);
}

TEST(Guard, outOfMemory) {
  auto e = runGuarded([]() -> Error { throw std::bad_alloc(); });
  EXPECT_NE(toString(std::move(e)).find("out of memory"), std::string::npos);
  auto viaLlvm = runGuarded([]() -> Error { report_bad_alloc_error("x"); });
  EXPECT_NE(toString(std::move(viaLlvm)).find("out of memory"), std::string::npos);
}

TEST(Guard, deepRecursionFitsTheStack) {
  // 40 MB of stack: more than a default thread has.
  struct Deep {
    static int go(int n) {
      volatile char page[4096];
      page[0] = char(n);
      return n ? go(n - 1) + page[0] : 0;
    }
  };
  int sum = -1;
  EXPECT_FALSE(bool(runGuarded([&] {
    sum = Deep::go(10000);
    return Error::success();
  })));
  EXPECT_NE(sum, -1);
}

// A fault closes the guard for good, so each of these has a process of its own (death test, exit
// code 0).
template <class F> void faultThenClosed(F &&fault) {
  auto first = toString(runGuarded([&]() -> Error {
    fault();
    return Error::success();
  }));
  if (first.find("crashed") == std::string::npos)
    std::exit(1);
  auto second = toString(runGuarded([] { return Error::success(); }));
  std::exit(second.find("crashed earlier") == std::string::npos ? 2 : 0);
}

int overflow(int n) {
  volatile char big[65536];
  big[0] = char(n);
  return n + big[0] > -1 ? overflow(n + 1) + big[0] : 0;
}

TEST(GuardDeathTest, segmentationFault) {
  EXPECT_EXIT(faultThenClosed([] { *badAddress = 1; }), testing::ExitedWithCode(0), "");
}
TEST(GuardDeathTest, saysWhereItWas) {
  EXPECT_EXIT(
      {
        const auto text = toString(runGuarded([]() -> Error {
          *badAddress = 1;
          return Error::success();
        }));
        std::fputs(text.c_str(), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the compiler crashed: .* in the program.0x[0-9a-f]+$");
}
TEST(GuardDeathTest, abortCall) {
  EXPECT_EXIT(faultThenClosed([] { std::abort(); }), testing::ExitedWithCode(0), "");
}
TEST(GuardDeathTest, trap) {
  EXPECT_EXIT(faultThenClosed([] { __builtin_trap(); }), testing::ExitedWithCode(0), "");
}
TEST(GuardDeathTest, stackOverflow) {
  EXPECT_EXIT(faultThenClosed([] { overflow(1); }), testing::ExitedWithCode(0), "");
}
TEST(GuardDeathTest, terminate) {
  EXPECT_EXIT(faultThenClosed([] { std::terminate(); }), testing::ExitedWithCode(0), "");
}

// Each unwound call keeps its stack, so their number is bounded.
int failOften() {
  for (int i = 0; i < 100; ++i) {
    auto text = toString(runGuarded([]() -> Error { report_fatal_error("again"); }));
    if (text.find("too often") != std::string::npos)
      return i > 3 ? 0 : 1;
    if (text.find("again") == std::string::npos)
      return 2;
  }
  return 3;
}
TEST(GuardDeathTest, failuresAreBounded) {
  EXPECT_EXIT(std::exit(failOften()), testing::ExitedWithCode(0), "");
}

// The shim's compile threads have every signal blocked, and a blocked fault ends the process.
TEST(GuardDeathTest, faultOfACallerThatBlocksSignals) {
  EXPECT_EXIT(
      {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, nullptr);
        faultThenClosed([] { *badAddress = 1; });
      },
      testing::ExitedWithCode(0), "");
}

/// A compile that nothing ends. Counts, so that the optimiser keeps it.
std::atomic<uint64_t> spins{0};
void startEndlessCompile(const std::function<void()> &step) {
  std::thread([&step] {
    (void)runGuarded([&step]() -> Error {
      for (;;) {
        ++spins;
        step();
      }
    });
  }).detach();
  while (!spins)
    std::this_thread::yield();
}

int freezeAndExit(const std::function<void()> &step, std::chrono::milliseconds budget,
                  bool expected) {
  startEndlessCompile(step);
  const bool stopped = freezeGuarded(budget);
  const uint64_t before = spins;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const bool still = spins == before;
  return stopped == expected && still == expected ? 0 : 1;
}

TEST(GuardDeathTest, anEndlessCallIsFrozenAndTheProcessEnds) {
  EXPECT_EXIT(std::exit(freezeAndExit([] {}, std::chrono::seconds(10), true)),
              testing::ExitedWithCode(0), "");
}

TEST(GuardDeathTest, aCallThatAllocatesIsNotFrozenInsideTheAllocator) {
  // If it were, the allocations here would wait for its lock for ever.
  EXPECT_EXIT(
      {
        static const std::function<void()> step = [] {
          free(malloc(200 + spins % 4096)); // the same arena in every thread, see below
        };
        mallopt(M_ARENA_MAX, 1);
        int status = freezeAndExit(step, std::chrono::seconds(10), true);
        for (int i = 0; i < 100000; ++i)
          step();
        std::exit(status);
      },
      testing::ExitedWithCode(0), "");
}

/// The kernel's word for what a thread of this process does: 'R' runs, 'S' waits; '?' where it says none.
char stateOf(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t name = text.rfind(") ");
  return name == std::string::npos ? '?' : text[name + 2];
}

/// A call's thread that waits for a mutex, which a signal does not wake: behind pause() the thread
/// would be in its own code again.
pid_t startCompileThatWaits() {
  static std::mutex held;
  held.lock();
  static std::atomic<pid_t> waiter{0};
  static const std::function<void()> step = [] {
    waiter = gettid();
    held.lock();
  };
  startEndlessCompile(step);
  while (!waiter || stateOf(waiter) != 'S')
    std::this_thread::yield();
  return waiter;
}

TEST(GuardDeathTest, aCallThatWaitsInsideTheSystemIsLeftAlone) {
  EXPECT_EXIT(
      {
        startCompileThatWaits();
        std::exit(freezeGuarded(std::chrono::milliseconds(50)) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

/// Signals that come close together: the second finds the thread in the handler of the first, which is
/// the library's code while what lies below is the system's.
bool frozenUnderTwoSignalsAtOnce(pid_t thread, std::chrono::milliseconds budget) {
  // From here on the signal is a freeze and no fault.
  if (freezeGuarded(std::chrono::milliseconds(0)))
    return true;
  const auto until = std::chrono::steady_clock::now() + budget;
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 20; ++i) { // even if each interrupts the last, their frames fit that stack
      tgkill(getpid(), thread, SIGTRAP);
      for (volatile int spin = 0; spin < 500;)
        spin = spin + 1;
    }
    usleep(200); // in which they all end
  }
  return freezeGuarded(std::chrono::milliseconds(50));
}

TEST(GuardDeathTest, aCallThatWaitsInsideTheSystemIsNotFrozenInItsHandler) {
  EXPECT_EXIT(
      {
        const pid_t waiter = startCompileThatWaits();
        std::exit(frozenUnderTwoSignalsAtOnce(waiter, std::chrono::milliseconds(300)) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Guard, freezingNothingSucceedsAtOnce) {
  EXPECT_FALSE(bool(runGuarded([] { return Error::success(); })));
  EXPECT_TRUE(freezeGuarded(std::chrono::milliseconds(0)));
}

void ownHandler(int) { std::_Exit(7); }

TEST(GuardDeathTest, anotherThreadsFaultGoesToTheApplication) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, ownHandler);
        (void)runGuarded([]() -> Error {
          std::thread([] { *badAddress = 1; }).join();
          return Error::success();
        });
      },
      testing::ExitedWithCode(7), "");
  // With the default action the process ends by the signal.
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)runGuarded([]() -> Error {
          std::thread([] { *badAddress = 1; }).join();
          return Error::success();
        });
      },
      testing::KilledBySignal(SIGSEGV), "");
}

/// An application as servers are written: every thread blocks all signals, and one waits for those
/// that are sent. How many of `count` sent ones it is told of while calls run one after the other;
/// an error of a call ends the process.
int toldOfSentSignals(int number, int count) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::atomic<int> told{0};
  std::atomic<bool> stop{false}, runs{false};
  std::thread([&, number] {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, number);
    for (siginfo_t info;;)
      if (sigwaitinfo(&wanted, &info) == number && info.si_pid == getpid())
        ++told;
  }).detach();
  std::thread calls([&] {
    while (!stop)
      if (runGuarded([&] {
            runs = true;
            for (int i = 0; i < 100000 && !stop; ++i)
              free(malloc(200 + i % 4096));
            return Error::success();
          }))
        std::_Exit(9);
  });
  while (!runs)
    std::this_thread::yield();
  for (int sent = 1; sent <= count && told == sent - 1; ++sent) {
    kill(getpid(), number);
    for (int wait = 0; wait < 10000 && told < sent; ++wait)
      usleep(1000);
  }
  stop = true;
  calls.join();
  return told;
}

TEST(GuardDeathTest, aSignalSentToTheProcessIsNoFaultOfTheCall) {
  for (int number : faultSignals) {
    EXPECT_EXIT(std::exit(toldOfSentSignals(number, 50) == 50 ? 0 : 1), testing::ExitedWithCode(0),
                "")
        << strsignal(number);
  }
}

/// One that nobody takes, all threads have it blocked: the call's own fault is caught all the same,
/// and afterwards it is still to be had.
bool isKeptForLater(int number) {
  sigset_t all, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  bool still = false;
  const auto text = toString(runGuarded([&]() -> Error {
    kill(getpid(), number);
    usleep(100000);
    still = true;
    *badAddress = 1;
    return Error::success();
  }));
  return still && text.starts_with("the compiler crashed") && sigpending(&pending) == 0 &&
         sigismember(&pending, number);
}

TEST(GuardDeathTest, aSignalThatNobodyTakesIsStillThereAfterTheCall) {
  for (int number : faultSignals) {
    EXPECT_EXIT(std::exit(isKeptForLater(number) ? 0 : 1), testing::ExitedWithCode(0), "")
        << strsignal(number);
  }
}

/// An application that looks for signals now and then is told of one while the call runs.
bool isToldWhileItPolls(int number) {
  sigset_t all, one;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  sigemptyset(&one);
  sigaddset(&one, number);
  static const std::function<void()> nothing = [] {};
  startEndlessCompile(nothing);
  kill(getpid(), number);
  const timespec none{};
  for (int i = 0; i < 50; ++i) {
    usleep(50000);
    if (sigtimedwait(&one, nullptr, &none) == number)
      return true;
  }
  return false;
}

TEST(GuardDeathTest, aSignalThatIsPolledForIsHadDuringTheCall) {
  for (int number : {SIGABRT, SIGSEGV, SIGTRAP}) {
    EXPECT_EXIT(std::_Exit(isToldWhileItPolls(number) ? 0 : 1), testing::ExitedWithCode(0), "")
        << strsignal(number);
  }
}

TEST(GuardDeathTest, aCallIsFrozenAfterASignalThatNobodyTakes) {
  EXPECT_EXIT(
      {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, nullptr);
        kill(getpid(), SIGTRAP);
        std::exit(freezeAndExit([] {}, std::chrono::seconds(10), true));
      },
      testing::ExitedWithCode(0), "");
}

std::atomic<int> handled{0};

TEST(GuardDeathTest, theApplicationsOwnTrapAfterAFreezeIsTheApplications) {
  EXPECT_EXIT(
      {
        signal(SIGTRAP, [](int) { ++handled; });
        const int status = freezeAndExit([] {}, std::chrono::seconds(10), true);
        raise(SIGTRAP);
        std::exit(status || handled != 1);
      },
      testing::ExitedWithCode(0), "");
}

void throwNowhere() noexcept { *badAddress = 1; }

TEST(GuardDeathTest, anApplicationsTerminateHandlerIsNotCalledForACall) {
  for (bool faults : {false, true}) {
    EXPECT_EXIT(
        {
          std::set_terminate([] { std::_Exit(3); });
          faultThenClosed([faults] { faults ? throwNowhere() : std::terminate(); });
        },
        testing::ExitedWithCode(0), "");
  }
  // Another thread's goes to the application, and what it has set is back afterwards.
  EXPECT_EXIT(
      {
        std::set_terminate([] { std::_Exit(3); });
        static const std::function<void()> nothing = [] {};
        startEndlessCompile(nothing);
        std::terminate();
      },
      testing::ExitedWithCode(3), "");
  const auto before = std::get_terminate();
  EXPECT_FALSE(bool(runGuarded([] { return Error::success(); })));
  EXPECT_EQ(std::get_terminate(), before);
}

TEST(Guard, signalHandlersAreBackAfterwards) {
  struct sigaction before {
  }, after{};
  sigaction(SIGSEGV, nullptr, &before);
  EXPECT_FALSE(bool(runGuarded([] { return Error::success(); })));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(reinterpret_cast<void *>(before.sa_handler),
            reinterpret_cast<void *>(after.sa_handler));
}

// ---- an application that changes its handlers while a call runs

sigjmp_buf landing;
void jumpBack(int) { siglongjmp(landing, 1); }
void neverCalled(int) { std::_Exit(8); }

bool faultIsHandled() {
  if (!sigsetjmp(landing, 1)) {
    *badAddress = 1;
    return false;
  }
  return true;
}

Error nothing() { return Error::success(); }

/// Faults of the application during a call, between two and during the next.
bool faultsAroundCalls() {
  alarm(60);
  signal(SIGSEGV, jumpBack);
  struct sigaction saved {};
  struct sigaction other {};
  other.sa_handler = neverCalled;
  bool during = false, inside = false;
  (void)runGuarded([&]() -> Error {
    std::thread([&] {
      sigaction(SIGSEGV, &other, &saved);
      sigaction(SIGSEGV, &saved, nullptr);
      during = faultIsHandled();
      sigaction(SIGSEGV, &other, &saved);
    }).join();
    return Error::success();
  });
  sigaction(SIGSEGV, &saved, nullptr);
  const bool after = faultIsHandled();
  (void)runGuarded(nothing);
  const bool later = faultIsHandled();
  (void)runGuarded([&]() -> Error {
    std::thread([&] { inside = faultIsHandled(); }).join();
    return Error::success();
  });
  return during && after && later && inside;
}

// Libraries guard a piece of their work so. What they read during the call is a handler of ours.
TEST(GuardDeathTest, aHandlerSavedDuringACallAndPutBackLater) {
  EXPECT_EXIT(std::exit(faultsAroundCalls() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// The default action stays one whose stand-in was put back.
TEST(GuardDeathTest, theDefaultActionSavedDuringACallAndPutBackLater) {
  EXPECT_EXIT(
      {
        alarm(60);
        signal(SIGSEGV, SIG_DFL);
        struct sigaction saved {};
        (void)runGuarded([&]() -> Error {
          sigaction(SIGSEGV, nullptr, &saved);
          return Error::success();
        });
        sigaction(SIGSEGV, &saved, nullptr);
        (void)runGuarded(nothing);
        *badAddress = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

// A fault cannot be ignored: without us the kernel ends the process.
TEST(GuardDeathTest, anIgnoredFaultOfAnotherThreadDoesNotSpin) {
  EXPECT_EXIT(
      {
        alarm(60);
        signal(SIGSEGV, SIG_IGN);
        (void)runGuarded([]() -> Error {
          std::thread([] { *badAddress = 1; }).join();
          return Error::success();
        });
      },
      testing::KilledBySignal(SIGSEGV), "");
}

// Freezing needs a handler in place that the application may have displaced.
TEST(GuardDeathTest, anEndlessCallIsFrozenWhateverTheApplicationDidToTheSignal) {
  EXPECT_EXIT(
      {
        static const std::function<void()> step = [] {};
        startEndlessCompile(step);
        signal(SIGTRAP, SIG_DFL);
        std::exit(freezeGuarded(std::chrono::seconds(10)) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

/// Does not return: 0 when a write past the limit was an error and nothing more.
[[noreturn]] void writePastTheLimit() {
  signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{16, 16};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto error = runGuarded([]() -> Error {
    std::FILE *file = std::tmpfile();
    if (!file)
      return compilerError("no file");
    const std::string text(64, 'x');
    if (write(fileno(file), text.data(), 64) != 16 || write(fileno(file), text.data(), 1) != -1)
      return compilerError("written");
    return compilerError(std::strerror(errno));
  });
  const bool right = toString(std::move(error)) == std::strerror(EFBIG);
  sigset_t pending;
  sigpending(&pending);
  _exit(right && !sigismember(&pending, SIGXFSZ) ? 0 : 1);
}

// comgr and LLVM write temporary files.
TEST(GuardDeathTest, aWritePastTheLimitOfAFilesSizeIsAnError) {
  EXPECT_EXIT(writePastTheLimit(), testing::ExitedWithCode(0), "");
}

} // namespace
