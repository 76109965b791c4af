#include "jit/api.h"

#include "jit/cancel.h"
#include "jit/comgr.h"
#include "jit/compile.h"
#include "jit/exit_order.h"
#include "jit/guard.h"
#include "jit/survey.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

const char *copy(const std::string &s) {
  char *p = static_cast<char *>(std::malloc(s.size() + 1));
  if (p)
    std::memcpy(p, s.c_str(), s.size() + 1);
  return p;
}

std::string text(const char *s) { return s ? s : ""; }

} // namespace

int meld_jit_compile(const MeldJitRequest *request, MeldJitReply *reply) {
  if (!reply)
    return MELD_JIT_FAILED;
  *reply = MeldJitReply{MELD_JIT_FAILED, 0, nullptr, 0, nullptr, nullptr};
  try {
    if (!request || request->abi != MELD_JIT_ABI || !request->codeObject) {
      reply->reason = copy("the request is not one of this library's version");
      return MELD_JIT_FAILED;
    }
    meld::jit::CompileRequest r;
    r.codeObject = llvm::StringRef(static_cast<const char *>(request->codeObject), request->size);
    r.isa = text(request->isa);
    auto options = meld::passes::MeldOptions::parse(text(request->passOptions));
    if (!options) {
      reply->reason = copy(llvm::toString(options.takeError()));
      return MELD_JIT_FAILED;
    }
    r.meld = std::move(*options);
    r.trust = request->trustVerify ? meld::jit::Trust::verify : meld::jit::Trust::interface;
    r.kernel = text(request->kernel);
    r.recipe = text(request->recipe);
    r.facts = text(request->facts);
    r.profile = text(request->profile);
    r.dumpDir = text(request->dumpDir);
    r.dump = text(request->dump);
    if (auto *log = request->log)
      r.log = [log, context = request->context](int level, const std::string &m) {
        log(context, level, m.c_str());
      };
    meld::jit::Comgr::tellActions(request->action);
    if (request->optionsBegin && request->optionsEnd)
      r.options = {[request] { return request->optionsBegin(request->context) != 0; },
                   [request] { request->optionsEnd(request->context); }};
    if (auto *told = request->plainTakes)
      r.plainTakes = [told, context = request->context](double ms, double rest) {
        told(context, ms, rest);
      };
    auto result = meld::jit::compile(r);
    using Status = meld::jit::CompileReply::Status;
    reply->permanent = result.permanent;
    reply->json = copy(result.json);
    reply->reason = copy(result.reason);
    if (result.status == Status::replaced) {
      reply->bytes = std::malloc(result.bytes.size());
      if (reply->bytes) {
        std::memcpy(const_cast<void *>(reply->bytes), result.bytes.data(), result.bytes.size());
        reply->size = result.bytes.size();
        reply->status = MELD_JIT_REPLACED;
      }
    } else {
      reply->status = result.status == Status::unchanged ? MELD_JIT_UNCHANGED : MELD_JIT_FAILED;
    }
  } catch (...) { // out of memory outside the guarded part
    reply->status = MELD_JIT_FAILED;
    if (!reply->reason)
      reply->reason = copy("out of memory");
  }
  return reply->status;
}

int meld_jit_survey(const MeldJitRequest *request, MeldJitReply *reply) {
  if (!reply)
    return MELD_JIT_FAILED;
  *reply = MeldJitReply{MELD_JIT_FAILED, 0, nullptr, 0, nullptr, nullptr};
  try {
    if (!request || request->abi != MELD_JIT_ABI || !request->codeObject) {
      reply->reason = copy("the request is not one of this library's version");
      return MELD_JIT_FAILED;
    }
    const auto result = meld::jit::survey(
        llvm::StringRef(static_cast<const char *>(request->codeObject), request->size));
    reply->reason = copy(result.reason);
    reply->json = copy(result.json);
    if (result.status == meld::jit::CompileReply::Status::unchanged && reply->json)
      reply->status = MELD_JIT_UNCHANGED;
  } catch (...) { // out of memory outside the guarded part
    if (!reply->reason)
      reply->reason = copy("out of memory");
  }
  return reply->status;
}

void meld_jit_release(MeldJitReply *reply) {
  if (!reply)
    return;
  std::free(const_cast<void *>(reply->bytes));
  std::free(const_cast<char *>(reply->json));
  std::free(const_cast<char *>(reply->reason));
  *reply = MeldJitReply{MELD_JIT_FAILED, 0, nullptr, 0, nullptr, nullptr};
}

void meld_jit_at_exit(void (*stop)(void)) {
  try {
    meld::jit::runBeforeExitHandlers(stop);
  } catch (...) { // out of memory
    std::atexit(stop);
  }
}

void meld_jit_cancel(void) { meld::jit::cancelCompiles(); }

int meld_jit_freeze(unsigned milliseconds) {
  return meld::jit::freezeGuarded(std::chrono::milliseconds(milliseconds));
}

const char *meld_jit_version(void) {
  try {
    return meld::jit::version().c_str();
  } catch (...) {
    return "libmeld-jit";
  }
}
