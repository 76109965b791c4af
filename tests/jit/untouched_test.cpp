// What a compile leaves behind in the application's process: nothing.
#include "jit/compile.h"
#include "jit/guard.h"
#include "tests/jit/test_objects.h"

#include "llvm/Support/CommandLine.h"

#include <cfenv>
#include <clocale>
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace meld::jit;
using namespace meld::jit::test;

namespace {

void otherHandler(int) {}
void handlerOfThree(int, siginfo_t *, void *) {}

/// All that belongs to the process or to this thread, as text.
std::string stateOfTheProcess() {
  std::ostringstream out;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action))
      continue;
    out << "signal " << number << ' ' << reinterpret_cast<void *>(action.sa_sigaction) << ' '
        << (action.sa_flags & ~0x04000000); // glibc's SA_RESTORER
    for (int other = 1; other < NSIG; ++other)
      if (sigismember(&action.sa_mask, other) == 1)
        out << ' ' << other;
    out << '\n';
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number)
    if (sigismember(&blocked, number) == 1)
      out << "blocked " << number << '\n';
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  out << "stack " << stack.ss_sp << ' ' << stack.ss_size << ' ' << stack.ss_flags << '\n';
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    for (const char *name : {"SigIgn", "NoNewPrivs", "Seccomp"})
      if (line.rfind(name, 0) == 0)
        out << line << '\n';
  for (char **variable = environ; *variable; ++variable)
    out << *variable << '\n';
  const mode_t mask = umask(022);
  umask(mask);
  char folder[4096] = "";
  (void)!getcwd(folder, sizeof folder);
  out << "umask " << mask << " folder " << folder << " locale " << setlocale(LC_ALL, nullptr)
      << " rounding " << fegetround() << " traps " << fegetexcept() << '\n';
  for (const auto &option : llvm::cl::getRegisteredOptions())
    if (option.getValue()->getNumOccurrences())
      out << "option " << option.getKey().str() << '\n';
  return out.str();
}

CompileReply compileOf(const char *name) {
  auto file = codeObject(name);
  CompileRequest request;
  request.codeObject = file->getBuffer();
  return compile(request);
}

TEST(Untouched, ByACompile) {
  static char stackRoom[64 << 10];
  stack_t stack{};
  stack.ss_sp = stackRoom;
  stack.ss_size = sizeof stackRoom;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = handlerOfThree;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaddset(&action.sa_mask, SIGUSR2);
  for (int number : {SIGSEGV, SIGBUS, SIGCHLD})
    sigaction(number, &action, nullptr);
  signal(SIGFPE, SIG_IGN);
  signal(SIGTERM, otherHandler);
  signal(SIGPIPE, SIG_IGN);
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  sigaddset(&some, SIGILL);
  pthread_sigmask(SIG_BLOCK, &some, nullptr);
  setenv("AN_APPLICATIONS", "variable", 1);
  const std::string before = stateOfTheProcess();
  const auto made = compileOf("diamond-gfx90a");
  EXPECT_EQ(made.status, CompileReply::Status::replaced) << made.reason;
  EXPECT_EQ(stateOfTheProcess(), before);
  // Nor by one that fails, early or in the compiler.
  const auto damaged =
      withSection(codeObject("diamond-gfx90a")->getBuffer(), ".llvmbc", "BC\xC0\xDE....");
  CompileRequest request;
  request.codeObject = damaged;
  EXPECT_EQ(compile(request).status, CompileReply::Status::failed);
  EXPECT_EQ(stateOfTheProcess(), before);
  (void)llvm::toString(runGuarded([]() -> llvm::Error { throw std::bad_alloc(); }));
  EXPECT_EQ(stateOfTheProcess(), before);
  pthread_sigmask(SIG_UNBLOCK, &some, nullptr);
}

} // namespace
