// The state of the host's FPU that the vector ALU's fast handlers expect: round to nearest,
// denormals on, no traps. An application compiled with fast math, or one that enables traps, hands
// other states on to the threads it creates, so whoever runs waves holds a HostFloat for the time.
#pragma once

#include <xmmintrin.h>

namespace meld::softgpu {

class HostFloat {
public:
  HostFloat() : old_(_mm_getcsr()) {
    if ((old_ & ~kFlags) != kDefault)
      _mm_setcsr(kDefault);
  }
  ~HostFloat() {
    if ((old_ & ~kFlags) != kDefault)
      _mm_setcsr(old_);
  }
  HostFloat(const HostFloat &) = delete;
  HostFloat &operator=(const HostFloat &) = delete;

private:
  static constexpr unsigned kFlags = 0x3f, kDefault = 0x1f80;
  unsigned old_;
};

} // namespace meld::softgpu
