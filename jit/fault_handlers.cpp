#include "jit/fault_handlers.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace meld::jit {

bool onAlternate(const ucontext_t &context, uintptr_t address) noexcept {
  const stack_t &stack = context.uc_stack;
  return !(stack.ss_flags & SS_DISABLE) &&
         address - reinterpret_cast<uintptr_t>(stack.ss_sp) < stack.ss_size;
}

namespace {

using Handler = void (*)(int, siginfo_t *, void *);

// The frame of a signal's handler (struct rt_sigframe of the kernel): return address, ucontext,
// siginfo. The kernel's ucontext has 8 bytes of signal mask where glibc's has 128.
constexpr size_t infoBehindContext = 304;
constexpr size_t redZone = 128;     // below the stack pointer, in use (x86-64 psABI, 3.2.2)
constexpr size_t roomToCall = 4096; // the kernel itself would need about that for the frame

/// What stand-in k is worth. An entry does not change once it is counted.
struct sigaction stoodFor[standIns];
std::atomic<size_t> stood{0};
std::atomic<TakeFault> takeFault{nullptr};
std::atomic<bool> armed{false};

std::mutex &tableMutex() {
  static auto *mutex = new std::mutex; // a fault may come after the exit handlers
  return *mutex;
}

void arrived(size_t slot, bool fromKernel, int number, siginfo_t *info, void *context);

// Does not inline, so that its frame is the one next to the kernel's.
template <size_t Slot>
__attribute__((noinline)) void standIn(int number, siginfo_t *info, void *context) {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  arrived(Slot, frame + 2 * sizeof(void *) == reinterpret_cast<uintptr_t>(context), number, info,
          context);
}

template <size_t... Slots>
constexpr std::array<Handler, sizeof...(Slots)> allStandIns(std::index_sequence<Slots...>) {
  return {standIn<Slots>...};
}
constexpr auto handlers = allStandIns(std::make_index_sequence<standIns>());

/// Which stand-in that is, or `standIns`. signal() leaves out that it wants three arguments.
size_t slotOf(const struct sigaction &action) {
  size_t slot = 0;
  while (slot < standIns &&
         reinterpret_cast<void *>(action.sa_sigaction) != reinterpret_cast<void *>(handlers[slot]))
    ++slot;
  return slot;
}

bool same(const struct sigaction &a, const struct sigaction &b) {
  constexpr int restorer = 0x04000000; // glibc's own business
  if (reinterpret_cast<void *>(a.sa_sigaction) != reinterpret_cast<void *>(b.sa_sigaction) ||
      (a.sa_flags | restorer) != (b.sa_flags | restorer))
    return false;
  for (int number = 1; number < NSIG; ++number)
    if (sigismember(&a.sa_mask, number) != sigismember(&b.sa_mask, number))
      return false;
  return true;
}

/// The stand-in for that disposition, or `standIns`. The first is the default action's, so that
/// SA_RESETHAND finds it.
size_t slotFor(const struct sigaction &action) {
  std::lock_guard<std::mutex> lock(tableMutex());
  size_t count = stood.load();
  if (!count) {
    stoodFor[0] = {}; // SIG_DFL
    stood.store(count = 1);
  }
  for (size_t slot = 0; slot < count; ++slot)
    if (same(stoodFor[slot], action))
      return slot;
  if (count < standIns) {
    stoodFor[count] = action;
    stood.store(count + 1);
  }
  return count;
}

struct sigaction actionOf(size_t slot) {
  struct sigaction action {};
  action.sa_sigaction = handlers[slot];
  // NODEFER and an empty mask: handlers are left by an exception or a jump.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  const struct sigaction &app = stoodFor[slot];
  action.sa_flags |= app.sa_handler == SIG_IGN ? SA_RESTART : app.sa_flags & SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

/// What the application means by it: a stand-in as we put it there is all of its disposition; with
/// other flags (signal() knows none) it is the handler alone.
struct sigaction meaningOf(const struct sigaction &action) {
  const size_t slot = slotOf(action);
  if (slot == standIns)
    return action;
  if (same(action, actionOf(slot)))
    return stoodFor[slot];
  struct sigaction meant = action;
  meant.sa_sigaction = stoodFor[slot].sa_sigaction;
  return meant;
}

// ---- calling what was displaced

/// The kernel writes a signal mask there, or says that it cannot.
bool writable(uintptr_t address) {
  return syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, address & ~uintptr_t(7), 8) == 0;
}

/// A call on another stack. The handler may leave it by siglongjmp, as any handler may.
void callOn(uintptr_t stack, Handler handler, int number, siginfo_t *info, void *context) {
  asm volatile("movq %%rsp, %%rbx\n\t"
               "movq %%rcx, %%rsp\n\t"
               "call *%%rax\n\t"
               "movq %%rbx, %%rsp"
               : "+a"(handler), "+c"(stack), "+D"(number), "+S"(info), "+d"(context)
               :
               : "rbx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                 "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                 "xmm15", "cc", "memory");
}

/// Ends the process by the signal. An instruction that faults does so again and leaves its own
/// traces in the core; a breakpoint is already behind us, and what was sent is not sent again.
void defaultAction(int number, const siginfo_t *info) {
  struct sigaction byDefault {};
  sigaction(number, &byDefault, nullptr);
  if (info && info->si_code > 0 && number != SIGTRAP && number != SIGABRT)
    return;
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(number);
}

/// What the kernel does before it calls a handler with such flags and such a mask; the return from
/// the signal sets the mask back.
void prepare(size_t slot, int number) {
  const struct sigaction &app = stoodFor[slot];
  if (app.sa_flags & SA_RESETHAND) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (slotOf(now) == slot) {
      struct sigaction byDefault {};
      const struct sigaction next = armed.load() ? actionOf(0) : byDefault;
      sigaction(number, &next, nullptr);
    }
  }
  sigset_t mask = app.sa_mask;
  if (!(app.sa_flags & SA_NODEFER))
    sigaddset(&mask, number);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
}

void deliver(size_t slot, bool fromKernel, int number, siginfo_t *info, bool informed,
             void *context) {
  const struct sigaction &app = stoodFor[slot];
  const siginfo_t *known = informed ? info : nullptr;
  if (app.sa_handler == SIG_IGN && known && known->si_code <= 0)
    return; // sent; a fault cannot be ignored
  if (app.sa_handler == SIG_DFL || app.sa_handler == SIG_IGN) {
    defaultAction(number, known);
    return;
  }
  // On x86-64 the kernel passes all three arguments to handlers of one, too.
  if (!fromKernel) {
    app.sa_sigaction(number, info, context);
    return;
  }
  const auto &machine = *static_cast<const ucontext_t *>(context);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto interrupted = uintptr_t(machine.uc_mcontext.gregs[REG_RSP]);
  const bool move = !(app.sa_flags & SA_ONSTACK) && onAlternate(machine, here) &&
                    !onAlternate(machine, interrupted);
  const uintptr_t stack = (interrupted - redZone) & ~uintptr_t(63);
  if (move && !(writable(stack - roomToCall) && writable(stack - 64))) {
    defaultAction(number, known); // a stack overflow, and a handler that asks for that stack
    return;
  }
  prepare(slot, number);
  if (move)
    callOn(stack, app.sa_sigaction, number, info, context);
  else
    app.sa_sigaction(number, info, context);
}

void arrived(size_t slot, bool fromKernel, int number, siginfo_t *info, void *context) {
  // Called by the kernel, or by a handler that the application has put over ours and that calls, or
  // jumps to, what it displaced?
  struct sigaction now {};
  sigaction(number, nullptr, &now);
  const bool inPlace = slotOf(now) == slot;
  fromKernel &= inPlace && same(now, actionOf(slot)); // else the kernel knows the flags itself
  // A handler may be called with the number alone, and one that is put back by signal() gets a
  // siginfo that nobody has filled.
  bool informed = reinterpret_cast<uintptr_t>(info) ==
                      reinterpret_cast<uintptr_t>(context) + infoBehindContext &&
                  (!inPlace || (now.sa_flags & SA_SIGINFO));
#ifdef __SANITIZE_THREAD__ // which hands over copies
  informed = true;
#endif
  const TakeFault take = takeFault.load();
  if (take && take(number, informed ? info : nullptr, context))
    return;
  const int error = errno;
  deliver(slot, fromKernel, number, info, informed, context);
  errno = error;
}

// ---- putting them in place

bool armOne(int number) {
  struct sigaction now {
  }, displaced{};
  sigaction(number, nullptr, &now);
  for (;;) {
    const size_t slot = slotFor(meaningOf(now));
    if (slot == standIns)
      return false;
    const struct sigaction ours = actionOf(slot);
    sigaction(number, &ours, &displaced);
    if (same(displaced, now))
      return true;
    now = displaced; // the application was faster
  }
}

void disarmOne(int number) {
  struct sigaction now {
  }, displaced{};
  sigaction(number, nullptr, &now);
  if (slotOf(now) == standIns)
    return;
  const struct sigaction back = meaningOf(now);
  sigaction(number, &back, &displaced);
  if (slotOf(displaced) == standIns) // the application was faster
    sigaction(number, &displaced, nullptr);
}

} // namespace

bool armFaults(TakeFault take) noexcept {
  takeFault.store(take);
  for (int number : faultSignals)
    if (!armOne(number)) {
      disarmFaults();
      return false;
    }
  armed.store(true);
  return true;
}

void disarmFaults() noexcept {
  armed.store(false);
  for (int number : faultSignals)
    disarmOne(number);
}

bool rearmFault(int number) noexcept { return armOne(number); }

} // namespace meld::jit
