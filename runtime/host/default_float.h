// The floating-point state that code of ours, LLVM and ROCr are written for: round to nearest,
// denormals kept, no traps. An application may run with another one (feenableexcept, fesetround,
// -ffast-math at its link), and a thread begins with that of the thread that made it: then a
// compiler that folds log(0) ends the process with SIGFPE, and one that folds with another rounding
// gives other constants.
//
// Thread rule: of the thread that holds it.
#pragma once

#include <cfenv>

namespace meld {

/// While one exists. Afterwards the thread has its own state again, and none of the flags that were
/// raised meanwhile.
class DefaultFloat {
public:
  DefaultFloat() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloat() { std::fesetenv(&before_); }
  DefaultFloat(const DefaultFloat &) = delete;
  DefaultFloat &operator=(const DefaultFloat &) = delete;

private:
  std::fenv_t before_;
};

} // namespace meld
