// MELD_COMPILER=process: each compile in a process of its own, meld-compile beside libmeld-jit.so.
//
//   libmeld.so --- socket ---> meld-compile --- dlopen ---> libmeld-jit.so, LLVM, comgr
//        request >            limits, then compiles          < log lines, reply      (wire.h)
//
// Nothing of a compile reaches the application then: no crash, no memory, no endless code
// generation, no signal handler, no global state of LLVM's or comgr's, no library. The same code
// runs as in a thread, so the same bytes come out. What comes back is input like any other and
// passes the gate.
//
// The process ends with us, whichever way we end: its parent's death is a signal to it, and the
// socket's other end is gone (an application that ends by exec(), for example). It has limits of
// memory and of processor time; past ten times the latter, by the clock, it is killed.
//
// No process is made, and the original runs, where the application has confined itself by seccomp
// since it began to use the GPU: a filter may kill who tries. What our side's descriptor is, is
// looked at before each use: an application may close what it does not know and use the number for
// a file of its own.
#pragma once

#include "runtime/engine/compiler.h"
#include "runtime/host/spawn.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace meld {

class HelperProcess : public Compiler {
public:
  /// Keeps the environment of now for the processes to come, without what is meant for the
  /// application alone. Errors: notFound.
  static Result<std::shared_ptr<HelperProcess>> open(const std::string &helperPath,
                                                     const std::string &jitPath);

  JitOutcome compile(ByteView codeObject, const std::string &isa, const Settings &settings,
                     const VersionWanted &version = {},
                     const PlainTakes &plainTakes = {}) const override;
  std::string version() const override;
  void cancel() const noexcept override; ///< kills what runs
  bool freeze(unsigned) const noexcept override { return true; }

private:
  class Running;
  HelperProcess() = default;

  std::string helperPath_, jitPath_;
  std::vector<std::string> environment_;
  std::string filtersAtStart_;
  mutable std::mutex lock_; ///< guards everything below
  mutable bool stopped_ = false;
  mutable std::vector<RunningProgram *> running_;
  mutable std::string version_;
};

} // namespace meld
