#include "runtime/engine/options_gate.h"

#include <new>
#include <pthread.h>

namespace meld {

bool OptionsGate::enterOurs(std::chrono::milliseconds patience) noexcept {
  std::unique_lock guard(lock_);
  const auto isFree = [&] { return !theirs_ && !theirsWait_ && !ours_; };
  changed_.wait_for(guard, patience, [&] { return isFree() || (closed_ && theirs_); });
  if (!isFree())
    return false;
  ours_ = true;
  return true;
}

void OptionsGate::leaveOurs() noexcept {
  std::lock_guard guard(lock_);
  ours_ = oursIsLate_ = false;
  changed_.notify_all();
}

void OptionsGate::enterTheirs(std::chrono::milliseconds patience) noexcept {
  std::unique_lock guard(lock_);
  ++theirsWait_;
  if (!changed_.wait_for(guard, patience, [&] { return !ours_ || oursIsLate_; }))
    oursIsLate_ = true;
  --theirsWait_;
  ++theirs_;
}

void OptionsGate::leaveTheirs() noexcept {
  std::lock_guard guard(lock_);
  if (theirs_) // else it began in the parent of this process
    --theirs_;
  changed_.notify_all();
}

void OptionsGate::close() noexcept {
  std::lock_guard guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

bool OptionsGate::isClosed() noexcept {
  std::lock_guard guard(lock_);
  return closed_;
}

OptionsGate &optionsGate() noexcept {
  alignas(OptionsGate) static char room[sizeof(OptionsGate)];
  static OptionsGate *gate = [] {
    // Who had a turn, or the lock, does not exist in the child.
    pthread_atfork(nullptr, nullptr, [] { new (room) OptionsGate; });
    return new (room) OptionsGate;
  }();
  return *gate;
}

} // namespace meld
