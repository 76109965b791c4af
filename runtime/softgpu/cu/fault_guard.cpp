#include "runtime/softgpu/cu/fault_guard.h"

#include <csignal>
#include <cstring>
#include <mutex>
#include <ucontext.h>

namespace meld::softgpu {

namespace {

thread_local FaultGuard *current __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local int chaining __attribute__((tls_model("initial-exec"))) = 0;

struct sigaction previousSegv, previousBus;

void onFault(int signal, siginfo_t *info, void *context);

void defaultAction(int signal) {
  // Returning runs the faulting instruction again, now with the default action.
  struct sigaction dfl;
  std::memset(&dfl, 0, sizeof(dfl));
  dfl.sa_handler = SIG_DFL;
  sigaction(signal, &dfl, nullptr);
}

void chain(int signal, siginfo_t *info, void *context) {
  const struct sigaction &p = signal == SIGBUS ? previousBus : previousSegv;
  if (chaining ||
      ((p.sa_flags & SA_SIGINFO) == 0 && (p.sa_handler == SIG_DFL || p.sa_handler == SIG_IGN))) {
    defaultAction(signal);
    if (info->si_code <= 0) // sent by kill(): does not come again by itself
      raise(signal);
    return;
  }
  ++chaining;
  if (p.sa_flags & SA_SIGINFO)
    p.sa_sigaction(signal, info, context);
  else
    p.sa_handler(signal);
  --chaining;
}

void onFault(int signal, siginfo_t *info, void *context) {
  FaultGuard *g = current;
  if (!g || !g->armed || info->si_code <= 0) {
    chain(signal, info, context);
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

void install(int signal, struct sigaction &previous) {
  struct sigaction now;
  if (sigaction(signal, nullptr, &now) != 0 ||
      ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onFault))
    return;
  struct sigaction ours;
  std::memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = onFault;
  // NODEFER: siglongjmp leaves the handler without restoring the mask.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  previous = now;
  sigaction(signal, &ours, nullptr);
}

} // namespace

FaultGuard::FaultGuard() : outer_(current) { current = this; }
FaultGuard::~FaultGuard() { current = outer_; }

void FaultGuard::installHandlers() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  install(SIGSEGV, previousSegv);
  install(SIGBUS, previousBus);
}

} // namespace meld::softgpu
