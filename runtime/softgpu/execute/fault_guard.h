// Turns SIGSEGV and SIGBUS raised by a wave's memory access into a jump back to its worker.
//
// Waves access memory with plain loads and stores; an unmapped address raises a signal in the
// worker's thread. While a FaultGuard is armed on the thread, the handler stores address and
// direction and siglongjmps to guard.env; every other fault goes to the handler that was installed
// before ours (or kills the process as it would have without us), with the mask and the flags that
// handler was installed with. Code between sigsetjmp and the fault must own nothing with a
// destructor.
//
// An application may read the handler that is in place, put its own there for a while, and bring
// back what it read, which is ours. So ours has several entries, and each stands before one handler
// of the application for ever: the entry that is brought back leads where it led before. A handler
// may leave by siglongjmp; and one that calls the handler it found, which is ours, is not called
// again by it (two handlers that call each other would not end): the default action is taken.
//
//   FaultGuard guard;
//   if (sigsetjmp(guard.env, FaultGuard::kSaveMask) == 0) { guard.arm(); ... guard.disarm(); }
//   else { /* guard.address, guard.write; the guard is disarmed */ }
//
// Thread rule: a guard belongs to the thread that made it; guards nest.
#pragma once

#include <csetjmp>
#include <cstdint>

namespace meld::softgpu {

class FaultGuard {
public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard &) = delete;

  /// For sigsetjmp. ThreadSanitizer runs every handler with all signals blocked: there a jump out
  /// of one has to put the mask back.
#ifdef __SANITIZE_THREAD__
  static constexpr int kSaveMask = 1;
#else
  static constexpr int kSaveMask = 0;
#endif

  void arm() { armed = 1; }
  void disarm() { armed = 0; }

  sigjmp_buf env;
  volatile int armed = 0;
  volatile uint64_t address = 0;
  volatile bool write = false;

  /// Puts our handler in front, unless it is. Called at the start of every dispatch: a library may
  /// have installed its own since. Cost: two system calls.
  static void installHandlers();

private:
  FaultGuard *outer_;
};

} // namespace meld::softgpu
