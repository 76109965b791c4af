#include "jit/guard.h"

#include "jit/cancel.h"
#include "jit/error.h"
#include "jit/fault_handlers.h"
#include "jit/llvm_handlers.h"
#include "runtime/host/loaded_objects.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <link.h>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace meld::jit {

namespace {

constexpr size_t stackBytes =
    64 << 20; // reserved, not committed; recursion in instruction selection is deep
constexpr size_t guardBytes = 64 << 10;
constexpr unsigned mostUnwound = 16; // calls whose stack was kept; past that the guard stays closed
constexpr size_t signalStackBytes = 256 << 10; // an exception is raised on it

/// What travels through LLVM's frames.
struct FatalError {
  std::string message;
};

// The guarded thread's state; null on every other thread.
struct Frame {
  bool unwound = false; ///< an exception went through LLVM's frames
  sigjmp_buf start;
  volatile sig_atomic_t faultsSeen = 0;
  volatile sig_atomic_t lastSignal = 0;
  volatile uintptr_t faultedAt = 0; ///< the first fault's instruction, where that is known
};
// initial-exec: the handler looks at it on threads that never did, and a first look at a dynamic
// one takes memory.
__attribute__((tls_model("initial-exec"))) thread_local Frame *current = nullptr;
/// On that thread, from before it takes signals.
__attribute__((tls_model("initial-exec"))) thread_local bool isGuarded = false;

// ---- freezing, see freezeGuarded()

constexpr int freezeSignal = SIGTRAP; // one of those that the guarded thread takes anyway

/// Where the compiler's code lies. Filled before the first request, read by the handler.
struct CodeRange {
  uintptr_t begin, end;
};
CodeRange compilerCode[64];
size_t compilerCodes = 0;
std::atomic<bool> freezing{false}, frozen{false};

std::mutex &runningMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}
pthread_t running; ///< valid while isRunning
bool isRunning = false;

int addCompilerCode(dl_phdr_info *info, size_t, void *) {
  bool ours = isCompilerLibrary(info->dlpi_name ? info->dlpi_name : "");
  const auto self = reinterpret_cast<uintptr_t>(&addCompilerCode);
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto &segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
        continue;
      const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
      if (pass == 0)
        ours |= self >= begin && self < end; // this library, with our passes
      else if (ours && compilerCodes < sizeof(compilerCode) / sizeof(compilerCode[0]))
        compilerCode[compilerCodes++] = {begin, end};
    }
  return 0;
}

/// On the guarded thread, in the signal's handler. What was interrupted may be the handler of the
/// signal before it: that is this library's code, but below it lies any code, the C library's too.
/// Handlers run on the alternate stack, nothing else does.
void freezeHere(void *context) {
  const auto &machine = *static_cast<const ucontext_t *>(context);
  const auto pc = uintptr_t(machine.uc_mcontext.gregs[REG_RIP]);
  if (onAlternate(machine, uintptr_t(machine.uc_mcontext.gregs[REG_RSP])))
    return;
  for (size_t i = 0; i < compilerCodes; ++i)
    if (pc >= compilerCode[i].begin && pc < compilerCode[i].end) {
      frozen.store(true);
      sigset_t all;
      sigfillset(&all);
      for (;;)
        sigsuspend(&all);
    }
}

void onFatal(void *, const char *reason, bool) {
  if (current)
    throw FatalError{std::string("LLVM fatal error: ") + reason};
  // Another thread's compile, not ours: back to LLVM's default.
}

void onBadAlloc(void *, const char *, bool) {
  if (current)
    throw std::bad_alloc();
}

/// Sent to the process (kill(2), sigqueue(3), a timer), for any thread that takes it. An abort() or
/// a raise() is for a thread.
bool isForTheProcess(const siginfo_t *info) {
  return info && info->si_code <= 0 && info->si_code != SI_TKILL;
}

/// What nobody wanted while the call ran, by the signal's number; for the end of the call.
siginfo_t kept[32];
volatile sig_atomic_t isKept[32];
static_assert(std::ranges::all_of(faultSignals, [](int number) { return number < 32; }));

void sendToProcess(int number, siginfo_t info) {
  // Which only a process's first thread may write there. The sender stays.
  if (info.si_code == SI_USER) {
    info.si_code = SI_QUEUE;
    info.si_value = {};
  }
  syscall(SYS_rt_sigqueueinfo, getpid(), number, &info);
}

/// The application's threads may all have it blocked, and one of them wait for it by sigwait(3) or
/// signalfd(2): this thread, which the application does not know of, gives it back. In the signal's
/// handler, which returns with all faults open again: the compile's own are still to be caught, so
/// what nobody takes is kept until the call has ended.
void giveBack(int number, const siginfo_t &info) {
  sigset_t one, pending;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_BLOCK, &one, nullptr); // until the handler returns
  sendToProcess(number, info);
  // A second: who looks for it now and then has looked.
  for (int i = 0; i < 5000 && !freezing.load(); ++i) {
    const timespec moment{0, 200'000};
    nanosleep(&moment, nullptr);
    if (sigpending(&pending) == 0 && !sigismember(&pending, number))
      return;
  }
  siginfo_t back;
  const timespec none{};
  if (sigtimedwait(&one, &back, &none) == number) {
    kept[number] = back;
    isKept[number] = 1;
  }
}

/// After the call.
void sendKept() {
  for (int number : faultSignals)
    if (std::exchange(isKept[number], 0))
      sendToProcess(number, kept[number]);
}

std::string whatCrashed(const Frame &frame) {
  std::string text = std::string("the compiler crashed: ") + strsignal(frame.lastSignal);
  if (const uintptr_t at = frame.faultedAt)
    text += " in " + placeOfAddress(reinterpret_cast<const void *>(at));
  return text;
}

/// Takes the compile's own faults, and the signal that is to freeze it.
bool onFault(int number, const siginfo_t *info, void *context) {
  if (isGuarded && isForTheProcess(info)) {
    const int error = errno;
    giveBack(number, *info);
    errno = error;
    return true;
  }
  Frame *frame = current;
  if (number == freezeSignal && info && info->si_code == SI_TKILL && freezing.load()) {
    if (!isGuarded)
      return false; // the application's own
    if (frame)      // else it came late: the call has just ended
      freezeHere(context);
    return true;
  }
  if (!frame)
    return false;
  frame->lastSignal = number;
  frame->faultsSeen = frame->faultsSeen + 1;
  // First try to unwind. A stack too broken for that ends in std::terminate, that is SIGABRT, that
  // is here.
  if (frame->faultsSeen == 1) {
    if (context)
      frame->faultedAt =
          uintptr_t(static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
    throw FatalError{whatCrashed(*frame)};
  }
  siglongjmp(frame->start, 1);
}

// LLVM takes all signals that end a process or are sent by people, SIGUSR1 among them, when it
// first makes a file that is not to outlive a crash: in the middle of code generation, until comgr
// puts back what it found. It does so once in a process, so it does it here, where what it
// displaced is put back at once. Must run on the guarded thread: it gives the thread a signal stack
// if there is none.
void letLlvmTakeItsSignals() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct sigaction found[NSIG], now{};
  bool known[NSIG];
  for (int number = 1; number < NSIG; ++number)
    known[number] = !sigaction(number, nullptr, &found[number]);
  sys::RemoveFileOnSignal("");
  sys::DontRemoveFileOnSignal("");
  for (int number = 1; number < NSIG; ++number)
    if (known[number] && !sigaction(number, nullptr, &now) &&
        now.sa_sigaction != found[number].sa_sigaction)
      sigaction(number, &found[number], nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// What std::terminate() did before; an application's may end the process.
std::terminate_handler terminateBefore = nullptr;

[[noreturn]] void onTerminate() {
  if (Frame *frame = current) { // an exception that cannot pass, or something that gives up
    if (!frame->lastSignal)
      frame->lastSignal = SIGABRT;
    frame->faultsSeen = frame->faultsSeen + 1;
    siglongjmp(frame->start, 1);
  }
  // Another thread's. A handler that was set during the call may call what it displaced, us.
  static thread_local bool inside = false;
  if (!std::exchange(inside, true))
    terminateBefore();
  std::abort();
}

// LLVM's, C++'s and the kernel's handlers, ours for as long as one guarded call runs.
class HandlerScope {
public:
  Error install() {
    const std::string other = otherUserOfErrorHandlers();
    if (!other.empty())
      return compilerError(other + " may have set LLVM's handler of fatal errors, which a compile "
                                   "in this process would take away");
    if (!armFaults(onFault))
      return compilerError("the process has had too many different handlers of faults");
    armed_ = true;
    // A handler that is ours from an earlier call.
    remove_fatal_error_handler();
    remove_bad_alloc_error_handler();
    install_fatal_error_handler(onFatal);
    install_bad_alloc_error_handler(onBadAlloc);
    if (const auto before = std::set_terminate(onTerminate); before != onTerminate)
      terminateBefore = before;
    return Error::success();
  }
  ~HandlerScope() {
    if (!armed_)
      return;
    // Who came during the call may have set one by now. Ours does nothing outside of it.
    if (otherUserOfErrorHandlers().empty()) {
      remove_fatal_error_handler();
      remove_bad_alloc_error_handler();
    }
    if (std::get_terminate() == onTerminate) // else what the application has set meanwhile stays
      std::set_terminate(terminateBefore);
    disarmFaults();
  }

private:
  bool armed_ = false;
};

// The compile thread's stack. LLVM's frames have no clean-ups, so objects on them that are known
// elsewhere (clang's timers are linked into a global list) outlive an exception. The stack of such
// a call is therefore never given back: later compiles may still write to those objects.
class ThreadStack {
public:
  ThreadStack() {
    memory_ = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory_ != MAP_FAILED)
      mprotect(memory_, guardBytes, PROT_NONE);
  }
  ~ThreadStack() {
    if (memory_ != MAP_FAILED && !kept_)
      munmap(memory_, stackBytes);
  }
  bool valid() const { return memory_ != MAP_FAILED; }
  void *begin() const { return memory_; }
  void keep() { kept_ = true; }

private:
  void *memory_;
  bool kept_ = false;
};

class AlternateStack {
public:
  AlternateStack() {
    memory_ =
        mmap(nullptr, signalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED)
      return;
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = signalStackBytes;
    sigaltstack(&stack, nullptr);
  }
  bool valid() const { return memory_ != MAP_FAILED; }
  ~AlternateStack() {
    if (memory_ == MAP_FAILED)
      return;
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    munmap(memory_, signalStackBytes);
  }

private:
  void *memory_;
};

struct Call {
  const std::function<Error()> *f = nullptr;
  std::string message;
  bool failed = false; ///< did not come back by itself
  bool unwound = false;
  bool faulted = false; ///< a signal, so LLVM's state is unknown
  Error result = Error::success();
};

void runCatching(Call &call) {
  auto failed = [&](std::string message) {
    call.failed = true;
    call.message = std::move(message);
  };
  try {
    call.result = (*call.f)();
  } catch (const FatalError &e) {
    current->unwound = true;
    failed(e.message);
  } catch (const std::bad_alloc &) {
    current->unwound = true;
    failed("out of memory while compiling");
  } catch (const std::exception &e) {
    current->unwound = true;
    failed(std::string("exception while compiling: ") + e.what());
  }
}

void *threadMain(void *argument) {
  auto &call = *static_cast<Call *>(argument);
  AlternateStack alternate;
  if (!alternate.valid()) { // without it no handler knows what it has interrupted
    call.failed = true;
    call.message = "no memory for a stack to take signals on";
    return nullptr;
  }
  isGuarded = true;
  // Whoever asked for the compile may have everything blocked, and a fault that is blocked ends the
  // process.
  sigset_t open;
  sigemptyset(&open);
  for (int fault : faultSignals)
    sigaddset(&open, fault);
  pthread_sigmask(SIG_UNBLOCK, &open, nullptr);
  // comgr and LLVM write temporary files: past a limit on their size, or into a pipe without a
  // reader, that is to be an error of the write and not the end of the process.
  sigset_t ofWrites;
  sigemptyset(&ofWrites);
  sigaddset(&ofWrites, SIGXFSZ);
  sigaddset(&ofWrites, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &ofWrites, nullptr);
  {
    std::lock_guard<std::mutex> lock(runningMutex());
    if (compilesCancelled()) { // freezeGuarded() may already have found nothing to do
      call.failed = true;
      call.message = "stopped: the process ends";
      return nullptr;
    }
    running = pthread_self();
    isRunning = true;
  }
  static const bool once = (letLlvmTakeItsSignals(), true);
  (void)once;
  auto frame = std::make_unique<Frame>();
  if (sigsetjmp(frame->start, 1) == 0) {
    current = frame.get();
    runCatching(call);
  } else {
    call.failed = true;
    call.message = whatCrashed(*frame);
  }
  call.unwound = frame->unwound;
  call.faulted = frame->faultsSeen != 0;
  current = nullptr; // not to be frozen with the lock, which freezeGuarded() takes
  {
    std::lock_guard<std::mutex> lock(runningMutex());
    isRunning = false;
  }
  return nullptr;
}

} // namespace

Error runGuarded(const std::function<Error()> &f) {
  static auto *mutex = new std::mutex;
  static bool closed = false;
  static unsigned unwound = 0;
  std::lock_guard<std::mutex> lock(*mutex);
  if (closed)
    return compilerError("the compiler crashed earlier in this process");

  if (unwound >= mostUnwound)
    return compilerError("the compiler failed too often in this process");

  Call call;
  call.f = &f;
  ThreadStack stack;
  {
    HandlerScope handlers;
    if (auto e = handlers.install()) {
      consumeError(std::move(call.result));
      return e;
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_t thread;
    int rc = stack.valid() ? pthread_attr_setstack(&attributes, stack.begin(), stackBytes) : ENOMEM;
    if (rc == 0)
      rc = pthread_create(&thread, &attributes, threadMain, &call);
    pthread_attr_destroy(&attributes);
    if (rc == 0) {
      pthread_join(thread, nullptr);
      sendKept();
    } else {
      call.failed = true;
      call.message = std::string("no thread to compile on: ") + strerror(rc);
    }
  }
  if (call.unwound || call.faulted) {
    stack.keep();
    ++unwound;
  }
  closed = call.faulted;
  if (!call.failed)
    return std::move(call.result);
  consumeError(std::move(call.result));
  return compilerError(call.message);
}

bool freezeGuarded(std::chrono::milliseconds budget) noexcept {
  const auto until = std::chrono::steady_clock::now() + budget;
  if (!freezing.load()) {
    dl_iterate_phdr(addCompilerCode, nullptr);
    freezing.store(true);
  }
  for (;;) {
    {
      // While it is marked as running the thread exists, and its signal handlers are in place.
      std::lock_guard<std::mutex> lock(runningMutex());
      if (frozen.load() || !isRunning)
        return true;
      if (rearmFault(freezeSignal)) // the application may have displaced it
        pthread_kill(running, freezeSignal);
    }
    usleep(200);
    if (frozen.load())
      return true;
    if (std::chrono::steady_clock::now() >= until)
      return false;
  }
}

Error catchFatal(const char *what, const std::function<Error()> &f) {
  if (!current)
    return f();
  try {
    return f();
  } catch (const FatalError &e) {
    current->unwound = true;
    return compilerError(Twine(what) + ": " + e.message);
  } catch (const std::bad_alloc &) {
    current->unwound = true;
    return compilerError(Twine(what) + ": out of memory");
  }
}

} // namespace meld::jit
