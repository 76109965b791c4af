// hiprtc: code compiled at run time gets its bitcode embedded, too, so that it can be melded when
// it is loaded.
//
// The user's options come first and are untouched; two of ours follow. A compile that fails with
// errors in the user's source fails as it would have without us, and its log is the user's: it is
// not repeated, because hiprtc appends the log of every attempt. Any other failure may be ours, so
// the program is compiled once more exactly as asked for. libhiprtc is not linked: the handful of
// types are plain C and the same in every version.
#include "runtime/engine/options_gate.h"
#include "shim/attach.h"
#include "shim/next.h"
#include "shim/process.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#define MELD_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Compile = int (*)(void *program, int count, const char *const *options);
using LogSize = int (*)(void *program, size_t *size);
using Log = int (*)(void *program, char *text);
constexpr int kInternalError = 11; // HIPRTC_ERROR_INTERNAL_ERROR

template <class F> F next(const char *name) {
  return reinterpret_cast<F>(meld::nextSymbol(name, meld::kHipLibraries));
}

/// Longer than our run of the pipeline takes for all but the largest code objects.
constexpr std::chrono::milliseconds kPatience{10000};

/// While the application compiles, our compiler leaves LLVM's options alone. Not in the child of a
/// fork: the parent's compile is not there to end.
class TheirTurn {
public:
  TheirTurn() : forked_(meld::process() && meld::process()->passThrough) {
    if (!forked_)
      meld::optionsGate().enterTheirs(kPatience);
  }
  ~TheirTurn() {
    if (!forked_)
      meld::optionsGate().leaveTheirs();
  }

private:
  const bool forked_;
};

/// The log has errors, and none of them is about our option.
bool failsOnItsOwn(void *program) {
  auto logSize = next<LogSize>("hiprtcGetProgramLogSize");
  auto log = next<Log>("hiprtcGetProgramLog");
  size_t size = 0;
  if (!logSize || !log || logSize(program, &size) != 0 || !size)
    return false;
  std::string text(size, '\0');
  if (log(program, text.data()) != 0)
    return false;
  return text.find("error:") != std::string::npos &&
         text.find("embed-bitcode") == std::string::npos;
}

} // namespace

MELD_EXPORT int hiprtcCompileProgram(void *program, int count, const char *const *options) {
  static const auto compile = next<Compile>("hiprtcCompileProgram");
  if (!compile)
    return kInternalError;
  const bool enabled = !meld::isTrue(getenv("MELD_DISABLE")) && !meld::secureMode();
  const bool active = enabled && !meld::isTrue(getenv("MELD_OBSERVE"));
  std::optional<TheirTurn> turn;
  if (enabled)
    turn.emplace();
  if (active && count >= 0 && (options || !count)) {
    try {
      std::vector<const char *> more(options, options + count);
      more.push_back("-Xclang");
      more.push_back("-fembed-bitcode=all");
      int status = compile(program, static_cast<int>(more.size()), more.data());
      if (status == 0 || failsOnItsOwn(program))
        return status;
    } catch (...) {
    }
  }
  return compile(program, count, options);
}
