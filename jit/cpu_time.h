// Processor time of the calling thread: what a step costs, however busy the machine is.
#pragma once

#include <ctime>

namespace meld::jit {

/// Since some point in the past; differences are meaningful within one thread.
inline double threadMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

} // namespace meld::jit
