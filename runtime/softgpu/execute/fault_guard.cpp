#include "runtime/softgpu/execute/fault_guard.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <mutex>
#include <ucontext.h>
#include <utility>

namespace meld::softgpu {

namespace {

thread_local FaultGuard *current __attribute__((tls_model("initial-exec"))) = nullptr;

/// One entry of ours per handler that was found in place. With more handlers than entries the
/// oldest entry is used again.
constexpr unsigned kEntries = 8;

struct Entry {
  struct sigaction behind;
  bool used;
};
Entry entries[2][kEntries]; // SIGSEGV, SIGBUS
unsigned nextEntry[2];

unsigned indexOf(int signal) { return signal == SIGBUS ? 1 : 0; }

/// The call of the application's handler behind an entry that this thread is in, as far as it is
/// known: a handler that left by siglongjmp leaves its record behind.
struct Call {
  const void *context = nullptr; ///< of the signal that is handled; nullptr: none
  const char *frame = nullptr;   ///< of our function that made the call
};
thread_local Call calls[2][kEntries] __attribute__((tls_model("initial-exec")));

void defaultAction(int signal, const siginfo_t *info) {
  // Returning runs the faulting instruction again, now with the default action.
  struct sigaction dfl;
  std::memset(&dfl, 0, sizeof(dfl));
  dfl.sa_handler = SIG_DFL;
  sigaction(signal, &dfl, nullptr);
  if (info->si_code <= 0) // sent by kill(): does not come again by itself
    raise(signal);
}

/// Calls the handler behind `entry` as the kernel would have.
[[gnu::noinline]] void chain(Entry &entry, int signal, siginfo_t *info, void *context) {
  // A handler that calls the entry before it does so with the same context and from deeper in the
  // stack. The signal after one whose handler left by siglongjmp may have its context at the same
  // place of the signal stack, but then this frame is where that one was.
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  Call &calling = calls[indexOf(signal)][&entry - entries[indexOf(signal)]];
  const bool again = calling.context == context && frame < calling.frame;
  const struct sigaction behind = entry.behind;
  const bool plain = (behind.sa_flags & SA_SIGINFO) == 0;
  if (again || (plain && (behind.sa_handler == SIG_DFL || behind.sa_handler == SIG_IGN))) {
    if (plain && behind.sa_handler == SIG_IGN && info->si_code <= 0 && !again)
      return; // sent by kill() and ignored; a fault cannot be
    defaultAction(signal, info);
    return;
  }
  if (behind.sa_flags & SA_RESETHAND) {
    entry.behind.sa_handler = SIG_DFL;
    entry.behind.sa_flags = 0;
  }
  sigset_t blocked = behind.sa_mask, before;
  if (!(behind.sa_flags & SA_NODEFER))
    sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Call outer = calling;
  calling = {context, frame};
  if (plain)
    behind.sa_handler(signal);
  else
    behind.sa_sigaction(signal, info, context);
  calling = outer;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void onFault(Entry &entry, int signal, siginfo_t *info, void *context) {
  FaultGuard *g = current;
  if (!g || !g->armed || info->si_code <= 0) {
    chain(entry, signal, info, context);
    return;
  }
  g->armed = 0;
  // A non-canonical address raises a general protection fault, which has no address.
  g->address = reinterpret_cast<uint64_t>(info->si_addr);
  g->write = false;
#ifdef __x86_64__
  auto *u = static_cast<ucontext_t *>(context);
  g->write = (u->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#endif
  siglongjmp(g->env, 1);
}

using Handler = void (*)(int, siginfo_t *, void *);

template <unsigned I> void enter(int signal, siginfo_t *info, void *context) {
  onFault(entries[indexOf(signal)][I], signal, info, context);
}
template <size_t... I>
constexpr std::array<Handler, kEntries> handlersOf(std::index_sequence<I...>) {
  return {enter<I>...};
}
constexpr std::array<Handler, kEntries> handlers = handlersOf(std::make_index_sequence<kEntries>{});

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) &&
         std::find(handlers.begin(), handlers.end(), action.sa_sigaction) != handlers.end();
}

bool sameHandler(const struct sigaction &a, const struct sigaction &b) {
  return a.sa_flags == b.sa_flags && a.sa_handler == b.sa_handler &&
         std::memcmp(&a.sa_mask, &b.sa_mask, sizeof a.sa_mask) == 0;
}

void install(int signal) {
  struct sigaction now;
  if (sigaction(signal, nullptr, &now) != 0 || isOurs(now))
    return;
  Entry(&of)[kEntries] = entries[indexOf(signal)];
  unsigned at = 0;
  while (at < kEntries && of[at].used && !sameHandler(of[at].behind, now))
    ++at;
  if (at == kEntries)
    at = nextEntry[indexOf(signal)]++ % kEntries;
  of[at] = {now, true};
  struct sigaction ours;
  std::memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = handlers[at];
  // NODEFER: siglongjmp leaves the handler without restoring the mask.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(signal, &ours, nullptr);
}

} // namespace

FaultGuard::FaultGuard() : outer_(current) { current = this; }
FaultGuard::~FaultGuard() { current = outer_; }

void FaultGuard::installHandlers() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  install(SIGSEGV);
  install(SIGBUS);
}

} // namespace meld::softgpu
