#include "runtime/engine/jit_library.h"

#include "runtime/engine/comgr_turns.h"
#include "runtime/engine/options_gate.h"
#include "runtime/log/log.h"
#include "runtime/settings/pass_options.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace meld {
namespace {

/// For the application's own compiles to come to an end.
constexpr std::chrono::milliseconds kPatience{60000};

void forwardLog(void *, int level, const char *message) {
  if (message)
    log::write(static_cast<log::Level>(std::clamp(level, 1, 5)), message);
}

} // namespace

Result<std::shared_ptr<JitLibrary>> JitLibrary::open(const std::string &path, Log log) {
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = ::dlerror();
    return fail(ErrorCode::notFound, why ? why : path + " cannot be loaded");
  }
  auto library = std::make_shared<JitLibrary>();
  library->log_ = log ? log : forwardLog;
  library->compile_ = reinterpret_cast<MeldJitCompileFn>(::dlsym(handle, "meld_jit_compile"));
  library->survey_ = reinterpret_cast<MeldJitCompileFn>(::dlsym(handle, "meld_jit_survey"));
  library->release_ = reinterpret_cast<MeldJitReleaseFn>(::dlsym(handle, "meld_jit_release"));
  library->version_ = reinterpret_cast<const char *(*)()>(::dlsym(handle, "meld_jit_version"));
  library->atExit_ = reinterpret_cast<void (*)(void (*)())>(::dlsym(handle, "meld_jit_at_exit"));
  library->cancel_ = reinterpret_cast<void (*)()>(::dlsym(handle, "meld_jit_cancel"));
  library->freeze_ = reinterpret_cast<int (*)(unsigned)>(::dlsym(handle, "meld_jit_freeze"));
  if (!library->compile_ || !library->release_ || !library->version_)
    return fail(ErrorCode::badInput,
                path + " does not export meld_jit_compile, _release, _version");
  return library;
}

void JitLibrary::atExit(void (*stop)()) const {
  if (atExit_)
    atExit_(stop);
  else
    std::atexit(stop);
}

Result<std::string> JitLibrary::survey(ByteView codeObject) const {
  if (!survey_)
    return fail(ErrorCode::unsupported, "libmeld-jit.so has no meld_jit_survey");
  MeldJitRequest request{};
  request.abi = MELD_JIT_ABI;
  request.codeObject = codeObject.data();
  request.size = codeObject.size();
  MeldJitReply reply{};
  std::unique_ptr<MeldJitReply, MeldJitReleaseFn> release(&reply, release_);
  if (survey_(&request, &reply) == MELD_JIT_FAILED)
    return fail(ErrorCode::badInput, reply.reason ? reply.reason : "libmeld-jit.so gave no reason");
  return std::string(reply.json ? reply.json : "");
}

std::string JitLibrary::version() const {
  const char *text = version_();
  return text ? text : "";
}

JitOutcome JitLibrary::compile(ByteView codeObject, const std::string &isa,
                               const Settings &settings, const VersionWanted &version,
                               const PlainTakes &plainTakes) const {
  const std::string told = passOptions(settings);
  MeldJitRequest request{};
  request.abi = MELD_JIT_ABI;
  request.codeObject = codeObject.data();
  request.size = codeObject.size();
  request.isa = isa.c_str();
  request.passOptions = told.c_str();
  request.trustVerify = settings.trust == "verify";
  request.kernel = version.kernel.c_str();
  request.recipe = version.recipe.c_str();
  request.facts = version.facts.c_str();
  request.profile = version.profile.c_str();
  request.dumpDir = settings.dumpDir.c_str();
  request.dump = settings.dump.c_str();
  request.log = log_;
  request.optionsBegin = [](void *) -> int { return optionsGate().enterOurs(kPatience); };
  request.optionsEnd = [](void *) { optionsGate().leaveOurs(); };

  if (plainTakes) {
    request.context = const_cast<PlainTakes *>(&plainTakes);
    request.plainTakes = [](void *context, double milliseconds, double rest) {
      const auto whole = [](double ms) {
        return std::chrono::milliseconds(int64_t(std::clamp(ms, 0.0, 1e9)));
      };
      (*static_cast<const PlainTakes *>(context))(whole(milliseconds), whole(rest));
    };
  }

  MeldJitReply reply{};
  reply.status = MELD_JIT_FAILED;
  std::unique_ptr<MeldJitReply, MeldJitReleaseFn> release(&reply, release_);
  request.action = [](void (*leave)(), void (*after)()) { markOwnAction(leave, after); };
  watchComgr();               // where nobody else has loaded it, opening this library did
  compile_(&request, &reply); // what it returns repeats reply.status
  JitOutcome outcome;
  outcome.status = reply.status;
  outcome.permanent = reply.permanent;
  outcome.reason = reply.reason ? reply.reason : "";
  if (outcome.status != MELD_JIT_REPLACED && outcome.reason.empty())
    outcome.reason = "libmeld-jit.so gave no reason";
  outcome.metadata = reply.json ? reply.json : "";
  if (outcome.status == MELD_JIT_REPLACED) {
    if (reply.bytes && reply.size) {
      const auto *bytes = static_cast<const uint8_t *>(reply.bytes);
      outcome.codeObject.assign(bytes, bytes + reply.size);
    } else {
      outcome.status = MELD_JIT_FAILED;
      outcome.reason = "libmeld-jit.so returned an empty code object";
    }
  }
  return outcome;
}

} // namespace meld
