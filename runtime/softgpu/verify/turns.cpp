#include "runtime/softgpu/verify/turns.h"

#include <algorithm>

namespace meld::softgpu::verify {

Turns &Turns::instance() {
  static auto *turns = new Turns(std::chrono::seconds(10)); // queues may outlive static objects
  return *turns;
}

Turns::Turn::Turn(Turns &turns) : turns_(turns) {
  std::unique_lock lock(turns_.mutex_);
  const auto end = std::chrono::steady_clock::now() + turns_.patience_;
  while (!turns_.running_.empty()) {
    const bool needed = std::ranges::any_of(turns_.running_, &Turn::needsOthers_);
    if (!needed) {
      turns_.changed_.wait(lock);
      continue;
    }
    if (turns_.changed_.wait_until(lock, end) == std::cv_status::timeout) {
      if (std::ranges::none_of(turns_.running_, &Turn::needsOthers_))
        continue;
      overlapped_ = true;
      for (Turn *other : turns_.running_) {
        other->overlapped_ = true;
        other->heldUp_ |= other->needsOthers_;
      }
      break;
    }
  }
  turns_.running_.push_back(this);
}

Turns::Turn::~Turn() {
  {
    std::lock_guard lock(turns_.mutex_);
    std::erase(turns_.running_, this);
  }
  turns_.changed_.notify_all();
}

void Turns::Turn::originalEnded() {
  {
    std::lock_guard lock(turns_.mutex_);
    needsOthers_ = false;
  }
  turns_.changed_.notify_all();
}

bool Turns::Turn::heldUp() const {
  std::lock_guard lock(turns_.mutex_);
  return heldUp_;
}

bool Turns::Turn::overlapped() const {
  std::lock_guard lock(turns_.mutex_);
  return overlapped_;
}

} // namespace meld::softgpu::verify
