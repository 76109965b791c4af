// Sees every action of comgr in this process, so that none sets LLVM's options beside a compile of ours.
//
// clang inside comgr sets LLVM's command-line options, which are one set per process, and HIP calls
// comgr by itself: for its own copy and fill kernels when the first queue of a device is made, which
// is just when the first code object has been loaded and a compile of ours begins, for
// hiprtcLinkComplete, for hipLinkComplete. HIP finds comgr with dlopen() and dlsym(), so nobody can
// stand in front of amd_comgr_do_action(). But comgr itself calls others by its global offset table,
// whose entries can be taken over (runtime/host/offset_table.h), and so tells where an action is:
//
//   amd_comgr_do_action
//       sigaction(SIGHUP, nullptr, &was)     asks for each disposition, to put it back
//       cl::ParseCommandLineOptions          the first call within an action: waits for its turn
//       clang, lld                           with these options
//       sigaction(SIGHUP, &was, nullptr)     puts back what it found: theirs ends, ours goes on until
//                                            we have set the options back
//
// (or cl::ResetAllOptionOccurrences). The turn (runtime/engine/options_gate.h) is "theirs" for an
// action of the application's or of HIP's, and "ours" for one of our compile. Nobody waits in a circle: at
// its first call comgr 2.4 holds no lock; later ones hold the one of all actions, which our own pipeline,
// the other holder of a turn, never asks for.
//
// What is not seen: an action that is under way when watchComgr() first finds comgr; a comgr that has
// LLVM linked into itself, whose options are its own.
#pragma once

namespace meld {

/// Before watchComgr() is first called: `stop`, which must do nothing when it is called again, is
/// called before any exit handler that comgr and its LLVM register from when they are watched
/// (runtime/host/exit_handlers.h): a compile of ours may begin just when the application ends, with
/// libmeld-jit.so not even opened.
void stopBeforeCompilerEnds(void (*stop)()) noexcept;

/// From now on. Called again where comgr may have been loaded since; cheap. Any thread that holds no lock: it
/// waits for the loader's, which a thread has that runs a library's constructors.
void watchComgr() noexcept;

/// The same for a thread that may hold HIP's locks, for which a library's constructor may wait. So the
/// loader's lock is waited for on a thread of ours, and for that thread only for a moment.
void watchComgrFromHook() noexcept;
/// comgr is loaded, and its actions are seen.
bool comgrIsWatched() noexcept;

/// This thread's next action is one of a compile of ours, or has been (null). Also ends the turn of one
/// that an exception left. Where the process ends and the action would have to wait, `leave` is called in
/// its place, which throws. `after`, where there is one, is called as the last thing of that turn; not
/// where the action had none, since others may set options then.
void markOwnAction(void (*leave)(), void (*after)()) noexcept;

} // namespace meld
