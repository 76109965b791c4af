// libmeld-jit.so, loaded when it is needed and not before. See jit/api.h.
#pragma once

#include "jit/api.h"
#include "runtime/codeobject/bytes.h"
#include "runtime/settings/settings.h"

#include <memory>

namespace meld {

struct JitOutcome {
  MeldJitStatus status = MELD_JIT_FAILED;
  bool permanent = false; ///< a failure that would happen again: worth a cache entry
  Bytes codeObject;
  std::string metadata, reason;
};

class JitLibrary {
public:
  /// dlopen(RTLD_NOW | RTLD_LOCAL). Never closed: LLVM does not survive that. Errors: notFound,
  /// badInput (a symbol is missing), with dlerror's text.
  static Result<std::shared_ptr<JitLibrary>> open(const std::string &path);

  /// Never throws. May take seconds; call it without holding a lock.
  JitOutcome compile(ByteView codeObject, const std::string &isa, const Settings &settings) const;
  std::string version() const;
  /// The running compile comes back as failed as soon as it can; no other starts.
  void cancel() const noexcept {
    if (cancel_)
      cancel_();
  }
  /// See meld_jit_freeze. False where the library has no such function.
  bool freeze(unsigned milliseconds) const noexcept { return freeze_ && freeze_(milliseconds); }

private:
  MeldJitCompileFn compile_ = nullptr;
  MeldJitReleaseFn release_ = nullptr;
  void (*cancel_)() = nullptr; ///< null where the library has none
  int (*freeze_)(unsigned) = nullptr;
  const char *(*version_)() = nullptr;
};

} // namespace meld
