#include "jit/compile.h"

#include "jit/comgr.h"
#include "jit/compilation.h"
#include "jit/error.h"
#include "jit/guard.h"
#include "jit/optimizer.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <sys/resource.h>

using namespace llvm;

namespace meld::jit {

namespace {

/// comgr hands everything from step to step in temporary files, and LLVM takes a write that fails
/// for fatal in a place from which nothing comes back. So what cannot fit is not begun.
Error roomForTemporaryFiles(StringRef codeObject) {
  constexpr rlim_t least = 4 << 20, timesTheObject = 16;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= least + timesTheObject * codeObject.size())
    return Error::success();
  return compilerError("the limit on file sizes (RLIMIT_FSIZE, " + Twine(limit.rlim_cur) +
                       " bytes) leaves no room for the compiler's temporary files; try `ulimit -f "
                       "unlimited`");
}

} // namespace

void Compilation::readProfile() {
  if (request_.profile.empty())
    return;
  auto read = profile::parseObject(request_.profile);
  if (read) {
    profile_ = std::move(*read);
    if (auto counts = functionCounts(*profile_, request_.kernel); !counts.empty())
      counts_ = std::make_shared<const FunctionCounts>(std::move(counts));
  } else
    log(logWarning, "compiled as without a profile: " + read.error().message);
}

Error Compilation::selectKernels() {
  auto make = [](const std::string &pattern, const char *what) -> Expected<std::optional<Regex>> {
    if (pattern.empty())
      return std::optional<Regex>();
    Regex r(pattern);
    std::string why;
    if (!r.isValid(why))
      return inputError(Twine(what) + ": bad regular expression '" + pattern + "': " + why);
    return std::optional<Regex>(std::move(r));
  };
  auto include = make(request_.meld.kernelInclude, "kernel include");
  if (!include)
    return include.takeError();
  auto exclude = make(request_.meld.kernelExclude, "kernel exclude");
  if (!exclude)
    return exclude.takeError();
  for (const auto &k : kernels_)
    if (!neverRan(k.name) && (!*include || (*include)->match(k.name)) &&
        !(*exclude && (*exclude)->match(k.name)))
      selected_.insert(k.name);
  return Error::success();
}

Error Compilation::run() {
  auto object = readDeviceObject(original());
  if (!object)
    return object.takeError();
  object_ = std::move(*object);
  if (object_.modules.empty())
    return unchanged("no bitcode");
  if (!request_.isa.empty()) {
    StringRef wanted = StringRef(request_.isa).rsplit("--").second.split(':').first;
    if (wanted != object_.processor)
      return inputError("the code object is for " + object_.processor + ", the agent is " +
                        request_.isa);
  }
  {
    OptionsTurn turn(request_.options); // who first looks at LLVM's options registers some of them
    if (!turn.given())
      return compilerError(OptionsTurn::kRefused);
    initializeTargets(); // registers the options that recoverOptions looks up
    auto options = recoverOptions(ArrayRef<std::vector<std::string>>(object_.commands));
    if (!options)
      return options.takeError();
    options_ = std::move(*options);
    if (object_.commands.empty()) // nobody else knows it
      options_.codeObjectVersion = object_.codeObjectVersion;
  }
  if (!options_.cpu.empty() && options_.cpu != object_.processor)
    return inputError(".llvmcmd: for " + options_.cpu + ", the code object is for " +
                      object_.processor);
  if (!object_.commands.empty() && object_.commands.size() != object_.modules.size())
    return inputError(".llvmcmd: " + Twine(object_.commands.size()) + " lines for " +
                      Twine(object_.modules.size()) + " units");
  kernels_ = object_.kernels;
  exports_ = object_.exportedNames();
  if (kernels_.empty())
    return unchanged("no kernels");
  if (!request_.recipe.empty())
    if (auto e = selectVersion())
      return e;
  if (recompileOnly() && recipe_ && !recipe_->marks)
    return unchanged("no version: MELD_PASSES=none");
  readProfile();
  if (auto e = selectKernels())
    return e;
  if (!recompileOnly()) {
    if (selected_.empty())
      return unchanged(profile_ ? "no kernel selected, or none of them ran in the profile"
                                : "no kernel selected");
    if (options_.level == '0')
      return unchanged("compiled with -O0");
  }
  auto e = rounds();
  tellStaleCounts();
  if (dumps_.wants("ir") && !ir_.empty())
    dumps_.write("after", ".ll", ir_);
  if (dumps_.wants("decision"))
    dumps_.write("decisions", ".json", dumpJson(metadata(Detail::full), 2));
  return e;
}

const std::string &version() {
  static const auto *text = [] {
    std::string comgrVersion = "no comgr";
    if (auto comgr = Comgr::get())
      comgrVersion = (*comgr)->version();
    else
      consumeError(comgr.takeError());
    return new std::string("libmeld-jit " MELD_VERSION "; LLVM " LLVM_VERSION_STRING "; " +
                           comgrVersion);
  }();
  return *text;
}

CompileReply compile(const CompileRequest &request) {
  CompileReply reply;
  Error failed = runGuarded([&]() -> Error {
    if (auto e = roomForTemporaryFiles(request.codeObject))
      return e;
    Compilation compilation(request, reply);
    return compilation.run();
  });
  if (!failed)
    return reply;
  reply = CompileReply();
  // What was wrong with the input stays wrong; what broke in the compiler may not.
  bool allInput = true;
  handleAllErrors(std::move(failed), [&](const ErrorInfoBase &e) {
    auto *own = e.isA<CompileError>() ? static_cast<const CompileError *>(&e) : nullptr;
    allInput &= own && own->kind() == Failure::input;
    reply.reason += (reply.reason.empty() ? "" : "; ") + e.message();
  });
  reply.permanent = allInput;
  std::replace(reply.reason.begin(), reply.reason.end(), '\n', ' ');
  reply.json = dumpJson(Json{{"version", version()}, {"error", reply.reason}});
  if (request.log)
    request.log(logInfo, "not recompiled: " + reply.reason);
  return reply;
}

} // namespace meld::jit
