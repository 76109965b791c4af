#include "jit/comgr.h"

#include "jit/error.h"
#include "jit/optimizer.h"
#include "runtime/host/leftovers.h"
#include "llvm/Support/FormatVariadic.h"

#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#else
#include <amd_comgr.h>
#endif
#include <dlfcn.h>

#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace llvm;

namespace meld::jit {

#define MELD_COMGR_FUNCTIONS(X)                                                                    \
  X(get_version)                                                                                   \
  X(status_string)                                                                                 \
  X(create_data)                                                                                   \
  X(release_data)                                                                                  \
  X(set_data)                                                                                      \
  X(set_data_name)                                                                                 \
  X(get_data)                                                                                      \
  X(create_data_set)                                                                               \
  X(destroy_data_set)                                                                              \
  X(data_set_add)                                                                                  \
  X(action_data_count)                                                                             \
  X(action_data_get_data)                                                                          \
  X(create_action_info)                                                                            \
  X(destroy_action_info)                                                                           \
  X(action_info_set_isa_name)                                                                      \
  X(action_info_set_option_list)                                                                   \
  X(action_info_set_language)                                                                      \
  X(action_info_set_logging)                                                                       \
  X(do_action)

struct ComgrFunctions {
#define X(name) decltype(&amd_comgr_##name) name;
  MELD_COMGR_FUNCTIONS(X)
#undef X
};

namespace {

#define MELD_STRING_(x) #x
#define MELD_STRING(x) MELD_STRING_(x)
constexpr const char *libraryName =
    "libamd_comgr.so." MELD_STRING(AMD_COMGR_INTERFACE_VERSION_MAJOR);

class Handles {
public:
  explicit Handles(const ComgrFunctions &f) : f_(f) {}
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;
  ~Handles() {
    for (auto d : data_)
      f_.release_data(d);
    for (auto s : sets_)
      f_.destroy_data_set(s);
    for (auto a : actions_)
      f_.destroy_action_info(a);
  }
  Error check(amd_comgr_status_t status, const char *what) const {
    if (status == AMD_COMGR_STATUS_SUCCESS)
      return Error::success();
    const char *text = nullptr;
    if (f_.status_string(status, &text) != AMD_COMGR_STATUS_SUCCESS || !text)
      text = "unknown status";
    return compilerError(formatv("comgr: {0}: {1}", what, text));
  }
  Expected<amd_comgr_data_set_t> dataSet() {
    amd_comgr_data_set_t set{};
    if (auto e = check(f_.create_data_set(&set), "create_data_set"))
      return e;
    sets_.push_back(set);
    return set;
  }
  Expected<amd_comgr_data_t> data(amd_comgr_data_kind_t kind, StringRef bytes, const char *name) {
    amd_comgr_data_t d{};
    if (auto e = check(f_.create_data(kind, &d), "create_data"))
      return e;
    data_.push_back(d);
    if (auto e = check(f_.set_data(d, bytes.size(), bytes.data()), "set_data"))
      return e;
    if (auto e = check(f_.set_data_name(d, name), "set_data_name"))
      return e;
    return d;
  }
  Expected<amd_comgr_data_t> output(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind,
                                    size_t index = 0) {
    amd_comgr_data_t d{};
    if (auto e = check(f_.action_data_get_data(set, kind, index, &d), "action_data_get_data"))
      return e;
    data_.push_back(d);
    return d;
  }
  Expected<amd_comgr_action_info_t> action() {
    amd_comgr_action_info_t a{};
    if (auto e = check(f_.create_action_info(&a), "create_action_info"))
      return e;
    actions_.push_back(a);
    return a;
  }
  /// Errors: also input, where comgr does not know the ISA.
  Expected<amd_comgr_action_info_t> actionFor(StringRef isaName) {
    auto a = action();
    if (!a)
      return a.takeError();
    const auto status = f_.action_info_set_isa_name(*a, isaName.str().c_str());
    if (status == AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT)
      return inputError("comgr does not know " + isaName);
    if (auto e = check(status, "set_isa_name"))
      return e;
    return a;
  }
  Expected<std::unique_ptr<WritableMemoryBuffer>> bytes(amd_comgr_data_t d) const {
    size_t size = 0;
    if (auto e = check(f_.get_data(d, &size, nullptr), "get_data"))
      return e;
    auto buffer = WritableMemoryBuffer::getNewUninitMemBuffer(size);
    if (!buffer)
      return compilerError("comgr: out of memory for the result");
    if (auto e = check(f_.get_data(d, &size, buffer->getBufferStart()), "get_data"))
      return e;
    return buffer;
  }

private:
  const ComgrFunctions &f_;
  std::vector<amd_comgr_data_t> data_;
  std::vector<amd_comgr_data_set_t> sets_;
  std::vector<amd_comgr_action_info_t> actions_;
};

struct Input {
  amd_comgr_data_kind_t kind;
  StringRef bytes;
};

using Buffers = std::vector<std::unique_ptr<MemoryBuffer>>;

std::atomic<void (*)(void (*)(), void (*)())> actionsTold{nullptr};

[[noreturn]] void leaveAction() { throw std::runtime_error("the process ends"); }

/// Tells of an action, however it ends: a fatal error of LLVM's leaves it by an exception. What it leaves
/// among LLVM's options is for nobody else's action to find, so it is taken back within the same turn.
class ToldAction {
public:
  ToldAction() : told_(actionsTold.load()) {
    if (told_)
      told_(leaveAction, nullptr);
  }
  ~ToldAction() {
    if (told_)
      told_(nullptr, resetCommandLine);
    else
      resetCommandLine();
  }

private:
  void (*const told_)(void (*)(), void (*)());
};

Expected<Buffers> runAction(const ComgrFunctions &f, amd_comgr_action_kind_t kind, const char *what,
                            ArrayRef<Input> inputs, amd_comgr_data_kind_t outputKind,
                            StringRef isaName, ArrayRef<std::string> arguments,
                            amd_comgr_language_t language = AMD_COMGR_LANGUAGE_NONE) {
  Handles h(f);
  auto in = h.dataSet();
  if (!in)
    return in.takeError();
  auto out = h.dataSet();
  if (!out)
    return out.takeError();
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = formatv("{0}{1}.{2}", kCompilerInput.data(), i,
                               inputs[i].kind == AMD_COMGR_DATA_KIND_BC ? "bc" : "o");
    auto d = h.data(inputs[i].kind, inputs[i].bytes, name.c_str());
    if (!d)
      return d.takeError();
    if (auto e = h.check(f.data_set_add(*in, *d), "data_set_add"))
      return e;
  }
  auto action = h.actionFor(isaName);
  if (!action)
    return action.takeError();
  if (auto e = h.check(f.action_info_set_language(*action, language), "set_language"))
    return e;
  std::vector<const char *> argv;
  for (const auto &a : arguments)
    argv.push_back(a.c_str());
  if (auto e = h.check(f.action_info_set_option_list(*action, argv.data(), argv.size()),
                       "set_option_list"))
    return e;
  if (auto e = h.check(f.action_info_set_logging(*action, true), "set_logging"))
    return e;

  const auto status = [&] {
    ToldAction told;
    return f.do_action(kind, *action, *in, *out);
  }();
  if (auto e = h.check(status, what)) {
    // The compiler's own words are worth more than the status.
    if (auto log = h.output(*out, AMD_COMGR_DATA_KIND_LOG)) {
      if (auto text = h.bytes(*log)) {
        StringRef trimmed((*text)->getBufferStart(), (*text)->getBufferSize());
        trimmed = trimmed.rtrim(StringRef("\n\0 ", 3));
        if (!trimmed.empty())
          return joinErrors(std::move(e), compilerError(trimmed));
      } else {
        consumeError(text.takeError());
      }
    } else {
      consumeError(log.takeError());
    }
    return e;
  }
  size_t count = 0;
  if (auto e = h.check(f.action_data_count(*out, outputKind, &count), "action_data_count"))
    return e;
  Buffers results;
  for (size_t i = 0; i < count; ++i) {
    auto result = h.output(*out, outputKind, i);
    if (!result)
      return result.takeError();
    auto bytes = h.bytes(*result);
    if (!bytes)
      return bytes.takeError();
    results.push_back(std::move(*bytes));
  }
  return results;
}

/// For actions that make one thing.
Expected<std::unique_ptr<MemoryBuffer>> only(Expected<Buffers> results, const char *what) {
  if (!results)
    return results.takeError();
  if (results->size() != 1)
    return compilerError(
        formatv("comgr: {0} made {1} results instead of one", what, results->size()));
  return std::move(results->front());
}

} // namespace

Expected<const Comgr *> Comgr::get() {
  struct Loaded {
    Comgr comgr;
    ComgrFunctions functions{};
    std::string error;
    Loaded() {
      void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      if (!library) {
        const char *why = dlerror();
        error = formatv("comgr: cannot open {0}: {1}", libraryName, why ? why : "?");
        return;
      }
#define X(name)                                                                                    \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, "amd_comgr_" #name)); \
  if (!functions.name) {                                                                           \
    error = formatv("comgr: {0} lacks amd_comgr_{1}", libraryName, #name);                         \
    return;                                                                                        \
  }
      MELD_COMGR_FUNCTIONS(X)
#undef X
      size_t major = 0, minor = 0;
      functions.get_version(&major, &minor);
      if (major != AMD_COMGR_INTERFACE_VERSION_MAJOR) {
        error = formatv("comgr: interface {0}.{1}, built for {2}.x", major, minor,
                        AMD_COMGR_INTERFACE_VERSION_MAJOR);
        return;
      }
      comgr.version_ = formatv("comgr {0}.{1}", major, minor);
      comgr.functions_ = &functions;
    }
  };
  static const Loaded *loaded = new Loaded; // never destroyed: threads may outlive exit handlers
  if (!loaded->error.empty())
    return compilerError(loaded->error);
  return &loaded->comgr;
}

Error Comgr::knows(StringRef isaName) const {
  Handles h(*functions_);
  return h.actionFor(isaName).takeError();
}

Expected<std::unique_ptr<MemoryBuffer>> Comgr::codegen(StringRef bitcode, StringRef isaName,
                                                       ArrayRef<std::string> arguments) const {
  const char *what = "code generation";
  return only(runAction(*functions_, AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE, what,
                        {Input{AMD_COMGR_DATA_KIND_BC, bitcode}}, AMD_COMGR_DATA_KIND_RELOCATABLE,
                        isaName, arguments),
              what);
}

Expected<std::unique_ptr<MemoryBuffer>> Comgr::link(ArrayRef<MemoryBufferRef> relocatables,
                                                    StringRef isaName) const {
  std::vector<Input> inputs;
  for (const auto &r : relocatables)
    inputs.push_back({AMD_COMGR_DATA_KIND_RELOCATABLE, r.getBuffer()});
  const char *what = "link";
  return only(runAction(*functions_, AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE, what, inputs,
                        AMD_COMGR_DATA_KIND_EXECUTABLE, isaName, {}),
              what);
}

Expected<std::vector<std::unique_ptr<MemoryBuffer>>>
Comgr::deviceLibraries(StringRef isaName) const {
#if AMD_COMGR_INTERFACE_VERSION_MAJOR < 3
  // As hiprtc asks for them: without options, which gives precise functions. The action passes its
  // inputs on, so there are none.
  return runAction(*functions_, AMD_COMGR_ACTION_ADD_DEVICE_LIBRARIES, "device libraries", {},
                   AMD_COMGR_DATA_KIND_BC, isaName, {}, AMD_COMGR_LANGUAGE_HIP);
#else
  return compilerError(
      formatv("comgr: {0} hands out no device libraries for {1}", version_, isaName));
#endif
}

void Comgr::tellActions(void (*told)(void (*leave)(), void (*after)())) { actionsTold.store(told); }

} // namespace meld::jit
