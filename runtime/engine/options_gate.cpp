#include "runtime/engine/options_gate.h"

#include <new>

namespace meld {

bool OptionsGate::enterOurs(std::chrono::milliseconds patience) noexcept {
  std::unique_lock guard(lock_);
  if (!changed_.wait_for(guard, patience, [&] { return !theirs_ && !theirsWait_ && !ours_; }))
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
  --theirs_;
  changed_.notify_all();
}

OptionsGate &optionsGate() noexcept {
  alignas(OptionsGate) static char room[sizeof(OptionsGate)];
  static OptionsGate *gate = new (room) OptionsGate;
  return *gate;
}

} // namespace meld
