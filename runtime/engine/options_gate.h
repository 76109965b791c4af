// LLVM's command-line options are one set per process. Our compiler sets them for its run of the
// pipeline; so does clang inside comgr for every action, of the application's hiprtc, of HIP's own
// kernels, and of our code generation. Parsing them twice at once can end the process (an option
// that "may only occur zero or one times" exits). So they take turns: many of the application's
// compiles, or one of ours. Who is seen: runtime/engine/comgr_turns.h, shim/hiprtc.cpp.
//
// Nobody waits for ever. The application goes on after its patience, whatever we do; a compile of
// ours fails after its own, and the original code runs. While the application waits, no compile of
// ours begins a turn. Where it has waited in vain once, for code generation that may never end, it
// does not wait for that turn of ours again. At the end of the process theirs may never end, since
// clang leaves a program with exit() for an option that it does not know: ours does not wait then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace meld {

/// Any thread. Takes no memory.
class OptionsGate {
public:
  bool enterOurs(std::chrono::milliseconds patience) noexcept;
  void leaveOurs() noexcept; ///< harmless when not inside
  void enterTheirs(std::chrono::milliseconds patience) noexcept;
  void leaveTheirs() noexcept;

  /// From now on ours does not wait for theirs: the process ends.
  void close() noexcept;
  bool isClosed() noexcept;

private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool ours_ = false, oursIsLate_ = false, closed_ = false;
  unsigned theirs_ = 0, theirsWait_ = 0;
};

/// The one of this process; the child of a fork has a new one. Never destroyed: compiles may outlive
/// exit handlers.
OptionsGate &optionsGate() noexcept;

} // namespace meld
