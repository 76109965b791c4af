// Applications with SIGSEGV handlers of their own, before and after kernels ran (argv[1]):
//   jump       faults handled by siglongjmp, five in a row
//   jumpstack  the same on a signal stack
//   repair     a handler that makes the page accessible and returns
//   once       SA_RESETHAND: the second fault ends the process by SIGSEGV
//   mask       the handler's mask holds while it runs, and not afterwards
//   forward    a library's handler in front that calls the one it found, which it found twice
//   restore    a library reads the handler, puts its own for a while, and brings back what it read
//   default    no handler: the process ends by SIGSEGV
// Without the software GPU's library each of them behaves the same but for the kernel.
#include "tests/e2e/programs/check.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

sigjmp_buf back;
char *page = nullptr;
volatile sig_atomic_t applications = 0, libraries = 0;
struct sigaction found;

void jump(int) { siglongjmp(back, 1); }
void repair(int, siginfo_t *info, void *) {
  ++applications;
  if (info->si_addr != page)
    _exit(90);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
void masked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  ++applications;
  if (!sigismember(&now, SIGUSR1) || !sigismember(&now, signal))
    _exit(91);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
void forwards(int signal, siginfo_t *info, void *context) {
  if (++libraries > 100)
    _exit(92); // two handlers that call each other
  if (found.sa_flags & SA_SIGINFO)
    found.sa_sigaction(signal, info, context);
  else
    found.sa_handler(signal);
}
void temporary(int) { _exit(93); }

void install(void (*plain)(int), void (*full)(int, siginfo_t *, void *), int flags,
             struct sigaction *old = nullptr) {
  struct sigaction a;
  std::memset(&a, 0, sizeof a);
  if (full)
    a.sa_sigaction = full, flags |= SA_SIGINFO;
  else
    a.sa_handler = plain;
  a.sa_flags = flags;
  sigaddset(&a.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &a, old);
}

__global__ void fill(int *p) { p[threadIdx.x] = 1; }
void kernel() {
  static int *p = nullptr;
  if (!p)
    HIP(hipMalloc(&p, 256));
  fill<<<1, 64>>>(p);
  HIP(hipDeviceSynchronize());
}
void fault() {
  mprotect(page, 4096, PROT_NONE);
  *static_cast<volatile char *>(page) = 1;
}
int jumps(int times) {
  volatile int handled = 0;
  for (volatile int i = 0; i < times; ++i)
    if (!sigsetjmp(back, 1))
      fault();
    else
      ++handled;
  return handled;
}

} // namespace

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  page = static_cast<char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  kernel();
  bool right = true;
  if (mode == "jump" || mode == "jumpstack") {
    static char stack[65536];
    stack_t own = {};
    own.ss_sp = stack;
    own.ss_size = sizeof stack;
    if (mode == "jumpstack")
      sigaltstack(&own, nullptr);
    install(jump, nullptr, mode == "jumpstack" ? SA_ONSTACK : 0);
    kernel();
    right = jumps(5) == 5;
    kernel();
    right = right && jumps(5) == 5;
  } else if (mode == "repair") {
    install(nullptr, repair, 0);
    kernel();
    for (int i = 0; i < 3; ++i)
      fault();
    right = applications == 3;
  } else if (mode == "once") {
    install(nullptr, repair, static_cast<int>(SA_RESETHAND));
    kernel();
    fault();
    std::printf("first fault handled\n");
    std::fflush(stdout);
    fault();
    right = false;
  } else if (mode == "mask") {
    install(masked, nullptr, 0);
    kernel();
    fault();
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    right = applications == 1 && !sigismember(&now, SIGUSR1) && !sigismember(&now, SIGSEGV);
  } else if (mode == "forward") {
    install(nullptr, repair, 0);
    kernel();
    install(nullptr, forwards, 0, &found); // finds the software GPU's
    kernel();                              // whose handler comes to the front again
    fault();
    right = applications == 1 && libraries == 1;
    fault();
    right = right && applications == 2 && libraries == 2;
  } else if (mode == "restore") {
    install(nullptr, repair, 0);
    kernel();
    struct sigaction read;
    install(temporary, nullptr, 0, &read);
    kernel();
    sigaction(SIGSEGV, &read, nullptr);
    fault();
    kernel();
    fault();
    right = applications == 2;
  } else {
    fault();
    right = false;
  }
  std::puts(right ? "PASS" : "FAIL");
  return !right;
}
