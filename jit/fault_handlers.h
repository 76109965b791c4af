// Catches the faults of one thread without the application noticing, whatever it does to its own
// signal handlers meanwhile.
//
// Signal handlers belong to the process, and the application may read them, keep what it read and
// put it back later: libraries do that around a piece of work of their own. What it reads while a
// compile runs is a handler of ours, so that handler has to be worth as much as the one it
// displaced, for ever. Hence there is not one handler but a row of stand-ins:
//
//   stand-in k  ==  the disposition P_k (handler, flags, mask) that it displaced, and no other
//
//   fault of the compile's thread --> stand-in k --> taken: an exception or a jump, see guard.h
//   any other signal              --> stand-in k --> P_k, as the kernel would have called it
//
// A chain of handlers in which stand-ins occur is the application's own chain with some links named
// anew: whoever kept stand-in k, puts it back or calls it, means P_k. No chain becomes a circle
// that was none before, and a stand-in that is put back after the compile goes on to be P_k. A
// disposition that was met before gets the stand-in it had. There are `standIns` of them for the
// life of a process; where they are used up, arm() fails.
//
// "As the kernel would have called it" (signal(7), sigaction(2)): the handler's own mask,
// SA_NODEFER, SA_RESETHAND, SA_RESTART, and the stack: without SA_ONSTACK it runs on the
// interrupted one, where that can be written to. Default and ignored faults end the process, by the
// signal, at the instruction that faulted.
//
// What an application can notice: a handler's address that it does not know, while a compile runs.
// Unsafe: an application that replaces a handler during a compile is called for the compile's
// faults, too.
//
// x86-64 Linux: stand-ins know their caller by the frame that the kernel pushes. Thread rule:
// arm(), disarm() and rearm() from any thread, one after the other.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ucontext.h>

namespace meld::jit {

inline constexpr size_t standIns = 64;

/// The signals that a compile's fault can be.
inline constexpr int faultSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};

/// Is it a fault of the compile? If so it does not return, or returns true where there is nothing
/// more to do. Runs in the signal's handler. `info` is null where a handler of the application
/// called us without telling.
using TakeFault = bool (*)(int number, const siginfo_t *info, void *context);

/// Puts a stand-in in front of every fault signal's disposition. False, with nothing changed, when
/// there is none left.
bool armFaults(TakeFault take) noexcept;

/// Puts back what the stand-ins that are in place displaced; what the application has put there
/// stays.
void disarmFaults() noexcept;

/// Between those two: the same for one signal whose stand-in the application has displaced since.
bool rearmFault(int number) noexcept;

/// Does the address lie on the alternate signal stack of the thread whose context that is? Handlers
/// run there, so a stack pointer that lies on it belongs to code that a signal interrupted inside a
/// handler. Any thread, in a handler too.
bool onAlternate(const ucontext_t &context, uintptr_t address) noexcept;

} // namespace meld::jit
