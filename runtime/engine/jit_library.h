// libmeld-jit.so, loaded when it is needed and not before. See jit/api.h.
#pragma once

#include "runtime/engine/compiler.h"

namespace meld {

class JitLibrary : public Compiler {
public:
  /// dlopen(RTLD_NOW | RTLD_LOCAL). Never closed: LLVM does not survive that. Errors: notFound,
  /// badInput (a symbol is missing), with dlerror's text.
  /// `log` null: into the log of this process.
  using Log = void (*)(void *, int level, const char *message);
  static Result<std::shared_ptr<JitLibrary>> open(const std::string &path, Log log = nullptr);

  JitOutcome compile(ByteView codeObject, const std::string &isa, const Settings &settings,
                     const VersionWanted &version = {},
                     const PlainTakes &plainTakes = {}) const override;
  /// What a compile could work with, as JSON (meld_jit_survey in jit/api.h). Errors: badInput (the
  /// object cannot be read), unsupported (the library is older).
  Result<std::string> survey(ByteView codeObject) const;
  std::string version() const override;
  void atExit(void (*stop)()) const override;
  void cancel() const noexcept override {
    if (cancel_)
      cancel_();
  }
  /// See meld_jit_freeze. False where the library has no such function.
  bool freeze(unsigned milliseconds) const noexcept override {
    return freeze_ && freeze_(milliseconds);
  }

private:
  Log log_ = nullptr;
  MeldJitCompileFn compile_ = nullptr;
  MeldJitCompileFn survey_ = nullptr; ///< null where the library has none
  MeldJitReleaseFn release_ = nullptr;
  void (*atExit_)(void (*)()) = nullptr; ///< null where the library has none
  void (*cancel_)() = nullptr;           ///< null where the library has none
  int (*freeze_)(unsigned) = nullptr;
  const char *(*version_)() = nullptr;
};

} // namespace meld
